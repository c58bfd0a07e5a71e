// Sum of an array with growing strides: right, and full of bank conflicts. The blocks add their sums atomically.

#include "subject.hpp"

#include <numeric>

constexpr int block_size = 128;

__global__ void reduce(int* total, const int* input, int n)
{
    __shared__ int values[block_size];
    const int i = blockIdx.x * block_size + threadIdx.x;
    values[threadIdx.x] = i < n ? input[i] : 0;
    __syncthreads();
    for (int stride = 1; stride < block_size; stride *= 2) {
        const int index = 2 * stride * threadIdx.x;
        if (index < block_size) values[index] += values[index + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, values[0]);
}

bool solve(const subject::Problem& problem)
{
    const int n = problem.width;
    const std::vector<int> values = problem.random_values(n, 1000);
    subject::DeviceArray<int> input(n), total(1);
    input.upload(values);
    total.upload({0});
    reduce<<<subject::divide_up(n, block_size), block_size>>>(total.data(), input.data(), n);
    return subject::agree(total.download(), {std::accumulate(values.begin(), values.end(), 0)});
}

int main(int argc, char** argv) { return subject::run(argc, argv, solve); }
