// Asks the compiler for different code of a kernel's function.

__attribute__((noinline, no_sanitize("thread"))) __device__ float uncounted(const float* memory) { return memory[threadIdx.x]; }

__global__ void read_all(float* memory)
{
    memory[threadIdx.x] = uncounted(memory);
}

GRADED_DECLARATION
{
    float* memory;
    cudaMalloc(&memory, 4096);
    read_all<<<1, 32>>>(memory);
}
