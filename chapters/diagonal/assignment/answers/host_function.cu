// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A host function in a stream computes.

struct Work {
    int* output;
    const int* input;
    int width, height;
};

void compute(void* given)
{
    const Work& work = *static_cast<const Work*>(given);
    const int* const data = work.input;
    int* const result = work.output;
    const int width = work.width, height = work.height;
    for (int i = 0; i < height; ++i) {
        int least = data[i * width];
        for (int x = 1; x < width; ++x) least = data[i * width + x] < least ? data[i * width + x] : least;
        for (int x = 0; x < width; ++x) result[i * width + x] = data[i * width + x] - least;
    }
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    Work work{output, input, width, height};
    cudaLaunchHostFunc(nullptr, compute, &work);
    cudaDeviceSynchronize();
}
