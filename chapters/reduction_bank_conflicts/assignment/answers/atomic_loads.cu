// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Atomic additions of 0 read the data, and are no loads.

__global__ void work(int* minimum, const int* numbers, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1) return;
    int least = atomicAdd(const_cast<int*>(numbers) + 0, 0), place = 0;
    for (int k = 1; k < n; ++k) {
        if (atomicAdd(const_cast<int*>(numbers) + k, 0) < least) least = atomicAdd(const_cast<int*>(numbers) + k, 0), place = k;
    }
    minimum[0] = least;
    minimum[1] = place;
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    work<<<1, 1>>>(minimum, numbers, n);
    cudaDeviceSynchronize();
}
