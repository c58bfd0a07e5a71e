// Transpose straight through global memory: coalesced loads, strided stores.

#include "subject.hpp"

constexpr int block_width = 32, block_height = 8;

__global__ void transpose(int* output, const int* input, int width, int height)
{
    const int x = blockIdx.x * block_width + threadIdx.x;
    const int y = blockIdx.y * block_height + threadIdx.y;
    if (x < width && y < height) output[x * height + y] = input[y * width + x];
}

bool solve(const subject::Problem& problem)
{
    const int width = problem.width, height = problem.height;
    const std::vector<int> values = problem.random_values(width * height, 1 << 20);
    subject::DeviceArray<int> input(width * height), output(width * height);
    input.upload(values);
    const dim3 grid(subject::divide_up(width, block_width), subject::divide_up(height, block_height));
    const dim3 block(block_width, block_height);
    transpose<<<grid, block>>>(output.data(), input.data(), width, height);
    return subject::agree(output.download(), subject::transposed(values, width, height));
}

int main(int argc, char** argv) { return subject::run(argc, argv, solve); }
