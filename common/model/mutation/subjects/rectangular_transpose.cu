// Transpose with a tile that is wider than high. The threads of the block are renumbered for the stores.

#include "subject.hpp"

constexpr int tile_width = 32, tile_height = 16;
// Half a warp stores from one column, the other half from the next: two columns of padding keep their banks apart.
constexpr int padding = 2;

__global__ void transpose(int* output, const int* input, int width, int height)
{
    __shared__ int tile[tile_height][tile_width + padding];
    const int x = blockIdx.x * tile_width + threadIdx.x;
    const int y = blockIdx.y * tile_height + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = input[y * width + x];
    __syncthreads();
    const int thread = threadIdx.y * tile_width + threadIdx.x;
    const int column = thread / tile_height, row = thread % tile_height;
    const int output_x = blockIdx.y * tile_height + row;
    const int output_y = blockIdx.x * tile_width + column;
    if (output_x < height && output_y < width) output[output_y * height + output_x] = tile[row][column];
}

bool solve(const subject::Problem& problem)
{
    const int width = problem.width, height = problem.height;
    const std::vector<int> values = problem.random_values(width * height, 1 << 20);
    subject::DeviceArray<int> input(width * height), output(width * height);
    input.upload(values);
    const dim3 grid(subject::divide_up(width, tile_width), subject::divide_up(height, tile_height));
    const dim3 block(tile_width, tile_height);
    transpose<<<grid, block>>>(output.data(), input.data(), width, height);
    return subject::agree(output.download(), subject::transposed(values, width, height));
}

int main(int argc, char** argv) { return subject::run(argc, argv, solve); }
