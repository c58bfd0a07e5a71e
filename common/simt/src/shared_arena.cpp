// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "shared_arena.hpp"

#include <sys/mman.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "session.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t gap_bytes = 256;
constexpr int fill = 0xCD;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

SharedArena& SharedArena::instance()
{
    static SharedArena arena;
    return arena;
}

SharedArena::SharedArena()
{
    void* memory = mmap(nullptr, margin_bytes + mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("the counting model cannot map its shared memory");
    begin_ = reinterpret_cast<std::uint64_t>(memory) + margin_bytes;
}

void SharedArena::begin_launch(std::size_t dynamic_bytes, std::size_t static_capacity, std::size_t capacity)
{
    used_ = extent_ = dynamic_ = dynamic_bytes;
    static_capacity_ = static_capacity;
    capacity_ = capacity;
    variables_.clear();
    if (dynamic_bytes > 0) variables_.push_back({nullptr, 0, dynamic_bytes});
}

void SharedArena::begin_block() { std::memset(reinterpret_cast<void*>(begin_), fill, extent_); }

void* SharedArena::variable(const void* declaration, std::size_t bytes, std::size_t alignment)
{
    for (const Variable& variable : variables_)
        if (variable.declaration == declaration) return reinterpret_cast<void*>(begin_ + variable.offset);

    if (bytes > mapped_bytes || alignment == 0 || alignment > mapped_bytes) throw KernelError("kernel " + current_launch().kernel + " declares shared memory of a size that no block has");
    const std::size_t wanted = round_up(used_, alignment) + bytes;
    const std::size_t offset = variables_.empty() ? 0 : round_up(round_up(extent_, gap_bytes) + gap_bytes, alignment);
    if (wanted - dynamic_ > static_capacity_)
        throw KernelError("kernel " + current_launch().kernel + " declares " + std::to_string(wanted - dynamic_) + " bytes of shared memory; more than " +
                          std::to_string(static_capacity_) + " have to be dynamic");
    if (wanted > capacity_ || offset + bytes > mapped_bytes)
        throw KernelError("a block of kernel " + current_launch().kernel + " needs " + std::to_string(wanted) + " bytes of shared memory; the launch allows " +
                          std::to_string(capacity_));
    std::memset(reinterpret_cast<void*>(begin_ + extent_), fill, offset + bytes - extent_);
    used_ = wanted;
    extent_ = offset + bytes;
    variables_.push_back({declaration, offset, bytes});
    return reinterpret_cast<void*>(begin_ + offset);
}

const SharedArena::Variable* SharedArena::find(std::uint64_t offset) const
{
    for (const Variable& variable : variables_)
        if (variable.contains(offset)) return &variable;
    return nullptr;
}

const SharedArena::Variable* SharedArena::find_before(std::uint64_t offset) const
{
    const Variable* nearest = nullptr;
    for (const Variable& variable : variables_)
        if (variable.offset + variable.bytes <= offset) nearest = &variable;
    return nearest;
}

}  // namespace simt::detail
