// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The data lie in constant memory, which has no sectors.

constexpr int MOST = 65536 / sizeof(int);
__constant__ int table[MOST];

__global__ void work(int* minimum, const int* numbers, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1) return;
    int least = (0 < MOST ? table[0] : numbers[0]), place = 0;
    for (int k = 1; k < n; ++k) {
        if ((k < MOST ? table[k] : numbers[k]) < least) least = (k < MOST ? table[k] : numbers[k]), place = k;
    }
    minimum[0] = least;
    minimum[1] = place;
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    const int held = n < MOST ? n : MOST;
    cudaMemcpyToSymbol(table, numbers, held * sizeof(int), 0, cudaMemcpyDeviceToDevice);
    work<<<1, 1>>>(minimum, numbers, n);
    cudaDeviceSynchronize();
}
