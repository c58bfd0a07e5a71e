// nvcuda::wmma in every shape, layout and type, through shared and global memory, against a product in double precision.

#include <mma.h>

#include "../device_array.cuh"
#include "mma_reference.cuh"

using namespace nvcuda;

int errors = 0;

template <class T> struct Describe;
#define DESCRIBE(T, STORAGE, TYPE)               \
    template <> struct Describe<T> {             \
        using Storage = STORAGE;                 \
        static constexpr Type type = Type::TYPE; \
    };
DESCRIBE(__half, __half, f16)
DESCRIBE(__nv_bfloat16, __nv_bfloat16, bf16)
DESCRIBE(wmma::precision::tf32, float, tf32)
DESCRIBE(signed char, signed char, s8)
DESCRIBE(unsigned char, unsigned char, u8)
DESCRIBE(double, double, f64)
DESCRIBE(float, float, f32)
DESCRIBE(int, int, s32)

template <class Layout> constexpr bool is_row = std::is_same_v<Layout, wmma::row_major>;

/// Leading dimensions are longer than the lines, so that a mistake in one shows.
constexpr int pad = 16;

template <int M, int N, int K, class T, class R, class LayoutA, class LayoutB, bool through_shared>
__global__ void product(const typename Describe<T>::Storage* a, const typename Describe<T>::Storage* b, const R* c, R* d, bool c_by_rows) {
    using Storage = typename Describe<T>::Storage;
    constexpr int lda = (is_row<LayoutA> ? K : M) + pad, ldb = (is_row<LayoutB> ? N : K) + pad;
    constexpr int size_a = lda * (is_row<LayoutA> ? M : K), size_b = ldb * (is_row<LayoutB> ? K : N);
    const int ldc = (c_by_rows ? N : M) + pad, size_c = ldc * (c_by_rows ? M : N);
    wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, R> fc;
    const auto order = c_by_rows ? wmma::mem_row_major : wmma::mem_col_major;
    if constexpr (through_shared) {
        __shared__ alignas(128) Storage sa[size_a], sb[size_b];
        __shared__ alignas(128) R sc[(32 + pad) * 32];
        for (int i = threadIdx.x; i < size_a; i += 32) sa[i] = a[i];
        for (int i = threadIdx.x; i < size_b; i += 32) sb[i] = b[i];
        for (int i = threadIdx.x; i < size_c; i += 32) sc[i] = c[i];
        __syncwarp();
        wmma::load_matrix_sync(fa, sa, lda);
        wmma::load_matrix_sync(fb, sb, ldb);
        wmma::load_matrix_sync(fc, sc, ldc, order);
        wmma::mma_sync(fc, fa, fb, fc);
        __syncwarp();
        wmma::store_matrix_sync(sc, fc, ldc, order);
        __syncwarp();
        for (int i = threadIdx.x; i < size_c; i += 32) d[i] = sc[i];
    } else {
        wmma::load_matrix_sync(fa, a, lda);
        wmma::load_matrix_sync(fb, b, ldb);
        wmma::load_matrix_sync(fc, c, ldc, order);
        wmma::mma_sync(fc, fa, fb, fc);
        wmma::store_matrix_sync(d, fc, ldc, order);
    }
}

/// A matrix in memory and its values row by row.
template <class Storage> struct Memory {
    int rows, columns, leading;
    bool by_rows;
    Type type;
    std::vector<Storage> elements;
    std::vector<double> values;
    Storage* device = nullptr;

    Memory(Type of, int r, int c, bool row_major) : rows(r), columns(c), leading((row_major ? c : r) + pad), by_rows(row_major), type(of) {
        elements.resize(leading * (by_rows ? rows : columns));
        values.resize(rows * columns);
        for (auto& element : elements) element = from_bits<Storage>(random_bits(type));
        cudaMalloc(&device, elements.size() * sizeof(Storage));
        cudaMemcpy(device, elements.data(), elements.size() * sizeof(Storage), cudaMemcpyDefault);
        find_values();
    }
    ~Memory() { cudaFree(device); }
    void find_values() {
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j)
                values[i * columns + j] = value_of(type, to_bits(elements[by_rows ? i * leading + j : j * leading + i]));
    }
    void download() {
        cudaMemcpy(elements.data(), device, elements.size() * sizeof(Storage), cudaMemcpyDefault);
        find_values();
    }
};

template <int M, int N, int K, class T, class R, class LayoutA, class LayoutB, bool through_shared>
void test_one(const char* name, bool c_by_rows) {
    using Storage = typename Describe<T>::Storage;
    Memory<Storage> a(Describe<T>::type, M, K, is_row<LayoutA>), b(Describe<T>::type, K, N, is_row<LayoutB>);
    Memory<R> c(Describe<R>::type, M, N, c_by_rows), d(Describe<R>::type, M, N, c_by_rows);
    product<M, N, K, T, R, LayoutA, LayoutB, through_shared><<<1, 32>>>(a.device, b.device, c.device, d.device, c_by_rows);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s: %s\n", name, cudaGetErrorString(error)), ++errors;
    d.download();
    char whole[200];
    std::snprintf(whole, sizeof whole, "%s m%dn%dk%d %s %s %s %s", name, M, N, K, is_row<LayoutA> ? "row" : "col",
                  is_row<LayoutB> ? "row" : "col", c_by_rows ? "row" : "col", through_shared ? "shared" : "global");
    errors += count_errors(whole, M, N, K, a.values, b.values, c.values, d.values, Describe<R>::type);
}

template <int M, int N, int K, class T, class R> void test(const char* name) {
    for (const bool c_by_rows : {true, false}) {
        test_one<M, N, K, T, R, wmma::row_major, wmma::col_major, true>(name, c_by_rows);
        test_one<M, N, K, T, R, wmma::col_major, wmma::row_major, true>(name, c_by_rows);
        test_one<M, N, K, T, R, wmma::row_major, wmma::col_major, false>(name, c_by_rows);
        test_one<M, N, K, T, R, wmma::col_major, wmma::row_major, false>(name, c_by_rows);
    }
}

/// Elements of a fragment may be changed one by one, whatever their places.
__global__ void scale(float* to, const __half* from) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.0f);
    wmma::load_matrix_sync(fa, from, 16);
    wmma::load_matrix_sync(fb, from + 256, 16);
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = fa.x[i] * __float2half(2);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 3;
    wmma::store_matrix_sync(to, fc, 16, wmma::mem_row_major);
}

void test_scale() {
    std::vector<__half> from(512, __float2half(0));
    for (int i = 0; i < 256; ++i) from[i] = __float2half(i % 7);
    for (int i = 0; i < 16; ++i) from[256 + 17 * i] = __float2half(1);
    const DeviceArray<__half> in(from);
    const DeviceArray<float> out(256);
    scale<<<1, 32>>>(out, in);
    const std::vector<float> got = out.host();
    for (int i = 0; i < 256; ++i)
        if (got[i] != 3 * (1 + 2 * (i % 7)) && ++errors < 9) std::printf("scaled element %d is %g\n", i, got[i]);
}

int main() {
    test<16, 16, 16, __half, float>("f16 f32");
    test<32, 8, 16, __half, float>("f16 f32");
    test<8, 32, 16, __half, float>("f16 f32");
    test<16, 16, 16, __half, __half>("f16 f16");
    test<32, 8, 16, __half, __half>("f16 f16");
    test<8, 32, 16, __half, __half>("f16 f16");
    test<16, 16, 16, __nv_bfloat16, float>("bf16 f32");
    test<32, 8, 16, __nv_bfloat16, float>("bf16 f32");
    test<8, 32, 16, __nv_bfloat16, float>("bf16 f32");
    test<16, 16, 8, wmma::precision::tf32, float>("tf32 f32");
    test<8, 8, 4, double, double>("f64 f64");
    test<16, 16, 16, signed char, int>("s8 s32");
    test<32, 8, 16, signed char, int>("s8 s32");
    test<8, 32, 16, unsigned char, int>("u8 s32");
    test_scale();
    std::printf(errors ? "%d errors\n" : "ok\n", errors);
    return errors != 0;
}
