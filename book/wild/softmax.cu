// A host program for one kernel of llm.c, for the page Found in the wild: 4 rows of 2048 floats, blocks of 256 threads.
// llm.c's file has a main of its own, which takes long under the model: it checks 400 million results on the CPU.

#define main main_of_llm_c
#include "softmax_forward.cu"
#undef main

int main() {
    const int rows = 4, columns = 2048, threads = 256;
    float *output, *input;
    cudaMalloc(&output, rows * columns * sizeof(float));
    cudaMalloc(&input, rows * columns * sizeof(float));
    cudaMemset(input, 0, rows * columns * sizeof(float));
    softmax_forward_kernel4<<<rows, threads, threads / 32 * sizeof(float)>>>(output, input, rows, columns);
    return cudaDeviceSynchronize() != cudaSuccess;
}
