// Transpose through a padded tile of shared memory: coalesced loads and stores, no bank conflicts.

#include "subject.hpp"

constexpr int tile_width = 32, block_rows = 8;

__global__ void transpose(int* output, const int* input, int width, int height)
{
    __shared__ int tile[tile_width][tile_width + 1];
    int x = blockIdx.x * tile_width + threadIdx.x;
    int y = blockIdx.y * tile_width + threadIdx.y;
    for (int j = 0; j < tile_width; j += block_rows)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * tile_width + threadIdx.x;
    y = blockIdx.x * tile_width + threadIdx.y;
    for (int j = 0; j < tile_width; j += block_rows)
        if (x < height && y + j < width) output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

bool solve(const subject::Problem& problem)
{
    const int width = problem.width, height = problem.height;
    const std::vector<int> values = problem.random_values(width * height, 1 << 20);
    subject::DeviceArray<int> input(width * height), output(width * height);
    input.upload(values);
    const dim3 grid(subject::divide_up(width, tile_width), subject::divide_up(height, tile_width));
    const dim3 block(tile_width, block_rows);
    transpose<<<grid, block>>>(output.data(), input.data(), width, height);
    return subject::agree(output.download(), subject::transposed(values, width, height));
}

int main(int argc, char** argv) { return subject::run(argc, argv, solve); }
