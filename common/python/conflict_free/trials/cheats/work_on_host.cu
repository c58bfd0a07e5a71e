// Computes in host code on memory of the device, where nothing would be counted.

GRADED_DECLARATION
{
    float* memory;
    cudaMalloc(&memory, 4096);
    for (int i = 0; i < 1024; ++i) memory[i] = i;
}
