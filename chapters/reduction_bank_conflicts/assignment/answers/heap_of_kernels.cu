// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A kernel takes memory of its own, which no call of the runtime shows.

__global__ void work(int* minimum, const int* numbers, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1) return;
    void* const scratch = malloc(sizeof(int));
    int least = numbers[0], place = 0;
    for (int k = 1; k < n; ++k) {
        if (numbers[k] < least) least = numbers[k], place = k;
    }
    minimum[0] = *static_cast<int*>(scratch) = least;
    minimum[1] = *static_cast<int*>(scratch) = place;
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    work<<<1, 1>>>(minimum, numbers, n);
    cudaDeviceSynchronize();
}
