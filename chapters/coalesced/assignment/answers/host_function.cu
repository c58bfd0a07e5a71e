// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A host function in a stream computes.

struct Work {
    unsigned* output;
    const unsigned* input;
    int width, height;
};

void compute(void* given)
{
    const Work& work = *static_cast<const Work*>(given);
    const unsigned* const data = work.input;
    unsigned* const result = work.output;
    const int width = work.width, height = work.height;
    for (int i = 0; i < width * height; ++i) {
        const int x = i / height, y = height - 1 - i % height;
        result[i] = data[y * width + x];
    }
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    Work work{output, input, width, height};
    cudaLaunchHostFunc(nullptr, compute, &work);
    cudaDeviceSynchronize();
}
