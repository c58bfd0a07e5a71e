// Writes packets to the judge that no library would write.

#include <cstddef>

extern "C" long send(int, const void*, std::size_t, int);

GRADED_DECLARATION
{
    const unsigned message[] = {0x12345678, 12, 1, 2, 3};
    for (int descriptor = 3; descriptor < 256; ++descriptor) send(descriptor, message, sizeof message, 0);
    cudaDeviceSynchronize();
    void* memory;
    cudaMalloc(&memory, 4096);
}
