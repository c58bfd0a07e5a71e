// Warps and lanes that part and meet in many ways. In launches that are not counted, the warps of a block run together.

#include <cstdio>
#include <vector>

constexpr int threads = 200, blocks = 3, n = threads * blocks;

/// Lanes, and whole warps, go different ways, make different numbers of rounds, and leave loops early.
__host__ __device__ unsigned wander(unsigned i, unsigned seed) {
    unsigned value = i * 2654435761u + seed;
    for (unsigned round = 0; round < i % 7 + i / 32 % 3; ++round) {
        if (value % 5 == 0) continue;
        if (value & 64) value = value * 3 + round;
        else if (i / 32 % 2) value ^= value >> 7;
        if (value % 97 == 0) break;
        switch (value % 6) {
            case 0: value += 11; break;
            case 1: value -= i; break;
            case 2: value = value << 3 | value >> 29; break;
            case 4: value ^= 0x55u; break;
            default: ++value;
        }
    }
    return value;
}

__global__ void wanders(unsigned* out, unsigned seed) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 11 == 3 || threadIdx.x / 32 == 2) return;
    out[i] = wander(i, seed);
}

/// Barriers between stores and loads of other warps; some warps and lanes have nothing to do in a round.
__global__ void rounds(unsigned* out, unsigned seed) {
    __shared__ unsigned word[threads];
    unsigned t = threadIdx.x;
    word[t] = t + seed;
    for (unsigned s = 1; s < threads; s *= 2) {
        __syncthreads();
        unsigned other = t >= s ? word[t - s] : 0;
        __syncthreads();
        if (t >= s) word[t] += other;
    }
    __syncthreads();
    out[blockIdx.x * threads + t] = word[threads - 1 - t];
}

/// Some warps do this as a whole, and the others pass by.
__host__ __device__ unsigned stir(unsigned value, unsigned thread, unsigned seed) {
    if (thread / 32 % 3 == 1)
        for (unsigned k = 0; k < seed; ++k) value = value * 5 + k;
    return value;
}

/// Tickets, which are drawn in the order of the warps and their lanes, and values of other lanes.
__global__ void tickets(unsigned* out, unsigned seed) {
    __shared__ unsigned next;
    unsigned t = threadIdx.x, sum = t;
    if (t == 0) next = seed;
    __syncthreads();
    if (t / 32 < threads / 32)
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
    sum = stir(sum, t, seed);
    unsigned mine = t % 3 ? atomicAdd(&next, 1) : 0;
    unsigned local[8];
    for (unsigned k = 0; k < 8; ++k) local[(k + t) % 8] = k;
    out[blockIdx.x * threads + t] = mine * 1000 + sum + local[seed % 8];
}

unsigned right_ticket(unsigned t, unsigned seed) {
    const unsigned mine = t % 3 ? seed + t - (t + 2) / 3 : 0;
    const unsigned sum = t / 32 < threads / 32 ? t / 32 * 32 * 32 + 31 * 16 : t;
    return mine * 1000 + stir(sum, t, seed) + (seed + 8 - t % 8) % 8;
}

unsigned right(void (*kernel)(unsigned*, unsigned), unsigned i, unsigned seed) {
    const unsigned t = i % threads, left = threads - t;
    if (kernel == wanders) return i % 11 == 3 || t / 32 == 2 ? ~0u : wander(i, seed);
    return kernel == rounds ? left * (left - 1) / 2 + left * seed : right_ticket(t, seed);
}

int main() {
    const unsigned seed = 5;
    int wrong = 0;
    unsigned* out;
    cudaMalloc(&out, n * sizeof *out);
    for (const auto kernel : {tickets, wanders, rounds, tickets}) {
        cudaMemset(out, 0xFF, n * sizeof *out);
        kernel<<<blocks, threads>>>(out, seed);
        std::vector<unsigned> values(n);
        cudaMemcpy(values.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost);
        for (unsigned i = 0; i < n; ++i)
            if (values[i] != right(kernel, i, seed) && wrong++ < 5)
                std::printf("%u at %u, expected %u\n", values[i], i, right(kernel, i, seed));
    }
    cudaFree(out);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
    return wrong != 0 || error != cudaSuccess;
}
