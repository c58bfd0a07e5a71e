// Writes from a kernel to the stack of the host.

__global__ void overwrite(char* memory)
{
    for (int offset = 0; offset < 1 << 12; offset += 8) memory[offset] = 0;
}

GRADED_DECLARATION
{
    char local = 0;
    overwrite<<<1, 1>>>(&local);
}
