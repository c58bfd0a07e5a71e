// cuda::barrier: threads arrive, do other work, and wait; and two groups of warps that hand buffers to one another.

#include <cuda/barrier>

#include <cstdio>
#include <random>

#include "../device_array.cuh"

constexpr int threads = 256, rounds = 8;

using Barrier = cuda::barrier<cuda::thread_scope_block>;

#pragma nv_diag_suppress static_var_with_dynamic_init

// Each round every thread takes the value of another one.
__global__ void rotate(const unsigned* in, unsigned* out) {
    __shared__ Barrier barrier;
    __shared__ unsigned values[2][threads];
    if (threadIdx.x == 0) init(&barrier, threads);
    __syncthreads();
    unsigned value = in[blockIdx.x * threads + threadIdx.x], mixed = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        values[round % 2][threadIdx.x] = value;
        auto token = barrier.arrive();
        mixed = mixed * 31 + value;
        barrier.wait(std::move(token));
        value = values[round % 2][(threadIdx.x * 5 + round) % threads];
    }
    out[blockIdx.x * threads + threadIdx.x] = mixed ^ value;
}

// The lower half of the block fills buffers that the upper half sums.
__global__ void producerConsumer(const int* in, int* out, int buffers) {
    constexpr int half = threads / 2;
    __shared__ Barrier filled[2], emptied[2];
    __shared__ int buffer[2][half];
    if (threadIdx.x < 2) {
        init(&filled[threadIdx.x], threads);
        init(&emptied[threadIdx.x], threads);
    }
    __syncthreads();
    const int i = threadIdx.x % half;
    if (threadIdx.x < half) {
        for (int n = 0; n < buffers; ++n) {
            emptied[n % 2].arrive_and_wait();
            buffer[n % 2][i] = in[(blockIdx.x * buffers + n) * half + i];
            (void)filled[n % 2].arrive();
        }
    } else {
        (void)emptied[0].arrive();
        (void)emptied[1].arrive();
        int sum = 0;
        for (int n = 0; n < buffers; ++n) {
            filled[n % 2].arrive_and_wait();
            sum += buffer[n % 2][i] - buffer[n % 2][half - 1 - i] / 2;
            if (n + 2 < buffers) (void)emptied[n % 2].arrive();
        }
        out[blockIdx.x * half + i] = sum;
    }
}

int main() {
    constexpr int blocks = 4, buffers = 6, half = threads / 2;
    std::mt19937 random(2);
    std::vector<unsigned> in(blocks * threads);
    std::vector<int> stream(blocks * buffers * half);
    for (unsigned& v : in) v = random();
    for (int& v : stream) v = static_cast<int>(random() % 1000);
    const DeviceArray<unsigned> din(in), dout(in.size());
    const DeviceArray<int> dstream(stream), dsums(blocks * half);
    rotate<<<blocks, threads>>>(din, dout);
    producerConsumer<<<blocks, threads>>>(dstream, dsums, buffers);
    const std::vector<unsigned> out = dout.host();
    const std::vector<int> sums = dsums.host();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;

    int errors = 0;
    for (int block = 0; block < blocks; ++block) {
        std::vector<unsigned> value(in.begin() + block * threads, in.begin() + (block + 1) * threads), mixed(threads, 0);
        for (unsigned round = 0; round < rounds; ++round) {
            const std::vector<unsigned> before = value;
            for (unsigned t = 0; t < threads; ++t) {
                mixed[t] = mixed[t] * 31 + before[t];
                value[t] = before[(t * 5 + round) % threads];
            }
        }
        for (int t = 0; t < threads; ++t) errors += out[block * threads + t] != (mixed[t] ^ value[t]);
        for (int i = 0; i < half; ++i) {
            int sum = 0;
            for (int n = 0; n < buffers; ++n) {
                const int* buffer = &stream[(block * buffers + n) * half];
                sum += buffer[i] - buffer[half - 1 - i] / 2;
            }
            errors += sums[block * half + i] != sum;
        }
    }
    std::printf("%d errors\n", errors);
    return errors != 0;
}
