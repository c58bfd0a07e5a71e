// mma.sync of every shape and type of sm_90 against a product in double precision. The places of the elements are
// written as in the tables of the PTX document.

#include "mma_reference.cuh"

/// The registers of the matrices: 32 words, or doubles, a register.
template <class Word> struct Registers {
    const Word *a, *b, *c;
    Word* d;
};

struct Place { int row, column; };

/// Element i of a lane's part of A, as the document's tables say for each shape.
Place place_in_a(Type type, int m, int k, int lane, int i) {
    const int group = lane >> 2, in_group = lane % 4, wide = 32 / bits_of(type);
    if (type == Type::f64) return {m == 8 || i % 2 == 0 ? group : group + 8, in_group + 4 * (m == 8 ? i : i / 2)};
    if (m == 8) return {group, in_group * wide + i};
    const bool upper = i / wide % 2 == 0;
    return {upper ? group : group + 8, in_group * wide + i % wide + (i < 2 * wide ? 0 : 4 * wide)};
}

Place place_in_b(Type type, int lane, int i) {
    const int group = lane >> 2, in_group = lane % 4, wide = type == Type::f64 ? 1 : 32 / bits_of(type);
    return {in_group * wide + i % wide + 4 * wide * (i / wide), group};
}

Place place_in_c(int lane, int i) { return {(lane >> 2) + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)}; }

Place place_in_quad_a(bool column_major, int lane, int i) {
    const int upper = lane < 16 ? 0 : 4;
    return column_major ? Place{i % 4 + upper, lane % 4} : Place{lane % 4 + upper, i};
}

Place place_in_quad_b(bool column_major, int lane, int i) {
    const int upper = lane < 16 ? 0 : 4;
    return column_major ? Place{i, lane % 4 + upper} : Place{lane % 4, i + upper};
}

Place place_in_quad_c(Type type, int lane, int i) {
    const int upper = lane < 16 ? 0 : 4;
    if (type == Type::f16) return {lane % 4 + upper, i};
    return {(lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)};
}

/// The registers of one matrix: 32 words (or doubles) a register.
struct Matrix {
    Type type;
    std::vector<unsigned long long> words = std::vector<unsigned long long>(32 * 8, 0);

    void set(int lane, int i, unsigned long long bits) {
        const int wide = type == Type::f64 ? 1 : 32 / bits_of(type);
        words[lane + 32 * (i / wide)] |= bits << (i % wide * bits_of(type));
    }
    double get(int lane, int i) const {
        const int bits = bits_of(type), wide = type == Type::f64 ? 1 : 32 / bits;
        const unsigned long long word = words[lane + 32 * (i / wide)];
        return value_of(type, bits == 64 ? word : word >> (i % wide * bits) & ((1ull << bits) - 1));
    }
    void upload(void* to) const {
        if (type == Type::f64) {
            cudaMemcpy(to, words.data(), 8 * words.size(), cudaMemcpyDefault);
            return;
        }
        const std::vector<unsigned> narrow(words.begin(), words.end());
        cudaMemcpy(to, narrow.data(), 4 * narrow.size(), cudaMemcpyDefault);
    }
    void download(const void* from) {
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
template <class Find> void fill(Matrix& matrix, std::vector<double>& values, int columns, int per_lane, Find&& find) {
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < per_lane; ++i) {
            matrix.set(lane, i, random_bits(matrix.type));
            const Place at = find(lane, i);
            values[at.row * columns + at.column] = matrix.get(lane, i);
        }
}

template <class Word> void run(void (*kernel)(Registers<Word>), const Matrix& a, const Matrix& b, const Matrix& c, Matrix& d) {
    Word* memory;
    cudaMalloc(&memory, 8192);
    cudaMemset(memory, 0, 8192);
    Word *const at_b = memory + 2048 / sizeof(Word), *const at_c = at_b + 2048 / sizeof(Word), *const at_d = at_c + 2048 / sizeof(Word);
    a.upload(memory);
    b.upload(at_b);
    c.upload(at_c);
    kernel<<<1, 32>>>({memory, at_b, at_c, at_d});
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error)), ++errors;
    d.download(at_d);
    cudaFree(memory);
}

template <class Word> void test(const char* name, const char* text, void (*kernel)(Registers<Word>)) {
    const Described is = described(text);
    const int m = is.m, n = is.n, k = is.k;
    const Type ta = is.types[1], tb = is.types[2], tc = is.types[3];
    std::vector<double> a(m * k), b(k * n), c(m * n), d(m * n);
    Matrix ra{ta}, rb{tb}, rc{tc}, rd{tc};
    fill(ra, a, k, m * k / 32, [&](int lane, int i) { return place_in_a(ta, m, k, lane, i); });
    fill(rb, b, n, k * n / 32, [&](int lane, int i) { return place_in_b(tb, lane, i); });
    fill(rc, c, n, m * n / 32, [&](int lane, int i) { return place_in_c(lane, i); });
    run(kernel, ra, rb, rc, rd);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < m * n / 32; ++i) {
            const Place at = place_in_c(lane, i);
            d[at.row * n + at.column] = rd.get(lane, i);
        }
    errors += count_errors(name, m, n, k, a, b, c, d, tc, std::strstr(text, ".xor."));
}

void test_quads(const char* name, const char* text, void (*kernel)(Registers<unsigned>)) {
    const bool a_column_major = std::strstr(text, "k4.col."), b_column_major = std::strstr(text, ".col.f");
    const Type type = described(text).types[0];
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
    run(kernel, ra, rb, rc, rd);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 8; ++i) {
            const Place at = place_in_quad_c(type, lane, i);
            d[lane % 16 / 4][at.row * 8 + at.column] = rd.get(lane, i);
        }
    for (int pair = 0; pair < 4; ++pair) errors += count_errors(name, 8, 8, 4, a[pair], b[pair], c[pair], d[pair], type);
}

#define A(i) (of.a[threadIdx.x + 32 * (i)])
#define B(i) (of.b[threadIdx.x + 32 * (i)])
#define C(i) (of.c[threadIdx.x + 32 * (i)])
#define AS_FLOAT(i) __uint_as_float(C(i))

#define OUT2(letter) "=" letter(d[0]), "=" letter(d[1])
#define OUT4(letter) OUT2(letter), "=" letter(d[2]), "=" letter(d[3])
#define OUT8(letter) OUT4(letter), "=" letter(d[4]), "=" letter(d[5]), "=" letter(d[6]), "=" letter(d[7])

// The operands of an instruction by the numbers of registers of D (and C), A and B.
#define OPERANDS211 "{%0,%1}, {%2}, {%3}, {%4,%5}"
#define OPERANDS221 "{%0,%1}, {%2,%3}, {%4}, {%5,%6}"
#define OPERANDS242 "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9}"
#define OPERANDS421 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10}"
#define OPERANDS422 "{%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}"
#define OPERANDS442 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13}"
#define OPERANDS484 "{%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19}"
#define OPERANDS822 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19}"

/// A kernel of one instruction, and its test.
#define CASE(test, name, text, nd, na, nb, word, letter, type, letter_of_d, get, put)   \
    __global__ void name(Registers<word> of) {                                          \
        type d[nd];                                                                     \
        asm volatile("mma.sync.aligned." text " " OPERANDS##nd##na##nb ";"              \
                     : OUT##nd(letter_of_d)                                             \
                     : IN##na(letter, A), IN##nb(letter, B), IN##nd(letter_of_d, get)); \
        for (int i = 0; i < nd; ++i) of.d[threadIdx.x + 32 * i] = put(d[i]);            \
    }                                                                                   \
    [[maybe_unused]] const bool has_##name = (tests.push_back([] { test(#name, text, name); }), true);
#define WORDS(test, name, text, nd, na, nb) CASE(test, name, text, nd, na, nb, unsigned, "r", unsigned, "r", C, unsigned)
#define FLOATS(test, name, text, nd, na, nb) CASE(test, name, text, nd, na, nb, unsigned, "r", float, "f", AS_FLOAT, __float_as_uint)
#define DOUBLES(test, name, text, nd, na, nb) CASE(test, name, text, nd, na, nb, double, "d", double, "d", C, double)

std::vector<void (*)()> tests;

FLOATS(test, f32_f16_k16, "m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2)
FLOATS(test, f32_f16_k8, "m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1)
WORDS(test, f16_f16_k16, "m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2)
WORDS(test, f16_f16_k8, "m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1)
FLOATS(test, f32_bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2)
FLOATS(test, f32_bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32", 4, 2, 1)
FLOATS(test, f32_tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2)
FLOATS(test, f32_tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32", 4, 2, 1)
WORDS(test, s32_s8_m8, "m8n8k16.row.col.s32.s8.s8.s32", 2, 1, 1)
WORDS(test, s32_u8_m8, "m8n8k16.row.col.satfinite.s32.u8.s8.s32", 2, 1, 1)
WORDS(test, s32_s8_k16, "m16n8k16.row.col.s32.s8.s8.s32", 4, 2, 1)
WORDS(test, s32_s8_k32, "m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2)
WORDS(test, s32_u8_k32, "m16n8k32.row.col.satfinite.s32.u8.s8.s32", 4, 4, 2)
WORDS(test, s32_s4_m8, "m8n8k32.row.col.s32.s4.s4.s32", 2, 1, 1)
WORDS(test, s32_s4_k32, "m16n8k32.row.col.s32.s4.u4.s32", 4, 2, 1)
WORDS(test, s32_s4_k64, "m16n8k64.row.col.satfinite.s32.u4.s4.s32", 4, 4, 2)
WORDS(test, b1_m8_and, "m8n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 1)
WORDS(test, b1_k128_xor, "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 1)
WORDS(test, b1_k256_and, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 4, 2)
FLOATS(test, f32_e4m3_k32, "m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 4, 2)
FLOATS(test, f32_e5m2_k16, "m16n8k16.row.col.f32.e5m2.e4m3.f32", 4, 2, 1)
WORDS(test, f16_e4m3_k32, "m16n8k32.row.col.f16.e4m3.e4m3.f16", 2, 4, 2)
DOUBLES(test, f64_m8, "m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1)
DOUBLES(test, f64_k4, "m16n8k4.row.col.f64.f64.f64.f64", 4, 2, 1)
DOUBLES(test, f64_k8, "m16n8k8.row.col.f64.f64.f64.f64", 4, 4, 2)
DOUBLES(test, f64_k16, "m16n8k16.row.col.f64.f64.f64.f64", 4, 8, 4)
WORDS(test_quads, quads_f16_row_col, "m8n8k4.row.col.f16.f16.f16.f16", 4, 2, 2)
WORDS(test_quads, quads_f16_col_row, "m8n8k4.col.row.f16.f16.f16.f16", 4, 2, 2)
FLOATS(test_quads, quads_f32_row_row, "m8n8k4.row.row.f32.f16.f16.f32", 8, 2, 2)
FLOATS(test_quads, quads_f32_col_col, "m8n8k4.col.col.f32.f16.f16.f32", 8, 2, 2)

int main() {
    for (const auto test : tests) test();
    std::printf(errors ? "%d errors\n" : "ok\n", errors);
    return errors != 0;
}
