// Starts threads without end.

#include <cuda_runtime.h>

extern "C" int pthread_create(unsigned long*, const void*, void* (*)(void*), void*);

GRADED_DECLARATION
{
    unsigned long thread;
    for (;;) pthread_create(&thread, nullptr, [](void* nothing) { for (;;); return nothing; }, nullptr);
}
