// Reverses an array four elements at a time, and the elements that do not fill a vector one by one.

#include "subject.hpp"

constexpr int block_size = 64;

__global__ void reverse(int* output, const int* input, int n)
{
    const int vectors = n / 4, tail = n % 4;
    const int i = blockIdx.x * block_size + threadIdx.x;
    if (i < vectors) {
        const int4 v = reinterpret_cast<const int4*>(input)[i];
        int* end = output + n - 4 * i;
        end[-1] = v.x;
        end[-2] = v.y;
        end[-3] = v.z;
        end[-4] = v.w;
    }
    if (i < tail) output[tail - 1 - i] = input[4 * vectors + i];
}

bool solve(const subject::Problem& problem)
{
    const int n = problem.width;
    const std::vector<int> values = problem.random_values(n, 1 << 20);
    subject::DeviceArray<int> input(n), output(n);
    input.upload(values);
    reverse<<<subject::divide_up(n, block_size), block_size>>>(output.data(), input.data(), n);
    return subject::agree(output.download(), std::vector<int>(values.rbegin(), values.rend()));
}

int main(int argc, char** argv) { return subject::run(argc, argv, solve); }
