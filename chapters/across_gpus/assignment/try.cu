// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Plays the ranks of an all-to-all on one device:               scripts/count try.cu -- 512 384 4
// The arguments are the width, the height and the ranks. On a GPU:   nvcc try.cu && ./a.out 512 384 4

#include "all_to_all_order.cu"

#include <cstdio>
#include <cstdlib>
#include <vector>

// The matrices of a rank in device memory.
struct Memory {
    int rows, columns;
    float *input, *send, *output;
};

// Copies message number `step` of each rank into the receiver's output, with `height` elements from one row to the next.
void play_all_to_all(std::vector<Memory>& memory, int height)
{
    int ranks = memory.size();
    std::vector<float*> next;
    for (const Memory& mine : memory)
        next.push_back(mine.send);
    for (int step = 0; step < ranks; step++)
        for (int rank = 0; rank < ranks; rank++) {
            const Memory &from = memory[rank], &to = memory[(rank + 1 + step) % ranks];
            std::size_t bytes = from.rows * sizeof(float);
            if (from.rows > 0 && to.columns > 0)
                cudaMemcpy2D(to.output + first(height, rank, ranks), height * sizeof(float), next[rank], bytes, bytes, to.columns,
                    cudaMemcpyDeviceToDevice);
            next[rank] += from.rows * to.columns;
        }
}

// Compares a rank's rows of the output, prints the first element that is wrong, and returns how many are wrong.
int count_wrong(const std::vector<float>& given, const std::vector<float>& matrix, int rank, int ranks, int width, int height)
{
    int wrong = 0, begin = first(width, rank, ranks);
    for (int i = 0; i < static_cast<int>(given.size()); i++) {
        int row = begin + i / height, column = i % height;
        float wanted = matrix[column * width + row];
        if (given[i] != wanted && wrong++ == 0)
            std::printf("row %d, column %d of the output, on rank %d: %g, should be %g\n", row, column, rank, given[i], wanted);
    }
    return wrong;
}

int main(int argc, char** argv)
{
    int width = argc > 1 ? std::atoi(argv[1]) : 512;
    int height = argc > 2 ? std::atoi(argv[2]) : 384;
    int ranks = argc > 3 ? std::atoi(argv[3]) : 4;
    if (argc > 4 || width < 1 || height < 1 || ranks < 1 || width > 4096 || height > 4096 || ranks > 64) {
        std::fprintf(stderr, "usage: WIDTH HEIGHT RANKS, each at least 1, at most 4096, 4096 and 64\n");
        return 2;
    }

    std::vector<float> matrix(width * height);
    for (float& element : matrix)
        element = std::rand() % (1 << 24);

    std::vector<Memory> memory(ranks);
    for (int rank = 0; rank < ranks; rank++) {
        Memory& mine = memory[rank];
        mine.rows = first(height, rank + 1, ranks) - first(height, rank, ranks);
        mine.columns = first(width, rank + 1, ranks) - first(width, rank, ranks);
        std::size_t bytes = sizeof(float) * mine.rows * width, output_bytes = sizeof(float) * mine.columns * height;
        cudaMalloc(&mine.input, bytes);
        cudaMalloc(&mine.send, bytes);
        cudaMalloc(&mine.output, output_bytes);
        cudaMemcpy(mine.input, matrix.data() + first(height, rank, ranks) * width, bytes, cudaMemcpyHostToDevice);
        cudaMemset(mine.send, 0xa5, bytes);
        cudaMemset(mine.output, 0xa5, output_bytes);
    }

    for (int rank = 0; rank < ranks; rank++)
        all_to_all_order(memory[rank].send, memory[rank].input, rank, ranks, width, height);
    play_all_to_all(memory, height);
    if (cudaError_t error = cudaDeviceSynchronize()) {
        std::printf("%d x %d, %d ranks: %s\n", width, height, ranks, cudaGetErrorString(error));
        return 1;
    }

    int wrong = 0;
    for (int rank = 0; rank < ranks; rank++) {
        std::vector<float> given(memory[rank].columns * height);
        cudaMemcpy(given.data(), memory[rank].output, given.size() * sizeof(float), cudaMemcpyDeviceToHost);
        wrong += count_wrong(given, matrix, rank, ranks, width, height);
        cudaFree(memory[rank].input);
        cudaFree(memory[rank].send);
        cudaFree(memory[rank].output);
    }
    std::printf("%d x %d, %d ranks: %d of %d elements are wrong\n", width, height, ranks, wrong, width * height);
    return wrong != 0;
}
