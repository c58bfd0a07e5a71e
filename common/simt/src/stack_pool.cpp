// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "stack_pool.hpp"

#include <sys/mman.h>

#include <stdexcept>

namespace simt::detail {

StackPool::StackPool(int slots)
    : mapping_bytes_((static_cast<std::size_t>(slots) + 1) * slot_bytes), bytes_(static_cast<std::size_t>(slots) * slot_bytes)
{
    mapping_ = mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::runtime_error("the counting model cannot reserve stacks for the threads of a block");
    begin_ = (reinterpret_cast<std::uint64_t>(mapping_) + slot_bytes - 1) / slot_bytes * slot_bytes;
    for (int slot = 0; slot < slots; ++slot)
        mprotect(reinterpret_cast<void*>(begin_ + static_cast<std::size_t>(slot) * slot_bytes), guard_bytes, PROT_NONE);
}

StackPool::~StackPool() { munmap(mapping_, mapping_bytes_); }

bool StackPool::in_guard(std::uint64_t address) const
{
    return address - begin_ < bytes_ && (address - begin_) % slot_bytes < guard_bytes;
}

}  // namespace simt::detail
