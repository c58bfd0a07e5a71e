// Histogram: each block counts in shared memory, then adds its counts to the histogram in global memory.

#include "subject.hpp"

constexpr int block_size = 128, bins = 200;

__global__ void count(int* counts, const int* input, int n)
{
    __shared__ int local[bins];
    for (int bin = threadIdx.x; bin < bins; bin += block_size) local[bin] = 0;
    __syncthreads();
    const int stride = gridDim.x * block_size;
    for (int i = blockIdx.x * block_size + threadIdx.x; i < n; i += stride) atomicAdd(&local[input[i]], 1);
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += block_size) atomicAdd(&counts[bin], local[bin]);
}

bool solve(const subject::Problem& problem)
{
    const int n = problem.width;
    const std::vector<int> values = problem.random_values(n, bins);
    subject::DeviceArray<int> input(n), counts(bins);
    input.upload(values);
    counts.upload(std::vector<int>(bins, 0));
    count<<<3, block_size>>>(counts.data(), input.data(), n);
    std::vector<int> expected(bins, 0);
    for (const int value : values) ++expected[value];
    return subject::agree(counts.download(), expected);
}

int main(int argc, char** argv) { return subject::run(argc, argv, solve); }
