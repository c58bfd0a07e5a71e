// Computes in host code on device memory, where no access would be counted.

GRADED_DECLARATION
{
    float* memory;
    cudaMalloc(&memory, 4096);
    for (int i = 0; i < 1024; ++i) memory[i] = i;
}
