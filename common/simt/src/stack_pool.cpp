// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "stack_pool.hpp"

#include <sys/mman.h>

#include <stdexcept>

namespace simt::detail {

StackPool::StackPool(int slots) : bytes_(static_cast<std::size_t>(slots) * (stack_bytes + guard_bytes))
{
    void* range = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) throw std::runtime_error("the counting model cannot reserve stacks for the threads of a block");
    begin_ = reinterpret_cast<std::uint64_t>(range);
    for (int slot = 0; slot < slots; ++slot)
        mprotect(reinterpret_cast<void*>(begin_ + static_cast<std::size_t>(slot) * (stack_bytes + guard_bytes)), guard_bytes,
                 PROT_NONE);
}

StackPool::~StackPool() { munmap(reinterpret_cast<void*>(begin_), bytes_); }

boost::context::stack_context StackPool::stack(int slot) const
{
    boost::context::stack_context context;
    context.size = stack_bytes;
    context.sp = reinterpret_cast<void*>(begin_ + static_cast<std::size_t>(slot + 1) * (stack_bytes + guard_bytes));
    return context;
}

}  // namespace simt::detail
