// Right, in C style: unrolled by hand and by macros, in blocks of 128 threads with 8 loads each.

#include <cuda_runtime.h>
#include <stdint.h>

#define THREADS 128
#define LOADS 8
#define BYTE(word, n) atomicAdd(own + (((word) >> (8 * (n))) & 255u), 1u)
#define WORD(word) (BYTE(word, 0), BYTE(word, 1), BYTE(word, 2), BYTE(word, 3))
#define WIDE(v) (WORD((v).x), WORD((v).y), WORD((v).z), WORD((v).w))
#define LOAD(n) uint4 v##n = first + n * THREADS < wides ? body[first + n * THREADS] : none
#define COUNT(n) if (first + n * THREADS < wides) WIDE(v##n)

extern "C" __global__ void histogram_kernel(unsigned* bins, const unsigned char* values, int count, int head, int wides)
{
    __shared__ unsigned own[256];
    const uint4* body = (const uint4*)(values + head);
    const uint4 none = {0, 0, 0, 0};
    int first = blockIdx.x * LOADS * THREADS + threadIdx.x, tail = head + 16 * wides;

    own[threadIdx.x] = own[threadIdx.x + THREADS] = 0;
    __syncthreads();
    LOAD(0); LOAD(1); LOAD(2); LOAD(3);
    LOAD(4); LOAD(5); LOAD(6); LOAD(7);
    COUNT(0); COUNT(1); COUNT(2); COUNT(3);
    COUNT(4); COUNT(5); COUNT(6); COUNT(7);
    if (blockIdx.x == gridDim.x - 1) {
        if (threadIdx.x < head) BYTE(values[threadIdx.x], 0);
        if (threadIdx.x < count - tail) BYTE(values[tail + threadIdx.x], 0);
    }
    __syncthreads();
    atomicAdd(bins + threadIdx.x, own[threadIdx.x]);
    atomicAdd(bins + threadIdx.x + THREADS, own[threadIdx.x + THREADS]);
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    int head = (int)(15 & -(intptr_t)values), wides;
    if (head > count) head = count;
    wides = (count - head) / 16;
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    histogram_kernel<<<wides / (LOADS * THREADS) + 1, THREADS>>>(bins, values, count, head, wides);
}
