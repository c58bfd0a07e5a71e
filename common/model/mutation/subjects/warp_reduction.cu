// Sum of an array by warps: the first steps through shared memory with barriers of the warp, the others by shuffles.

#include "subject.hpp"

#include <numeric>

constexpr int block_size = 128, lanes = 32, warps = block_size / lanes;
constexpr unsigned all_lanes = 0xffffffff, first_lanes = (1u << warps) - 1;

__global__ void reduce(int* total, const int* input, int n)
{
    __shared__ int values[warps][lanes];
    __shared__ int sums[warps];
    const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    const int i = blockIdx.x * block_size + threadIdx.x;
    values[warp][lane] = i < n ? input[i] : 0;
    __syncwarp();
    for (int offset = 16; offset >= 8; offset /= 2) {
        const int other = values[warp][lane ^ offset];
        __syncwarp();  // all have read
        values[warp][lane] += other;
        __syncwarp();  // all have written
    }
    int sum = values[warp][lane];
    for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_xor_sync(all_lanes, sum, offset);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (threadIdx.x < warps) {
        sum = sums[threadIdx.x];
        for (int offset = warps / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(first_lanes, sum, offset, warps);
        if (threadIdx.x == 0) atomicAdd(total, sum);
    }
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
