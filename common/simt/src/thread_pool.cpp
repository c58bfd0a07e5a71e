// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "thread_pool.hpp"

namespace simt::detail {

void ThreadPool::prepare(int count, void (*body)())
{
    for (int slot = 0; slot < count; ++slot) {
        Thread& thread = (*this)[slot];
        if (thread.started) continue;
        start_context(thread.context, stacks_.low_end(slot), stacks_.stack_bytes(slot), body);
        thread.started = true;
        thread.frame_origin = stacks_.origin(slot);
    }
}

void ThreadPool::abandon()
{
    for (Thread& thread : threads_) thread.started = thread.in_kernel = false;
}

}  // namespace simt::detail
