// mma.sp of each type against a product in double precision: A keeps two of four elements (one of two of tf32, two pairs
// of four of 4 bits), and metadata says which.

#include <array>
#include <type_traits>

#include "mma_reference.cuh"

struct Registers {
    const unsigned *a, *b, *metadata;
    unsigned* d;
};

int errors = 0;

/// Values that fixed-point results hold exactly.
unsigned long long simple_bits(Type type) {
    const float value = static_cast<float>(std::rand() / 8 % 9 - 4) / 2;
    switch (type) {
        case Type::f16: return to_bits(__float2half(value));
        case Type::bf16: return to_bits(__float2bfloat16(value));
        case Type::tf32: return to_bits(value);
        case Type::e4m3: return __nv_fp8_e4m3(value).__x;
        default: return random_bits(type);
    }
}

/// The lane and the first bit of the four bits of metadata for a chunk of a row.
std::array<int, 2> place_of_metadata(int chunks, bool row_each, int selector, int row, int chunk) {
    const int group = row % 8 * 4, upper = row / 8;
    if (chunks == 4) return {group + selector, 16 * upper + 4 * chunk};
    if (chunks == 8 && !row_each) return {group + 2 * selector + chunk / 4, 16 * upper + 4 * (chunk % 4)};
    if (chunks == 8) return {group + 2 * selector + upper, 4 * chunk};
    return {group + 2 * (chunk / 8) + upper, 4 * (chunk % 8)};
}

void test(const char* name, const char* text, void (*kernel)(Registers), int selector) {
    const Described is = described(text);
    const int m = is.m, n = is.n, k = is.k;
    const Type ta = is.types[1], tb = is.types[2];
    const int bits = bits_of(ta), wide = 32 / bits, in_chunk = bits == 32 ? 2 : bits == 4 ? 8 : 4, chunks = k / in_chunk;
    std::vector<unsigned> ra(128), rb(128), metadata(32), rd(128);
    std::vector<double> stored(m * k / 2), a(m * k), b(k * n), c(m * n), d(m * n);
    for (int lane = 0; lane < 32; ++lane) {
        const int group = lane / 4, in_group = lane % 4;
        for (int i = 0; i < m * k / 64; ++i) {
            const unsigned long long value = simple_bits(ta);
            const int reg = i / wide, row = group + 8 * (reg % 2), column = in_group * wide + i % wide + reg / 2 * 4 * wide;
            ra[lane + 32 * reg] |= static_cast<unsigned>(value) << (i % wide * bits);
            stored[row * k / 2 + column] = value_of(ta, value);
        }
        for (int i = 0; i < k * n / 32; ++i) {
            const unsigned long long value = simple_bits(tb);
            const int reg = i / wide, row = in_group * wide + i % wide + reg * 4 * wide;
            rb[lane + 32 * reg] |= static_cast<unsigned>(value) << (i % wide * bits);
            b[row * n + group] = value_of(tb, value);
        }
    }
    for (int row = 0; row < m; ++row)
        for (int chunk = 0; chunk < chunks; ++chunk) {
            constexpr unsigned ordered[] = {0x4, 0x8, 0xC, 0x9, 0xD, 0xE};
            const unsigned kept = bits == 32 ? (std::rand() & 8 ? 0x4 : 0xE) : ordered[std::rand() / 8 % 6];
            const auto [lane, bit] = place_of_metadata(chunks, bits <= 8, selector, row, chunk);
            metadata[lane] |= kept << bit;
            const double* from = &stored[row * k / 2 + chunk * in_chunk / 2];
            double* to = &a[row * k + chunk * in_chunk];
            const unsigned units[2] = {kept & 3, kept >> 2};
            if (bits == 32) to[units[0] / 2] = from[0];
            else
                for (int i = 0; i < in_chunk / 2; ++i) to[bits == 4 ? units[i / 2] * 2 + i % 2 : units[i]] = from[i];
        }
    unsigned* memory;
    cudaMalloc(&memory, 2048);
    cudaMemcpy(memory, ra.data(), 512, cudaMemcpyDefault);
    cudaMemcpy(memory + 128, rb.data(), 512, cudaMemcpyDefault);
    cudaMemcpy(memory + 256, metadata.data(), 128, cudaMemcpyDefault);
    kernel<<<1, 32>>>({memory, memory + 128, memory + 256, memory + 384});
    const cudaError_t error = cudaMemcpy(rd.data(), memory + 384, 512, cudaMemcpyDefault);
    if (error != cudaSuccess) std::printf("%s: %s\n", name, cudaGetErrorString(error)), ++errors;
    const bool integers = is_integer(ta);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) {
            const int at = (lane / 4 + i / 2 * 8) * n + lane % 4 * 2 + i % 2;
            c[at] = i + 1;
            d[at] = static_cast<int>(rd[lane + 32 * i]) / (integers ? 1.0 : 4096.0);
        }
    errors += count_errors(name, m, n, k, a, b, c, d, integers ? Type::s32 : Type::f32);
    cudaFree(memory);
}

std::vector<void (*)()> tests;

#define A(i) of.a[threadIdx.x + 32 * (i)]
#define B(i) of.b[threadIdx.x + 32 * (i)]
#define OPERANDS2 "{%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8"
#define OPERANDS4 "{%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12"

/// A kernel of one instruction with `nab` registers of A and of B each, and its test.
#define CASE(name, text, nab, letter, type, selector)                                                                   \
    __global__ void name(Registers of) {                                                                                \
        type d[4] = {1, 2, 3, 4};                                                                                       \
        asm volatile("mma.sp::ordered_metadata.sync.aligned." text " {%0,%1,%2,%3}, " OPERANDS##nab ", " #selector ";"  \
                     : "+" letter(d[0]), "+" letter(d[1]), "+" letter(d[2]), "+" letter(d[3])                           \
                     : IN##nab("r", A), IN##nab("r", B), "r"(of.metadata[threadIdx.x]));                                \
        constexpr int scale = std::is_same<type, float>::value ? 4096 : 1;                                              \
        for (int i = 0; i < 4; ++i) of.d[threadIdx.x + 32 * i] = static_cast<unsigned>(static_cast<int>(d[i] * scale)); \
    }                                                                                                                   \
    [[maybe_unused]] const bool has_##name = (tests.push_back([] { test(#name, text, name, selector); }), true);

CASE(f16_k16_0, "m16n8k16.row.col.f32.f16.f16.f32", 2, "f", float, 0)
CASE(f16_k16_3, "m16n8k16.row.col.f32.f16.f16.f32", 2, "f", float, 3)
CASE(f16_k32_1, "m16n8k32.row.col.f32.f16.f16.f32", 4, "f", float, 1)
CASE(bf16_k32_0, "m16n8k32.row.col.f32.bf16.bf16.f32", 4, "f", float, 0)
CASE(tf32_k8_2, "m16n8k8.row.col.f32.tf32.tf32.f32", 2, "f", float, 2)
CASE(tf32_k16_1, "m16n8k16.row.col.f32.tf32.tf32.f32", 4, "f", float, 1)
CASE(s8_k32_1, "m16n8k32.row.col.s32.s8.s8.s32", 2, "r", int, 1)
CASE(u8_k64, "m16n8k64.row.col.s32.u8.s8.s32", 4, "r", int, 0)
CASE(s4_k64_1, "m16n8k64.row.col.s32.s4.s4.s32", 2, "r", int, 1)
CASE(u4_k128, "m16n8k128.row.col.s32.u4.u4.s32", 4, "r", int, 0)
CASE(e4m3_k64, "m16n8k64.row.col.f32.e4m3.e4m3.f32", 4, "f", float, 0)

int main() {
    for (const auto test : tests) test();
    std::printf(errors ? "%d errors\n" : "ok\n", errors);
    return errors != 0;
}
