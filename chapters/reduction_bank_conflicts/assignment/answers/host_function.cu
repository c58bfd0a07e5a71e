// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A host function in a stream computes.

struct Work {
    int* minimum;
    const int* numbers;
    int n;
};

void compute(void* given)
{
    const Work& work = *static_cast<const Work*>(given);
    const int* const data = work.numbers;
    int* const result = work.minimum;
    const int n = work.n;
    for (int i = 0; i < 1; ++i) {
        int least = data[0], place = 0;
        for (int k = 1; k < n; ++k) {
            if (data[k] < least) least = data[k], place = k;
        }
        result[0] = least;
        result[1] = place;
    }
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    Work work{minimum, numbers, n};
    cudaLaunchHostFunc(nullptr, compute, &work);
    cudaDeviceSynchronize();
}
