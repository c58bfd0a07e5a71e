// Writes past a kernel's local array.

__global__ void overrun(int* sink, int count)
{
    long locals[4] = {0, 1, 2, 3};
    for (int i = 0; i < count; ++i) locals[i] = 0x401000;
    *sink = static_cast<int>(locals[count & 3]);
}

GRADED_DECLARATION
{
    int* sink;
    cudaMalloc(&sink, sizeof(int));
    overrun<<<1, 1>>>(sink, 64);
}
