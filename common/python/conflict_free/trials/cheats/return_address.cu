// Overwrites the return address of its own function.

#include <cuda_runtime.h>

GRADED_DECLARATION
{
    volatile long locals[4] = {};
    volatile long* volatile place = locals;
    for (int i = 0; i < 64; ++i) place[i] = 0x401000;
}
