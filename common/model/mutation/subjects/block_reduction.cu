// Sum of an array in two launches: each block adds neighbors at half the distance, then one block adds the sums.

#include "subject.hpp"

#include <numeric>

constexpr int block_size = 128;

__global__ void reduce(int* sums, const int* input, int n)
{
    extern __shared__ int values[];
    const int i = blockIdx.x * block_size + threadIdx.x;
    values[threadIdx.x] = i < n ? input[i] : 0;
    __syncthreads();
    for (int distance = block_size / 2; distance > 0; distance /= 2) {
        if (threadIdx.x < distance) values[threadIdx.x] += values[threadIdx.x + distance];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = values[0];
}

bool solve(const subject::Problem& problem)
{
    const int n = problem.width, blocks = subject::divide_up(n, block_size);
    const std::vector<int> values = problem.random_values(n, 1000);
    subject::DeviceArray<int> input(n), sums(blocks), total(1);
    input.upload(values);
    reduce<<<blocks, block_size, block_size * sizeof(int)>>>(sums.data(), input.data(), n);
    reduce<<<1, block_size, block_size * sizeof(int)>>>(total.data(), sums.data(), blocks);
    return subject::agree(total.download(), {std::accumulate(values.begin(), values.end(), 0)});
}

int main(int argc, char** argv) { return subject::run(argc, argv, solve); }
