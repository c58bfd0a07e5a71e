// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "shared_arena.hpp"

#include <sys/mman.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "simt/model.hpp"

namespace simt::detail {

SharedArena& SharedArena::instance()
{
    static SharedArena arena;
    return arena;
}

SharedArena::SharedArena()
{
    void* memory = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("the counting model cannot map its shared memory");
    begin_ = reinterpret_cast<std::uint64_t>(memory);
}

void SharedArena::begin_launch(std::size_t dynamic_bytes, std::size_t capacity)
{
    used_ = dynamic_bytes;
    capacity_ = capacity;
    variables_.clear();
}

void SharedArena::begin_block() { std::memset(reinterpret_cast<void*>(begin_), 0xCD, used_); }

void* SharedArena::variable(const void* declaration, std::size_t bytes, std::size_t alignment)
{
    for (const Variable& variable : variables_)
        if (variable.declaration == declaration) return reinterpret_cast<void*>(begin_ + variable.offset);

    const std::size_t offset = (used_ + alignment - 1) / alignment * alignment;
    if (offset + bytes > capacity_)
        throw KernelError("the block needs " + std::to_string(offset + bytes) + " bytes of shared memory; the machine has " +
                          std::to_string(capacity_));
    std::memset(reinterpret_cast<void*>(begin_ + used_), 0xCD, offset + bytes - used_);
    used_ = offset + bytes;
    variables_.push_back({declaration, offset});
    return reinterpret_cast<void*>(begin_ + offset);
}

}  // namespace simt::detail
