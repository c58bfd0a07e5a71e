// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A repetition loop with one barrier: the next stores race with these loads. The output is right.

#include "small_checks.cuh"

// [repetition_race]
__global__ void repetition_race(float* output, const float* input, int size, int repetitions)
{
    __shared__ float tile[32][33];
    for (int r = 0; r < repetitions; ++r) {
        for (int j = threadIdx.y; j < size; j += blockDim.y)
            tile[j][threadIdx.x] = input[j * size + threadIdx.x];
        __syncthreads();
        for (int j = threadIdx.y; j < size; j += blockDim.y)
            output[j * size + threadIdx.x] = tile[threadIdx.x][j];
    }
}
// [/repetition_race]

int main()
{
    return transposes_wrongly(32, 32, [](float* output, const float* input) {
        repetition_race<<<1, dim3(32, 8)>>>(output, input, 32, 2);
    });
}
