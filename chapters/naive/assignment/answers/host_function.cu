// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A host function in a stream computes.

struct Work {
    float* sums;
    const float* matrix;
    int width, height;
};

void compute(void* given)
{
    const Work& work = *static_cast<const Work*>(given);
    const float* const data = work.matrix;
    float* const result = work.sums;
    const int width = work.width, height = work.height;
    for (int i = 0; i < height; ++i) {
        float sum = 0;
        for (int x = 0; x < width; ++x) sum += data[i * width + x];
        result[i] = sum;
    }
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    Work work{sums, matrix, width, height};
    cudaLaunchHostFunc(nullptr, compute, &work);
    cudaDeviceSynchronize();
}
