// Launches a function that is no kernel, so that it would run on the host.

static void work(float* memory) { memory[threadIdx.x] = 1; }

GRADED_DECLARATION
{
    float* memory;
    cudaMalloc(&memory, 4096);
    work<<<1, 32>>>(memory);
}
