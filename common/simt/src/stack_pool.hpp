// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Stacks for the threads of one block, in one range of addresses.
#pragma once

#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <cstdint>

namespace simt::detail {

/// One stack a thread slot, each with an unmapped page at its low end. Being one range, it lets a single comparison tell
/// a thread's local memory from everything else.
class StackPool {
public:
    /// Bytes of a slot, a power of two to which slots are aligned.
    static constexpr std::size_t slot_bytes = std::size_t{256} << 10;
    static constexpr std::size_t guard_bytes = 4096;

    explicit StackPool(int slots);
    ~StackPool();
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;

    /// The stack of a slot, as Boost.Context wants it: `sp` is its high end.
    boost::context::stack_context stack(int slot) const;

    std::uint64_t begin() const { return begin_; }
    std::size_t bytes() const { return bytes_; }
    /// True if `address` lies in the unmapped page of a slot: its thread has used up its stack.
    bool in_guard(std::uint64_t address) const;

private:
    void* mapping_ = nullptr;
    std::size_t mapping_bytes_ = 0;
    std::uint64_t begin_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace simt::detail
