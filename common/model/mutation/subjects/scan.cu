// Inclusive prefix sums of segments, one per block: Hillis and Steele with two buffers, so that one barrier a step is enough.

#include "subject.hpp"

constexpr int segment = 128;

__global__ void scan(int* output, const int* input, int n)
{
    __shared__ int buffer[2][segment];
    const int thread = threadIdx.x, i = blockIdx.x * segment + thread;
    int from = 0;
    buffer[from][thread] = i < n ? input[i] : 0;
    __syncthreads();
    for (int distance = 1; distance < segment; distance *= 2) {
        int sum = buffer[from][thread];
        if (thread >= distance) sum += buffer[from][thread - distance];
        buffer[1 - from][thread] = sum;
        __syncthreads();
        from = 1 - from;
    }
    if (i < n) output[i] = buffer[from][thread];
}

bool solve(const subject::Problem& problem)
{
    const int n = problem.width;
    const std::vector<int> values = problem.random_values(n, 1000);
    subject::DeviceArray<int> input(n), output(n);
    input.upload(values);
    scan<<<subject::divide_up(n, segment), segment>>>(output.data(), input.data(), n);
    std::vector<int> expected(values);
    for (int i = 0; i < n; ++i)
        if (i % segment != 0) expected[i] += expected[i - 1];
    return subject::agree(output.download(), expected);
}

int main(int argc, char** argv) { return subject::run(argc, argv, solve); }
