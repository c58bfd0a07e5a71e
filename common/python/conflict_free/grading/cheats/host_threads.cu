// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Starts threads without end.

#include <cuda_runtime.h>

extern "C" int pthread_create(unsigned long*, const void*, void* (*)(void*), void*);

GRADED_DECLARATION
{
    unsigned long thread;
    for (;;) pthread_create(&thread, nullptr, [](void* nothing) { for (;;); return nothing; }, nullptr);
}
