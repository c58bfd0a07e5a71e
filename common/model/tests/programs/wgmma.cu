// wgmma of each type, with factors in shared memory in each layout and in registers, against a product in double precision.

#include <algorithm>
#include <string>

#include "mma_reference.cuh"

constexpr int threads = 128, most_registers = 128, shared_bytes = 64 * 1024;

struct Task {
    const uint4* image;
    const unsigned *a, *metadata, *c;
    unsigned* d;
    unsigned long long descriptor_a, descriptor_b;
    int adds;
};

// Operands 0 to 127 of an asm statement.
#define T10(t) "%" t "0,%" t "1,%" t "2,%" t "3,%" t "4,%" t "5,%" t "6,%" t "7,%" t "8,%" t "9"
#define D2 "{%0,%1}"
#define D4 "{%0,%1,%2,%3}"
#define D8 "{%0,%1,%2,%3,%4,%5,%6,%7}"
#define D12 "{" T10("") ",%10,%11}"
#define D128                                                                                                                     \
    "{" T10("") "," T10("1") "," T10("2") "," T10("3") "," T10("4") "," T10("5") "," T10("6") "," T10("7") "," T10("8") "," T10( \
        "9") "," T10("10") "," T10("11") ",%120,%121,%122,%123,%124,%125,%126,%127}"
#define O2(i) "+r"(d[i]), "+r"(d[i + 1])
#define O4(i) O2(i), O2(i + 2)
#define O8(i) O4(i), O4(i + 4)
#define O12(i) O8(i), O4(i + 8)
#define O32(i) O8(i), O8(i + 8), O8(i + 16), O8(i + 24)
#define O128(i) O32(i), O32(i + 32), O32(i + 64), O32(i + 96)

#define PRODUCT(name, registers)                                                                          \
    __global__ void name(Task task) {                                                                     \
        extern __shared__ __align__(1024) uint4 shared[];                                                 \
        for (int i = threadIdx.x; i < shared_bytes / 16; i += threads) shared[i] = task.image[i];         \
        unsigned d[registers], a[4];                                                                      \
        for (int i = 0; i < registers; ++i) d[i] = task.c[threadIdx.x + threads * i];                     \
        for (int i = 0; i < 4; ++i) a[i] = task.a[threadIdx.x + threads * i];                             \
        const unsigned metadata = task.metadata[threadIdx.x];                                             \
        asm volatile("fence.proxy.async;" ::: "memory");                                                  \
        __syncthreads();                                                                                  \
        const unsigned long long start = __cvta_generic_to_shared(shared) >> 4;                           \
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                           \
        multiply_##name(d, a, metadata, task.descriptor_a + start, task.descriptor_b + start, task.adds); \
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                    \
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                                    \
        for (int i = 0; i < registers; ++i) task.d[threadIdx.x + threads * i] = d[i];                     \
    }

#define OPERANDS unsigned *d, unsigned *a, unsigned metadata, unsigned long long a_at, unsigned long long b_at, int adds
/// Operands of D are 0 to R - 1; A, B and the other operands follow.
#define SS(name, R, p0, p1, p2, text, rest)                                                                                       \
    __device__ void multiply_##name(OPERANDS) {                                                                                   \
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %" p2 ", 0;\n wgmma.mma_async.sync.aligned." text " " D##R ", %" p0 ", %" p1 \
                                                                                                                ", p" rest ";\n}" \
                     : O##R(0)                                                                                                    \
                     : "l"(a_at), "l"(b_at), "r"(adds));                                                                          \
    }                                                                                                                             \
    PRODUCT(name, R)
#define RS(name, R, p0, p1, p2, p3, p4, p5, text, rest)                                                         \
    __device__ void multiply_##name(OPERANDS) {                                                                 \
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %" p5 ", 0;\n wgmma.mma_async.sync.aligned." text " " D##R \
                     ", {%" p0 ",%" p1 ",%" p2 ",%" p3 "}, %" p4 ", p" rest ";\n}"                              \
                     : O##R(0)                                                                                  \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b_at), "r"(adds));                       \
    }                                                                                                           \
    PRODUCT(name, R)
#define SPARSE(name, R, p0, p1, p2, p3, text, selector, rest)                                                      \
    __device__ void multiply_##name(OPERANDS) {                                                                    \
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %" p3 ", 0;\n wgmma.mma_async.sp.sync.aligned." text " " D##R \
                     ", %" p0 ", %" p1 ", %" p2 ", " selector ", p" rest ";\n}"                                    \
                     : O##R(0)                                                                                     \
                     : "l"(a_at), "l"(b_at), "r"(metadata), "r"(adds));                                            \
    }                                                                                                              \
    PRODUCT(name, R)

SS(f16_kk, 4, "4", "5", "6", "m64n8k16.f32.f16.f16", ", 1, 1, 0, 0")
SS(f16_km, 4, "4", "5", "6", "m64n8k16.f32.f16.f16", ", -1, 1, 0, 1")
SS(f16_mk, 4, "4", "5", "6", "m64n8k16.f32.f16.f16", ", 1, -1, 1, 0")
SS(f16_mm, 12, "12", "13", "14", "m64n24k16.f32.f16.f16", ", -1, -1, 1, 1")
SS(bf16_mm, 128, "128", "129", "130", "m64n256k16.f32.bf16.bf16", ", 1, 1, 1, 1")
SS(bf16_kk, 128, "128", "129", "130", "m64n256k16.f32.bf16.bf16", ", 1, 1, 0, 0")
SS(f16_f16, 4, "4", "5", "6", "m64n16k16.f16.f16.f16", ", 1, 1, 0, 1")
SS(tf32_kk, 4, "4", "5", "6", "m64n8k8.f32.tf32.tf32", ", 1, -1")
SS(e4m3_kk, 8, "8", "9", "10", "m64n16k32.f32.e4m3.e5m2", ", 1, 1")
SS(e5m2_f16, 2, "2", "3", "4", "m64n8k32.f16.e5m2.e4m3", ", -1, 1")
SS(s8_kk, 12, "12", "13", "14", "m64n24k32.s32.s8.u8", "")
SS(b1_kk, 4, "4", "5", "6", "m64n8k256.s32.b1.b1.and.popc", "")
RS(f16_rk, 4, "4", "5", "6", "7", "8", "9", "m64n8k16.f32.f16.f16", ", 1, 1, 0")
RS(bf16_rm, 12, "12", "13", "14", "15", "16", "17", "m64n24k16.f32.bf16.bf16", ", 1, -1, 1")
RS(tf32_rk, 4, "4", "5", "6", "7", "8", "9", "m64n8k8.f32.tf32.tf32", ", 1, 1")
RS(u8_rk, 4, "4", "5", "6", "7", "8", "9", "m64n8k32.s32.u8.s8.satfinite", "")
SPARSE(f16_s0, 4, "4", "5", "6", "7", "m64n8k32.f32.f16.f16", "0", ", 1, 1, 0, 0")
SPARSE(f16_s1, 8, "8", "9", "10", "11", "m64n16k32.f32.f16.f16", "1", ", 1, 1, 0, 1")
SPARSE(tf32_s1, 4, "4", "5", "6", "7", "m64n8k16.f32.tf32.tf32", "1", ", 1, 1")
SPARSE(e4m3_s, 4, "4", "5", "6", "7", "m64n8k64.f32.e4m3.e4m3", "0", ", 1, 1")
SPARSE(s8_s, 4, "4", "5", "6", "7", "m64n8k64.s32.s8.s8", "0", "")

enum class Swizzle { none, bytes_128, bytes_64, bytes_32 };

/// A variant: its types, its shape, and the places of its factors.
struct Variant {
    const char* name;
    void (*kernel)(Task);
    int n, k;
    Type a, b, d;
    double sign = 1;
    bool transposed_a = false, transposed_b = false, a_in_registers = false;
    int selector = -1;
};

/// A factor in the image of shared memory: core matrices at distances, with room between them.
struct Layout {
    Swizzle swizzle;
    bool transposed;
    int start, leading, stride, base;

    unsigned long long descriptor() const {
        return static_cast<unsigned long long>(start >> 4) | static_cast<unsigned long long>(leading >> 4) << 16 |
               static_cast<unsigned long long>(stride >> 4) << 32 | static_cast<unsigned long long>(base) << 49 |
               static_cast<unsigned long long>(swizzle) << 62;
    }
    int width() const {
        return swizzle == Swizzle::none ? 16 : swizzle == Swizzle::bytes_32 ? 32 : swizzle == Swizzle::bytes_64 ? 64 : 128;
    }
    /// The byte of an element of `bits` bits in the row or column `line`, at `along` of K.
    int byte(int line, int along, int bits) const {
        const int inner = (transposed ? line : along) * bits / 8, outer = transposed ? along : line;
        int at = start + outer % 8 * width() + inner % width();
        // Without a swizzle the two distances of a transposed factor change places.
        const bool exchanged = transposed && swizzle == Swizzle::none;
        at += outer / 8 * (exchanged ? leading : stride) + inner / width() * (exchanged ? stride : leading);
        const int row = (at - base * 128) / 128;
        return at ^ (row % (width() / 16)) * 16;
    }
};

int errors = 0;

/// Lays out a factor of `lines` × `k` at `start`; returns where it ends.
Layout make_layout(Swizzle swizzle, bool transposed, int start, int lines, int k, int bits, int base, int& end) {
    Layout layout{swizzle, transposed, start, 0, 0, base};
    const int inner = (transposed ? lines : k) * bits / 8 / layout.width(), outer = (transposed ? k : lines) / 8, core = 8 * layout.width();
    // Core matrices stand side by side along the inner direction, with a gap behind the last if there is room for it.
    const int near = swizzle == Swizzle::none ? core + 16 * (std::rand() / 8 % 3) : core,
              far = near * std::max(inner, 1) + (outer > 8 ? 0 : core);
    const bool exchanged = transposed && swizzle == Swizzle::none;
    layout.leading = exchanged ? far : near;
    layout.stride = exchanged ? near : far;
    end = start + far * std::max(outer, 1) + near;
    return layout;
}

void put(std::vector<unsigned char>& image, const Layout& layout, int line, int along, int bits, unsigned long long value) {
    unsigned char* at = &image[layout.byte(line, along, bits)];
    if (bits == 1) *at = static_cast<unsigned char>(*at | value << along % 8);
    else std::memcpy(at, &value, bits / 8);
}

int index_of_register_a(int row, int along, int bits, int& place) {
    const int wide = 32 / bits, chunk = along / wide, in_group = chunk % 4;
    place = along % wide * bits;
    return row / 16 * 32 + row % 8 * 4 + in_group + threads * (row % 16 / 8 + 2 * (chunk / 4));
}

/// Register and place of an element of D.
int index_of_register_d(int row, int column, bool halves, int& place) {
    const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2, upper = row % 16 / 8;
    place = halves ? column % 2 * 16 : 0;
    return thread + threads * (halves ? column / 8 * 2 + upper : column / 8 * 4 + upper * 2 + column % 2);
}

/// The thread and the first bit of the four bits of metadata for a chunk of a row.
int place_of_metadata(int chunks, int selector, int row, int chunk, int& bit) {
    const int group = row / 16 * 32 + row % 8 * 4, upper = row % 16 / 8;
    bit = chunks == 8 ? 16 * upper + 4 * (chunk % 4) : 4 * (chunk % 8);
    return chunks == 8 ? group + 2 * selector + chunk / 4 : group + 2 * (chunk / 8) + upper;
}

struct Inputs {
    std::vector<unsigned char> image = std::vector<unsigned char>(shared_bytes);
    std::vector<unsigned> a = std::vector<unsigned>(4 * threads), metadata = std::vector<unsigned>(threads),
                          c = std::vector<unsigned>(most_registers * threads);
    std::vector<double> a_values, b_values, c_values;
    Layout layout_a{}, layout_b{};
};

void fill_a(const Variant& variant, Inputs& inputs) {
    const int bits = bits_of(variant.a), stored_k = variant.selector < 0 ? variant.k : variant.k / 2;
    std::vector<double> stored(64 * stored_k);
    for (int row = 0; row < 64; ++row)
        for (int i = 0; i < stored_k; ++i) {
            const unsigned long long value = random_bits(variant.a);
            stored[row * stored_k + i] = variant.sign * value_of(variant.a, value);
            int place;
            const int reg = index_of_register_a(row, i, bits, place);
            if (variant.a_in_registers) inputs.a[reg] |= static_cast<unsigned>(value) << place;
            else put(inputs.image, inputs.layout_a, row, i, bits, value);
        }
    inputs.a_values = stored;
    if (variant.selector < 0) return;
    const int in_chunk = bits == 32 ? 2 : 4, chunks = variant.k / in_chunk;
    inputs.a_values.assign(64 * variant.k, 0);
    for (int row = 0; row < 64; ++row)
        for (int chunk = 0; chunk < chunks; ++chunk) {
            constexpr unsigned ordered[] = {0x4, 0x8, 0xC, 0x9, 0xD, 0xE};
            const unsigned kept = bits == 32 ? (std::rand() & 8 ? 0x4 : 0xE) : ordered[std::rand() / 8 % 6];
            int bit;
            const int thread = place_of_metadata(chunks, variant.selector, row, chunk, bit);
            inputs.metadata[thread] |= kept << bit;
            const double* from = &stored[row * stored_k + chunk * in_chunk / 2];
            double* to = &inputs.a_values[row * variant.k + chunk * in_chunk];
            if (bits == 32) to[(kept & 3) / 2] = from[0];
            else to[kept & 3] = from[0], to[kept >> 2] = from[1];
        }
}

void fill_b_and_c(const Variant& variant, Inputs& inputs, bool adds) {
    const int bits = bits_of(variant.b), n = variant.n;
    inputs.b_values.resize(variant.k * n);
    for (int i = 0; i < variant.k; ++i)
        for (int column = 0; column < n; ++column) {
            const unsigned long long value = random_bits(variant.b);
            inputs.b_values[i * n + column] = value_of(variant.b, value);
            put(inputs.image, inputs.layout_b, column, i, bits, value);
        }
    inputs.c_values.resize(64 * n);
    for (int row = 0; row < 64; ++row)
        for (int column = 0; column < n; ++column) {
            const unsigned long long value = random_bits(variant.d);
            int place;
            const int reg = index_of_register_d(row, column, variant.d == Type::f16, place);
            inputs.c[reg] |= static_cast<unsigned>(value) << place;
            inputs.c_values[row * n + column] = adds ? value_of(variant.d, value) : 0;
        }
}

std::vector<unsigned> run(const Variant& variant, const Inputs& inputs, bool adds) {
    unsigned* memory;
    const std::size_t words = shared_bytes / 4, a = words, metadata = a + 4 * threads, c = metadata + threads,
                      d = c + most_registers * threads;
    cudaMalloc(&memory, (d + most_registers * threads) * 4);
    const auto copy = [&](std::size_t at, const void* from, std::size_t bytes) { cudaMemcpy(memory + at, from, bytes, cudaMemcpyDefault); };
    copy(0, inputs.image.data(), shared_bytes);
    copy(a, inputs.a.data(), inputs.a.size() * 4);
    copy(metadata, inputs.metadata.data(), inputs.metadata.size() * 4);
    copy(c, inputs.c.data(), inputs.c.size() * 4);
    variant.kernel<<<1, threads, shared_bytes>>>({reinterpret_cast<const uint4*>(memory), memory + a, memory + metadata, memory + c,
                                                  memory + d, inputs.layout_a.descriptor(), inputs.layout_b.descriptor(), adds});
    std::vector<unsigned> results(most_registers * threads);
    const cudaError_t error = cudaMemcpy(results.data(), memory + d, results.size() * 4, cudaMemcpyDefault);
    if (error != cudaSuccess) std::printf("%s: %s\n", variant.name, cudaGetErrorString(error)), ++errors;
    cudaFree(memory);
    return results;
}

/// @param base rows by which patterns are moved away from their natural place
/// @param advance bytes by which factors begin behind the begin of a row: a step along K, as loops over K make it
void test(const Variant& variant, Swizzle swizzle_a, Swizzle swizzle_b, bool adds, int base = 0, int advance = 0) {
    Inputs inputs;
    const int stored_k = variant.selector < 0 ? variant.k : variant.k / 2;
    int end = 0;
    inputs.layout_a =
        make_layout(swizzle_a, variant.transposed_a, 1024 + base * 128 + advance, 64, stored_k, bits_of(variant.a), base, end);
    inputs.layout_b = make_layout(swizzle_b, variant.transposed_b, (end + 1023) / 1024 * 1024 + base * 128 + advance, variant.n, variant.k,
                                  bits_of(variant.b), base, end);
    if (end > shared_bytes) std::printf("%s: too much for shared memory\n", variant.name), std::exit(2);
    fill_a(variant, inputs);
    fill_b_and_c(variant, inputs, adds);
    const std::vector<unsigned> results = run(variant, inputs, adds);
    std::vector<double> d(64 * variant.n);
    for (int row = 0; row < 64; ++row)
        for (int column = 0; column < variant.n; ++column) {
            int place;
            const int reg = index_of_register_d(row, column, variant.d == Type::f16, place);
            const unsigned bits = results[reg] >> place;
            d[row * variant.n + column] = value_of(variant.d, variant.d == Type::f16 ? bits & 0xFFFF : bits);
        }
    const std::string name = std::string(variant.name) + ", swizzles " + std::to_string(static_cast<int>(swizzle_a)) + " and " +
                             std::to_string(static_cast<int>(swizzle_b)) + ", base " + std::to_string(base) + ", advance " +
                             std::to_string(advance);
    // A GPU adds products of 8-bit numbers with fewer bits than single precision has.
    const bool adds_coarsely = variant.d == Type::f32 && bits_of(variant.a) == 8;
    errors += count_errors(name.c_str(), 64, variant.n, variant.k, inputs.a_values, inputs.b_values, inputs.c_values, d,
                           adds_coarsely ? Type::f16 : variant.d);
}

int main() {
    using enum Type;
    const Variant variants[] = {{"f16_kk", f16_kk, 8, 16, f16, f16, f32},
                                {"f16_km", f16_km, 8, 16, f16, f16, f32, -1, false, true},
                                {"f16_mk", f16_mk, 8, 16, f16, f16, f32, -1, true, false},
                                {"f16_mm", f16_mm, 24, 16, f16, f16, f32, 1, true, true},
                                {"bf16_mm", bf16_mm, 256, 16, bf16, bf16, f32, 1, true, true},
                                {"bf16_kk", bf16_kk, 256, 16, bf16, bf16, f32},
                                {"f16_f16", f16_f16, 16, 16, f16, f16, f16, 1, false, true},
                                {"tf32_kk", tf32_kk, 8, 8, tf32, tf32, f32, -1},
                                {"e4m3_kk", e4m3_kk, 16, 32, e4m3, e5m2, f32},
                                {"e5m2_f16", e5m2_f16, 8, 32, e5m2, e4m3, f16, -1},
                                {"s8_kk", s8_kk, 24, 32, s8, u8, s32},
                                {"b1_kk", b1_kk, 8, 256, b1, b1, s32},
                                {"f16_rk", f16_rk, 8, 16, f16, f16, f32, 1, false, false, true},
                                {"bf16_rm", bf16_rm, 24, 16, bf16, bf16, f32, -1, false, true, true},
                                {"tf32_rk", tf32_rk, 8, 8, tf32, tf32, f32, 1, false, false, true},
                                {"u8_rk", u8_rk, 8, 32, u8, s8, s32, 1, false, false, true},
                                {"f16_s0", f16_s0, 8, 32, f16, f16, f32, 1, false, false, false, 0},
                                {"f16_s1", f16_s1, 16, 32, f16, f16, f32, 1, false, true, false, 1},
                                {"tf32_s1", tf32_s1, 8, 16, tf32, tf32, f32, 1, false, false, false, 1},
                                {"e4m3_s", e4m3_s, 8, 64, e4m3, e4m3, f32, 1, false, false, false, 0},
                                {"s8_s", s8_s, 8, 64, s8, s8, s32, 1, false, false, false, 0}};
    constexpr Swizzle swizzles[] = {Swizzle::none, Swizzle::bytes_128, Swizzle::bytes_64, Swizzle::bytes_32};
    for (const Variant& variant : variants) {
        cudaFuncSetAttribute(variant.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
        for (const Swizzle a : swizzles)
            for (const Swizzle b : swizzles) test(variant, a, b, (std::rand() & 8) != 0);
        for (const int base : {1, 2, 5}) test(variant, Swizzle::bytes_128, Swizzle::bytes_128, true, base);
        if (!variant.transposed_a && !variant.transposed_b)
            for (const int advance : {32, 64}) test(variant, Swizzle::bytes_128, Swizzle::bytes_128, true, 0, advance);
    }
    std::printf(errors ? "%d errors\n" : "ok\n", errors);
    return errors != 0;
}
