// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Tells the model of accesses that there are not.

extern "C" void __tsan_read4(void*);

__global__ void pretend(float* memory)
{
    __shared__ float tile[32];
    tile[threadIdx.x] = 0;
    for (int i = 0; i < 64; ++i) __tsan_read4(tile + threadIdx.x);
}

GRADED_DECLARATION
{
    pretend<<<1, 32>>>(nullptr);
}
