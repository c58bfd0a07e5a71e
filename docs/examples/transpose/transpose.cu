// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT
#include "transpose.cuh"

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
    const int N = argc > 1 ? std::atoi(argv[1]) : 64;
    std::vector<float> in(N * N), out(N * N);
    for (int i = 0; i < N * N; ++i) in[i] = static_cast<float>(i);

    float *from, *to;
    cudaMalloc(&from, N * N * sizeof(float));
    cudaMalloc(&to, N * N * sizeof(float));
    cudaMemcpy(from, in.data(), N * N * sizeof(float), cudaMemcpyHostToDevice);
    transpose<<<dim3(N / TILE_DIM, N / TILE_DIM), dim3(TILE_DIM, TILE_DIM)>>>(to, from, N);
    cudaMemcpy(out.data(), to, N * N * sizeof(float), cudaMemcpyDeviceToHost);

    for (int y = 0; y < N; ++y)
        for (int x = 0; x < N; ++x)
            if (out[y * N + x] != in[x * N + y]) return std::puts("wrong"), 1;
    std::puts("right");
}
