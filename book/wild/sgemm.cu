// A host program for three kernels of SGEMM_CUDA, for the page Found in the wild: matrices of 256 x 256 floats.

#include "kernels/6_kernel_vectorize.cuh"
#include "kernels/7_kernel_resolve_bank_conflicts.cuh"
#include "kernels/8_kernel_bank_extra_col.cuh"

int main() {
    const int n = 256;
    float *a, *b, *c;
    for (float** matrix : {&a, &b, &c}) {
        cudaMalloc(matrix, n * n * sizeof(float));
        cudaMemset(*matrix, 0, n * n * sizeof(float));
    }
    const dim3 grid(n / 128, n / 128);
    sgemmVectorize<128, 128, 8, 8, 8><<<grid, 256>>>(n, n, n, 1, a, b, 0, c);
    sgemmResolveBankConflicts<128, 128, 8, 8, 8><<<grid, 256>>>(n, n, n, 1, a, b, 0, c);
    sgemmResolveBankExtraCol<128, 128, 8, 8, 8><<<grid, 256>>>(n, n, n, 1, a, b, 0, c);
    return cudaDeviceSynchronize() != cudaSuccess;
}
