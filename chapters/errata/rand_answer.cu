// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The nearest neighbor of the first of 64 points from rand(): each C library has its own answer.

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// [rand_answer]
__global__ void rand_answer(int* answer, const int* points, int n)
{
    __shared__ int distance[64];
    distance[threadIdx.x] = abs(points[threadIdx.x] - points[0]);
    __syncthreads();
    if (threadIdx.x == 0) {
        int nearest = 1;
        for (int i = 2; i < n; ++i)
            if (distance[i] < distance[nearest]) nearest = i;
        *answer = nearest;
    }
}

// The generator that the C standard gives as an example.
unsigned state = 1;

int example_rand()
{
    state = state * 1103515245u + 12345u;
    return static_cast<int>(state / 65536u % 32768u);
}
// [/rand_answer]

int main()
{
    int *points, *answer;
    cudaMallocManaged(&points, 64 * sizeof(int));
    cudaMallocManaged(&answer, sizeof(int));
    std::srand(1);
    int answers[2];
    for (int library = 0; library < 2; ++library) {
        for (int i = 0; i < 64; ++i) points[i] = (library == 0 ? std::rand() : example_rand()) % 32768;
        rand_answer<<<1, 64>>>(answer, points, 64);
        cudaDeviceSynchronize();
        answers[library] = *answer;
    }
    std::printf("the same seed: the answer is %d here, and %d by the example of the C standard\n", answers[0], answers[1]);
    return answers[0] != answers[1];
}
