// Inline PTX: vector accesses, bit fields, carries, permutations of bytes, votes, reductions without a result, and memory on the stack.

#include <cstdio>
#include <random>

#include "../device_array.cuh"

constexpr int threads = 128;

__global__ void mix(const uint4* in, uint2* out, unsigned* totals) {
    __shared__ uint2 exchanged[threads];
    const unsigned i = blockIdx.x * threads + threadIdx.x;
    uint4 v;
    asm volatile("ld.global.nc.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(in + i));
    unsigned field, bytes, low, high, logic, bits;
    asm("bfe.u32 %0, %1, 5, 11;" : "=r"(field) : "r"(v.x));
    asm("prmt.b32 %0, %1, %2, 0x2537;" : "=r"(bytes) : "r"(v.x), "r"(v.y));
    asm("{ add.cc.u32 %0, %2, %4;\n  addc.u32 %1, %3, %5; }" : "=r"(low), "=r"(high) : "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(logic) : "r"(v.y), "r"(v.z), "r"(v.w));
    asm("popc.b32 %0, %1;" : "=r"(bits) : "r"(logic));
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&exchanged[threadIdx.x]));
    asm volatile("st.shared.v2.u32 [%0], {%1,%2};" ::"r"(to), "r"(low ^ field), "r"(high ^ bytes) : "memory");
    asm volatile("bar.sync 0;" ::: "memory");
    const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(&exchanged[threadIdx.x * 3 % threads]));
    uint2 other;
    asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(other.x), "=r"(other.y) : "r"(from) : "memory");
    asm volatile("st.global.v2.u32 [%0], {%1,%2};" ::"l"(out + i), "r"(other.x), "r"(other.y + bits) : "memory");
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(totals + threadIdx.x % 4), "r"(bits) : "memory");
    unsigned ballot;
    asm volatile("{ .reg .pred p;\n  setp.gt.u32 p, %1, 16;\n  vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(ballot) : "r"(bits));
    if (threadIdx.x % 32 == 0) asm volatile("red.global.xor.b32 [%0], %1;" ::"l"(totals + 4), "r"(ballot) : "memory");
}

/// Memory that is given back is given again, and two pieces do not overlap. (An H200 gives the second below the first.)
__global__ void allocate_on_stack(unsigned* out, unsigned long long bytes) {
    unsigned long long before, first, second, again;
    unsigned kept;
    asm volatile("stacksave.u64 %0;" : "=l"(before));
    asm volatile("alloca.u64 %0, %1, 16;" : "=l"(first) : "l"(bytes));
    asm volatile("st.local.u32 [%0], %1;" ::"l"(first), "r"(threadIdx.x) : "memory");
    asm volatile("alloca.u64 %0, %1, 16;" : "=l"(second) : "l"(bytes));
    asm volatile("st.local.u32 [%0], 7;" ::"l"(second) : "memory");
    asm volatile("ld.local.u32 %0, [%1];" : "=r"(kept) : "l"(first) : "memory");
    asm volatile("stackrestore.u64 %0;" ::"l"(before));
    asm volatile("alloca.u64 %0, %1, 16;" : "=l"(again) : "l"(bytes));
    out[threadIdx.x] = kept == threadIdx.x && (second >= first + bytes || second + bytes <= first) && again == first;
}

int main() {
    constexpr int blocks = 5, n = blocks * threads;
    std::mt19937 random(9);
    std::vector<uint4> in(n);
    std::vector<uint2> wanted(n), exchanged(n);
    std::vector<unsigned> wantedTotals(5), bits(n);
    for (uint4& v : in)
        v = {static_cast<unsigned>(random()), static_cast<unsigned>(random()), static_cast<unsigned>(random()),
             static_cast<unsigned>(random())};
    for (int i = 0; i < n; ++i) {
        const uint4 v = in[i];
        const unsigned field = v.x >> 5 & 0x7FF;
        const auto byte = [&](unsigned number) { return (number < 4 ? v.x >> 8 * number : v.y >> 8 * (number - 4)) & 0xFF; };
        const unsigned permuted = byte(7) | byte(3) << 8 | byte(5) << 16 | byte(2) << 24;
        const unsigned long long sum =
            (static_cast<unsigned long long>(v.y) << 32 | v.x) + (static_cast<unsigned long long>(v.w) << 32 | v.z);
        exchanged[i] = {static_cast<unsigned>(sum) ^ field, static_cast<unsigned>(sum >> 32) ^ permuted};
        bits[i] = 0;
        for (unsigned rest = v.y ^ v.z ^ v.w; rest; rest &= rest - 1) ++bits[i];
        wantedTotals[i % 4] += bits[i];
        wantedTotals[4] ^= bits[i] > 16 ? 1u << i % 32 : 0;
    }
    for (int i = 0; i < n; ++i) {
        const uint2 other = exchanged[i / threads * threads + i % threads * 3 % threads];
        wanted[i] = {other.x, other.y + bits[i]};
    }
    const DeviceArray<uint4> din(in);
    const DeviceArray<uint2> dout(n);
    const DeviceArray<unsigned> dtotals(std::vector<unsigned>(5));
    mix<<<blocks, threads>>>(din, dout, dtotals);
    const std::vector<uint2> out = dout.host();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int errors = dtotals.host() != wantedTotals;
    const DeviceArray<unsigned> right(threads);
    allocate_on_stack<<<1, threads>>>(right, 48);
    errors += right.host() != std::vector<unsigned>(threads, 1);
    for (int i = 0; i < n; ++i) errors += out[i].x != wanted[i].x || out[i].y != wanted[i].y;
    std::printf("%d errors\n", errors);
    return errors != 0;
}
