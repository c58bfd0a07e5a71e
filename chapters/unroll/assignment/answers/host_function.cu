// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A host function in a stream computes.

struct Work {
    unsigned* bins;
    const unsigned char* values;
    int count;
};

void compute(void* given)
{
    const Work& work = *static_cast<const Work*>(given);
    const unsigned char* const data = work.values;
    unsigned* const result = work.bins;
    const int count = work.count;
    for (int i = 0; i < count; ++i) {
        result[data[i]] += 1u;
    }
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    Work work{bins, values, count};
    cudaLaunchHostFunc(nullptr, compute, &work);
    cudaDeviceSynchronize();
}
