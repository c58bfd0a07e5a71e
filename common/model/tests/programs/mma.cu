// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// mma.sync of every shape and type of sm_90 against a product in double precision. The places of the elements are
// written as in the tables of the PTX document.

#include "mma_reference.cuh"

struct Registers {
    const unsigned* a;
    const unsigned* b;
    const unsigned* c;
    unsigned* d;
};

#define A(i) (of.a[threadIdx.x + 32 * (i)])
#define B(i) (of.b[threadIdx.x + 32 * (i)])
#define C(i) (of.c[threadIdx.x + 32 * (i)])
#define AS_FLOAT(i) __uint_as_float(C(i))

#define KERNEL_442(name, text, letter, type, get, put)                                                                                     \
    __global__ void name(Registers of)                                                                                                     \
    {                                                                                                                                      \
        type d0, d1, d2, d3;                                                                                                               \
        asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                                                     \
                     : "=" letter(d0), "=" letter(d1), "=" letter(d2), "=" letter(d3)                                                      \
                     : "r"(A(0)), "r"(A(1)), "r"(A(2)), "r"(A(3)), "r"(B(0)), "r"(B(1)), letter(get(0)), letter(get(1)), letter(get(2)),    \
                       letter(get(3)));                                                                                                    \
        of.d[threadIdx.x] = put(d0), of.d[threadIdx.x + 32] = put(d1), of.d[threadIdx.x + 64] = put(d2), of.d[threadIdx.x + 96] = put(d3); \
    }
#define KERNEL_421(name, text, letter, type, get, put)                                                                                     \
    __global__ void name(Registers of)                                                                                                     \
    {                                                                                                                                      \
        type d0, d1, d2, d3;                                                                                                               \
        asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                                                 \
                     : "=" letter(d0), "=" letter(d1), "=" letter(d2), "=" letter(d3)                                                      \
                     : "r"(A(0)), "r"(A(1)), "r"(B(0)), letter(get(0)), letter(get(1)), letter(get(2)), letter(get(3)));                   \
        of.d[threadIdx.x] = put(d0), of.d[threadIdx.x + 32] = put(d1), of.d[threadIdx.x + 64] = put(d2), of.d[threadIdx.x + 96] = put(d3); \
    }
#define KERNEL_242(name, text)                                                                                                        \
    __global__ void name(Registers of)                                                                                                \
    {                                                                                                                                 \
        unsigned d0, d1;                                                                                                              \
        asm volatile(text " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"                                                                \
                     : "=r"(d0), "=r"(d1)                                                                                             \
                     : "r"(A(0)), "r"(A(1)), "r"(A(2)), "r"(A(3)), "r"(B(0)), "r"(B(1)), "r"(C(0)), "r"(C(1)));                       \
        of.d[threadIdx.x] = d0, of.d[threadIdx.x + 32] = d1;                                                                          \
    }
#define KERNEL_221(name, text)                                                                                                            \
    __global__ void name(Registers of)                                                                                                    \
    {                                                                                                                                     \
        unsigned d0, d1;                                                                                                                  \
        asm volatile(text " {%0,%1}, {%2,%3}, {%4}, {%5,%6};" : "=r"(d0), "=r"(d1) : "r"(A(0)), "r"(A(1)), "r"(B(0)), "r"(C(0)), "r"(C(1))); \
        of.d[threadIdx.x] = d0, of.d[threadIdx.x + 32] = d1;                                                                              \
    }
#define KERNEL_211(name, text)                                                                                                    \
    __global__ void name(Registers of)                                                                                            \
    {                                                                                                                             \
        unsigned d0, d1;                                                                                                          \
        asm volatile(text " {%0,%1}, {%2}, {%3}, {%4,%5};" : "=r"(d0), "=r"(d1) : "r"(A(0)), "r"(B(0)), "r"(C(0)), "r"(C(1)));     \
        of.d[threadIdx.x] = d0, of.d[threadIdx.x + 32] = d1;                                                                      \
    }
#define KERNEL_QUAD_F16(name, layout)                                                                                                   \
    __global__ void name(Registers of)                                                                                                  \
    {                                                                                                                                   \
        unsigned d0, d1, d2, d3;                                                                                                        \
        asm volatile("mma.sync.aligned.m8n8k4." layout ".f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11};"              \
                     : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)                                                                           \
                     : "r"(A(0)), "r"(A(1)), "r"(B(0)), "r"(B(1)), "r"(C(0)), "r"(C(1)), "r"(C(2)), "r"(C(3)));                         \
        of.d[threadIdx.x] = d0, of.d[threadIdx.x + 32] = d1, of.d[threadIdx.x + 64] = d2, of.d[threadIdx.x + 96] = d3;                  \
    }
#define KERNEL_QUAD_F32(name, layout)                                                                                                    \
    __global__ void name(Registers of)                                                                                                   \
    {                                                                                                                                    \
        float d[8];                                                                                                                      \
        asm volatile("mma.sync.aligned.m8n8k4." layout                                                                                   \
                     ".f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19};"                \
                     : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7])                    \
                     : "r"(A(0)), "r"(A(1)), "r"(B(0)), "r"(B(1)), "f"(AS_FLOAT(0)), "f"(AS_FLOAT(1)), "f"(AS_FLOAT(2)),                 \
                       "f"(AS_FLOAT(3)), "f"(AS_FLOAT(4)), "f"(AS_FLOAT(5)), "f"(AS_FLOAT(6)), "f"(AS_FLOAT(7)));                        \
        for (int i = 0; i < 8; ++i) of.d[threadIdx.x + 32 * i] = __float_as_uint(d[i]);                                                  \
    }
#define FLOATS_442(name, text) KERNEL_442(name, text, "f", float, AS_FLOAT, __float_as_uint)
#define FLOATS_421(name, text) KERNEL_421(name, text, "f", float, AS_FLOAT, __float_as_uint)
#define INTEGERS_442(name, text) KERNEL_442(name, text, "r", unsigned, C, unsigned)
#define INTEGERS_421(name, text) KERNEL_421(name, text, "r", unsigned, C, unsigned)
#define MMA "mma.sync.aligned."

FLOATS_442(f32_f16_k16, MMA "m16n8k16.row.col.f32.f16.f16.f32")
FLOATS_421(f32_f16_k8, MMA "m16n8k8.row.col.f32.f16.f16.f32")
KERNEL_242(f16_f16_k16, MMA "m16n8k16.row.col.f16.f16.f16.f16")
KERNEL_221(f16_f16_k8, MMA "m16n8k8.row.col.f16.f16.f16.f16")
FLOATS_442(f32_bf16_k16, MMA "m16n8k16.row.col.f32.bf16.bf16.f32")
FLOATS_421(f32_bf16_k8, MMA "m16n8k8.row.col.f32.bf16.bf16.f32")
FLOATS_442(f32_tf32_k8, MMA "m16n8k8.row.col.f32.tf32.tf32.f32")
FLOATS_421(f32_tf32_k4, MMA "m16n8k4.row.col.f32.tf32.tf32.f32")
KERNEL_211(s32_s8_m8, MMA "m8n8k16.row.col.s32.s8.s8.s32")
KERNEL_211(s32_u8_m8, MMA "m8n8k16.row.col.satfinite.s32.u8.s8.s32")
INTEGERS_421(s32_s8_k16, MMA "m16n8k16.row.col.s32.s8.s8.s32")
INTEGERS_442(s32_s8_k32, MMA "m16n8k32.row.col.s32.s8.s8.s32")
INTEGERS_442(s32_u8_k32, MMA "m16n8k32.row.col.satfinite.s32.u8.s8.s32")
KERNEL_211(s32_s4_m8, MMA "m8n8k32.row.col.s32.s4.s4.s32")
INTEGERS_421(s32_s4_k32, MMA "m16n8k32.row.col.s32.s4.u4.s32")
INTEGERS_442(s32_s4_k64, MMA "m16n8k64.row.col.satfinite.s32.u4.s4.s32")
KERNEL_211(b1_m8_and, MMA "m8n8k128.row.col.s32.b1.b1.s32.and.popc")
INTEGERS_421(b1_k128_xor, MMA "m16n8k128.row.col.s32.b1.b1.s32.xor.popc")
INTEGERS_442(b1_k256_and, MMA "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
FLOATS_442(f32_e4m3_k32, MMA "m16n8k32.row.col.f32.e4m3.e5m2.f32")
FLOATS_421(f32_e5m2_k16, MMA "m16n8k16.row.col.f32.e5m2.e4m3.f32")
KERNEL_242(f16_e4m3_k32, MMA "m16n8k32.row.col.f16.e4m3.e4m3.f16")
KERNEL_QUAD_F16(quads_f16_row_col, "row.col")
KERNEL_QUAD_F16(quads_f16_col_row, "col.row")
KERNEL_QUAD_F32(quads_f32_row_row, "row.row")
KERNEL_QUAD_F32(quads_f32_col_col, "col.col")

__global__ void f64_m8(const double* a, const double* b, const double* c, double* d)
{
    const int i = threadIdx.x;
    double d0, d1;
    asm volatile(MMA "m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};" : "=d"(d0), "=d"(d1) : "d"(a[i]), "d"(b[i]), "d"(c[i]), "d"(c[i + 32]));
    d[i] = d0, d[i + 32] = d1;
}

__global__ void f64_k4(const double* a, const double* b, const double* c, double* d)
{
    const int i = threadIdx.x;
    double r[4];
    asm volatile(MMA "m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
                 : "=d"(r[0]), "=d"(r[1]), "=d"(r[2]), "=d"(r[3])
                 : "d"(a[i]), "d"(a[i + 32]), "d"(b[i]), "d"(c[i]), "d"(c[i + 32]), "d"(c[i + 64]), "d"(c[i + 96]));
    for (int j = 0; j < 4; ++j) d[i + 32 * j] = r[j];
}

__global__ void f64_k8(const double* a, const double* b, const double* c, double* d)
{
    const int i = threadIdx.x;
    double r[4];
    asm volatile(MMA "m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
                 : "=d"(r[0]), "=d"(r[1]), "=d"(r[2]), "=d"(r[3])
                 : "d"(a[i]), "d"(a[i + 32]), "d"(a[i + 64]), "d"(a[i + 96]), "d"(b[i]), "d"(b[i + 32]), "d"(c[i]), "d"(c[i + 32]), "d"(c[i + 64]), "d"(c[i + 96]));
    for (int j = 0; j < 4; ++j) d[i + 32 * j] = r[j];
}

__global__ void f64_k16(const double* a, const double* b, const double* c, double* d)
{
    const int i = threadIdx.x;
    double r[4];
    asm volatile(MMA "m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19};"
                 : "=d"(r[0]), "=d"(r[1]), "=d"(r[2]), "=d"(r[3])
                 : "d"(a[i]), "d"(a[i + 32]), "d"(a[i + 64]), "d"(a[i + 96]), "d"(a[i + 128]), "d"(a[i + 160]), "d"(a[i + 192]), "d"(a[i + 224]), "d"(b[i]),
                   "d"(b[i + 32]), "d"(b[i + 64]), "d"(b[i + 96]), "d"(c[i]), "d"(c[i + 32]), "d"(c[i + 64]), "d"(c[i + 96]));
    for (int j = 0; j < 4; ++j) d[i + 32 * j] = r[j];
}

struct Place {
    int row, column;
};

/// Element i of a lane's part of A, as the document's tables say for each shape.
Place place_in_a(Type type, int m, int k, int lane, int i)
{
    const int group = lane >> 2, in_group = lane % 4, wide = 32 / bits_of(type);
    if (type == Type::f64) return {m == 8 || i % 2 == 0 ? group : group + 8, in_group + 4 * (m == 8 ? i : i / 2)};
    if (m == 8) return {group, in_group * wide + i};
    const bool upper = i / wide % 2 == 0;
    return {upper ? group : group + 8, in_group * wide + i % wide + (i < 2 * wide ? 0 : 4 * wide)};
}

Place place_in_b(Type type, int lane, int i)
{
    const int group = lane >> 2, in_group = lane % 4, wide = type == Type::f64 ? 1 : 32 / bits_of(type);
    return {in_group * wide + i % wide + 4 * wide * (i / wide), group};
}

Place place_in_c(int lane, int i) { return {(lane >> 2) + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)}; }

Place place_in_quad_a(bool column_major, int lane, int i)
{
    const int upper = lane < 16 ? 0 : 4;
    return column_major ? Place{i % 4 + upper, lane % 4} : Place{lane % 4 + upper, i};
}

Place place_in_quad_b(bool column_major, int lane, int i)
{
    const int upper = lane < 16 ? 0 : 4;
    return column_major ? Place{i, lane % 4 + upper} : Place{lane % 4, i + upper};
}

Place place_in_quad_c(Type type, int lane, int i)
{
    const int upper = lane < 16 ? 0 : 4;
    if (type == Type::f16) return {lane % 4 + upper, i};
    return {(lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)};
}

/// The registers of one matrix: 32 words (or doubles) a register.
struct Matrix {
    Type type;
    std::vector<unsigned long long> words = std::vector<unsigned long long>(32 * 8, 0);

    void set(int lane, int i, unsigned long long bits)
    {
        const int wide = type == Type::f64 ? 1 : 32 / bits_of(type);
        words[lane + 32 * (i / wide)] |= bits << (i % wide * bits_of(type));
    }
    double get(int lane, int i) const
    {
        const int bits = bits_of(type), wide = type == Type::f64 ? 1 : 32 / bits;
        const unsigned long long word = words[lane + 32 * (i / wide)];
        return value_of(type, bits == 64 ? word : word >> (i % wide * bits) & ((1ull << bits) - 1));
    }
    void upload(void* to) const
    {
        if (type == Type::f64) {
            cudaMemcpy(to, words.data(), 8 * words.size(), cudaMemcpyDefault);
            return;
        }
        const std::vector<unsigned> narrow(words.begin(), words.end());
        cudaMemcpy(to, narrow.data(), 4 * narrow.size(), cudaMemcpyDefault);
    }
    void download(const void* from)
    {
        if (type == Type::f64) {
            cudaMemcpy(words.data(), from, 8 * words.size(), cudaMemcpyDefault);
            return;
        }
        std::vector<unsigned> narrow(words.size());
        cudaMemcpy(narrow.data(), from, 4 * narrow.size(), cudaMemcpyDefault);
        words.assign(narrow.begin(), narrow.end());
    }
};

int errors = 0;

/// Fills one matrix's registers and the matrix that they hold.
template <class Find>
void fill(Matrix& matrix, std::vector<double>& values, int columns, int per_lane, Find&& find)
{
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < per_lane; ++i) {
            matrix.set(lane, i, random_bits(matrix.type));
            const Place at = find(lane, i);
            values[at.row * columns + at.column] = matrix.get(lane, i);
        }
}

template <class Launch>
void run(const Matrix& a, const Matrix& b, const Matrix& c, Matrix& d, Launch&& launch)
{
    char* memory;
    cudaMalloc(&memory, 8192);
    cudaMemset(memory, 0, 8192);
    a.upload(memory);
    b.upload(memory + 2048);
    c.upload(memory + 4096);
    launch(memory, memory + 2048, memory + 4096, memory + 6144);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error)), ++errors;
    d.download(memory + 6144);
    cudaFree(memory);
}

template <class Launch>
void test(const char* name, int m, int k, Type ta, Type tb, Type tc, bool exclusive_or, Launch&& launch)
{
    constexpr int n = 8;
    std::vector<double> a(m * k), b(k * n), c(m * n), d(m * n);
    Matrix ra{ta}, rb{tb}, rc{tc}, rd{tc};
    fill(ra, a, k, m * k / 32, [&](int lane, int i) { return place_in_a(ta, m, k, lane, i); });
    fill(rb, b, n, k * n / 32, [&](int lane, int i) { return place_in_b(tb, lane, i); });
    fill(rc, c, n, m * n / 32, [&](int lane, int i) { return place_in_c(lane, i); });
    run(ra, rb, rc, rd, launch);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < m * n / 32; ++i) {
            const Place at = place_in_c(lane, i);
            d[at.row * n + at.column] = rd.get(lane, i);
        }
    errors += count_errors(name, m, n, k, a, b, c, d, tc, exclusive_or);
}

void test(const char* name, void (*kernel)(Registers), int m, int k, Type a, Type b, Type c, bool exclusive_or = false)
{
    test(name, m, k, a, b, c, exclusive_or, [=](const void* ra, const void* rb, const void* rc, void* rd) {
        kernel<<<1, 32>>>({static_cast<const unsigned*>(ra), static_cast<const unsigned*>(rb), static_cast<const unsigned*>(rc), static_cast<unsigned*>(rd)});
    });
}

void test(const char* name, void (*kernel)(const double*, const double*, const double*, double*), int m, int k)
{
    test(name, m, k, Type::f64, Type::f64, Type::f64, false, [=](const void* ra, const void* rb, const void* rc, void* rd) {
        kernel<<<1, 32>>>(static_cast<const double*>(ra), static_cast<const double*>(rb), static_cast<const double*>(rc), static_cast<double*>(rd));
    });
}

void test_quads(const char* name, void (*kernel)(Registers), bool a_column_major, bool b_column_major, Type type)
{
    std::vector<double> a[4], b[4], c[4], d[4];
    for (int pair = 0; pair < 4; ++pair) a[pair].resize(32), b[pair].resize(32), c[pair].resize(64), d[pair].resize(64);
    Matrix ra{Type::f16}, rb{Type::f16}, rc{type}, rd{type};
    for (int lane = 0; lane < 32; ++lane) {
        const int pair = lane % 16 / 4;
        for (int i = 0; i < 4; ++i) {
            ra.set(lane, i, random_bits(Type::f16));
            rb.set(lane, i, random_bits(Type::f16));
            const Place in_a = place_in_quad_a(a_column_major, lane, i), in_b = place_in_quad_b(b_column_major, lane, i);
            a[pair][in_a.row * 4 + in_a.column] = ra.get(lane, i);
            b[pair][in_b.row * 8 + in_b.column] = rb.get(lane, i);
        }
        for (int i = 0; i < 8; ++i) {
            rc.set(lane, i, random_bits(type));
            const Place in_c = place_in_quad_c(type, lane, i);
            c[pair][in_c.row * 8 + in_c.column] = rc.get(lane, i);
        }
    }
    run(ra, rb, rc, rd, [=](const void* pa, const void* pb, const void* pc, void* pd) {
        kernel<<<1, 32>>>({static_cast<const unsigned*>(pa), static_cast<const unsigned*>(pb), static_cast<const unsigned*>(pc), static_cast<unsigned*>(pd)});
    });
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 8; ++i) {
            const Place at = place_in_quad_c(type, lane, i);
            d[lane % 16 / 4][at.row * 8 + at.column] = rd.get(lane, i);
        }
    for (int pair = 0; pair < 4; ++pair) errors += count_errors(name, 8, 8, 4, a[pair], b[pair], c[pair], d[pair], type);
}

int main()
{
    test("f32_f16_k16", f32_f16_k16, 16, 16, Type::f16, Type::f16, Type::f32);
    test("f32_f16_k8", f32_f16_k8, 16, 8, Type::f16, Type::f16, Type::f32);
    test("f16_f16_k16", f16_f16_k16, 16, 16, Type::f16, Type::f16, Type::f16);
    test("f16_f16_k8", f16_f16_k8, 16, 8, Type::f16, Type::f16, Type::f16);
    test("f32_bf16_k16", f32_bf16_k16, 16, 16, Type::bf16, Type::bf16, Type::f32);
    test("f32_bf16_k8", f32_bf16_k8, 16, 8, Type::bf16, Type::bf16, Type::f32);
    test("f32_tf32_k8", f32_tf32_k8, 16, 8, Type::tf32, Type::tf32, Type::f32);
    test("f32_tf32_k4", f32_tf32_k4, 16, 4, Type::tf32, Type::tf32, Type::f32);
    test("s32_s8_m8", s32_s8_m8, 8, 16, Type::s8, Type::s8, Type::s32);
    test("s32_u8_m8", s32_u8_m8, 8, 16, Type::u8, Type::s8, Type::s32);
    test("s32_s8_k16", s32_s8_k16, 16, 16, Type::s8, Type::s8, Type::s32);
    test("s32_s8_k32", s32_s8_k32, 16, 32, Type::s8, Type::s8, Type::s32);
    test("s32_u8_k32", s32_u8_k32, 16, 32, Type::u8, Type::s8, Type::s32);
    test("s32_s4_m8", s32_s4_m8, 8, 32, Type::s4, Type::s4, Type::s32);
    test("s32_s4_k32", s32_s4_k32, 16, 32, Type::s4, Type::u4, Type::s32);
    test("s32_s4_k64", s32_s4_k64, 16, 64, Type::u4, Type::s4, Type::s32);
    test("b1_m8_and", b1_m8_and, 8, 128, Type::b1, Type::b1, Type::s32);
    test("b1_k128_xor", b1_k128_xor, 16, 128, Type::b1, Type::b1, Type::s32, true);
    test("b1_k256_and", b1_k256_and, 16, 256, Type::b1, Type::b1, Type::s32);
    test("f32_e4m3_k32", f32_e4m3_k32, 16, 32, Type::e4m3, Type::e5m2, Type::f32);
    test("f32_e5m2_k16", f32_e5m2_k16, 16, 16, Type::e5m2, Type::e4m3, Type::f32);
    test("f16_e4m3_k32", f16_e4m3_k32, 16, 32, Type::e4m3, Type::e4m3, Type::f16);
    test("f64_m8", f64_m8, 8, 4);
    test("f64_k4", f64_k4, 16, 4);
    test("f64_k8", f64_k8, 16, 8);
    test("f64_k16", f64_k16, 16, 16);
    test_quads("quads_f16_row_col", quads_f16_row_col, false, true, Type::f16);
    test_quads("quads_f16_col_row", quads_f16_col_row, true, false, Type::f16);
    test_quads("quads_f32_row_row", quads_f32_row_row, false, false, Type::f32);
    test_quads("quads_f32_col_col", quads_f32_col_col, true, true, Type::f32);
    std::printf(errors ? "%d errors\n" : "ok\n", errors);
    return errors != 0;
}
