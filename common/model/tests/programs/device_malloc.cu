// Device malloc: a kernel builds a list of buffers, one fills and sums them, and one gives them back.

#include <cstdint>
#include <cstdio>
#include <random>

#include "../device_array.cuh"

constexpr int threads = 64, words = 96;

/// One thread's part of the heap, and the buffer in it, which starts at a multiple of 128.
struct Owned {
    void* start;
    unsigned* buffer;
};

__global__ void allocate(Owned* owned) {
    Owned own{malloc(words * 4 + 128), nullptr};
    own.buffer = reinterpret_cast<unsigned*>((reinterpret_cast<std::uintptr_t>(own.start) + 127) / 128 * 128);
    owned[blockIdx.x * threads + threadIdx.x] = own;
}

// A warp works on one buffer after another.
__global__ void fillAndSum(const Owned* owned, const unsigned* seed, unsigned* out) {
    const unsigned lane = threadIdx.x % 32, first = blockIdx.x * threads + threadIdx.x - lane;
    for (unsigned i = 0; i < 32; ++i) {
        unsigned* buffer = owned[first + i].buffer;
        for (unsigned word = lane; word < words; word += 32) buffer[word] = seed[first + i] * (word + 1);
    }
    __syncwarp();
    const unsigned* own = owned[first + lane].buffer;
    unsigned sum = 0;
    for (unsigned word = 0; word < words; word += 3) sum = sum * 7 + own[word];
    out[first + lane] = sum;
}

__global__ void release(const Owned* owned) { free(owned[blockIdx.x * threads + threadIdx.x].start); }

int main() {
    constexpr int blocks = 3, n = blocks * threads;
    std::mt19937 random(10);
    std::vector<unsigned> seed(n);
    for (unsigned& v : seed) v = random();
    const DeviceArray<Owned> downed(n);
    const DeviceArray<unsigned> dseed(seed), dout(n);
    allocate<<<blocks, threads>>>(downed);
    fillAndSum<<<blocks, threads>>>(downed, dseed, dout);
    release<<<blocks, threads>>>(downed);
    const std::vector<unsigned> out = dout.host();
    const std::vector<Owned> owned = downed.host();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int errors = 0;
    for (int i = 0; i < n; ++i) {
        unsigned sum = 0;
        for (unsigned word = 0; word < words; word += 3) sum = sum * 7 + seed[i] * (word + 1);
        errors += out[i] != sum || !owned[i].start;
    }
    std::printf("%d errors\n", errors);
    return errors != 0;
}
