// Sum over a window of neighbors on each side, with zeros beyond the ends: the block's elements and a halo in shared memory.

#include "subject.hpp"

constexpr int block_size = 128, radius = 3;

__global__ void stencil(int* output, const int* input, int n)
{
    __shared__ int tile[block_size + 2 * radius];
    const int i = blockIdx.x * block_size + threadIdx.x, center = threadIdx.x + radius;
    tile[center] = i < n ? input[i] : 0;
    if (threadIdx.x < radius) {
        const int left = i - radius, right = i + block_size;
        tile[center - radius] = left >= 0 ? input[left] : 0;
        tile[center + block_size] = right < n ? input[right] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int offset = -radius; offset <= radius; ++offset) sum += tile[center + offset];
    if (i < n) output[i] = sum;
}

bool solve(const subject::Problem& problem)
{
    const int n = problem.width;
    const std::vector<int> values = problem.random_values(n, 1000);
    subject::DeviceArray<int> input(n), output(n);
    input.upload(values);
    stencil<<<subject::divide_up(n, block_size), block_size>>>(output.data(), input.data(), n);
    std::vector<int> expected(n, 0);
    for (int i = 0; i < n; ++i)
        for (int j = i - radius; j <= i + radius; ++j)
            if (j >= 0 && j < n) expected[i] += values[j];
    return subject::agree(output.download(), expected);
}

int main(int argc, char** argv) { return subject::run(argc, argv, solve); }
