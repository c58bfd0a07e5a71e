// Products of cuBLAS, timed and checked as the kernels of the chapters are. scripts/measure --peers stores the text
// between a call's markers with its times.

#include <conflict_free/product_chapter.hpp>

#include "cublas.hpp"
#include "peers.hpp"
#include "prepared.hpp"

using namespace conflict_free;

void cublas_gemm(const Product& p) {
    const cublasHandle_t handle = cublas();
    const float one = 1, zero = 0;
    // cuBLAS stores columns: our rows of C are the columns of its product of B and A.
    // [cublas_gemm]
    CUBLAS_CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &one, p.b, CUDA_R_16BF, p.n, p.a, CUDA_R_16BF, p.k, &zero,
                              p.c, CUDA_R_16BF, p.n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    // [/cublas_gemm]
}

__global__ void to_float(float* to, const __nv_bfloat16* from, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = __bfloat162float(from[i]);
}

__global__ void to_bf16(__nv_bfloat16* to, const float* from, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = __float2bfloat16(from[i]);
}

/// Matrices of floats, and room for their product.
struct Floats { DeviceBuffer<float> a, b, c; };

DeviceBuffer<float> floats(int rows, int columns) {
    return DeviceBuffer<float>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
}

DeviceBuffer<float> as_floats(const __nv_bfloat16* matrix, int rows, int columns) {
    DeviceBuffer<float> made = floats(rows, columns);
    to_float<<<(rows * columns + 255) / 256, 256>>>(made.data(), matrix, rows * columns);
    return made;
}

/// The product of floats without tensor cores. Its result is rounded to bf16 in the timed launch, so that the check can compare it.
void cublas_sgemm(const Product& p) {
    const cublasHandle_t handle = cublas();
    const float one = 1, zero = 0;
    const Floats& f =
        prepared<Floats>(p, [&](Floats& made) { made = {as_floats(p.a, p.m, p.k), as_floats(p.b, p.k, p.n), floats(p.m, p.n)}; });
    // [cublas_sgemm]
    CUBLAS_CHECK(
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &one, f.b.data(), p.n, f.a.data(), p.k, &zero, f.c.data(), p.n));
    to_bf16<<<(p.m * p.n + 255) / 256, 256>>>(p.c, f.c.data(), p.m * p.n);
    // [/cublas_sgemm]
}

int main(int argc, char** argv) {
    Peers<ProductChapter> peers("peers_product", "How fast do libraries multiply matrices of bf16?");
    peers.sizes({{512, 512}, {200, 141}, {72, 33}, {8, 1}});
    peers.gpu_sizes({{8192, 8192}});

    peers.add_baseline({.name = "cublas_gemm", .launch = cublas_gemm, .library = Library{"cuBLAS", cublas_version()}});
    peers.add_baseline(
        {.name = "cublas_sgemm", .launch = cublas_sgemm, .sizes = at_most(8192), .library = Library{"cuBLAS", cublas_version()}});

    return peers.run(argc, argv);
}
