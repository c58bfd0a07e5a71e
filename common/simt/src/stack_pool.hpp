// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Stacks for the threads of one block, in one range of addresses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt::detail {

/// One stack a thread slot, each with an unmapped page at its low end. Being one range, it lets a single comparison tell
/// a thread's local memory from everything else.
class StackPool {
public:
    /// An odd number of pages, or the host's translation buffer, which is indexed by the low bits of a page's number, would
    /// hold few stacks at a time.
    static constexpr std::size_t slot_bytes = std::size_t{260} << 10;
    static constexpr std::size_t guard_bytes = 4096;

    explicit StackPool(int slots);
    ~StackPool();
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;

    /// Low end of the stack of a slot, above its unmapped page, and its size.
    void* low_end(int slot) const { return reinterpret_cast<void*>(slot_begin(slot) + guard_bytes); }
    std::size_t stack_bytes(int slot) const { return slot_bytes - guard_bytes - shift(slot); }
    /// What to take off an address in the stack of a slot, so that the same place of all stacks gives the same number.
    std::uint64_t origin(int slot) const { return slot_begin(slot) - shift(slot); }

    std::uint64_t begin() const { return begin_; }
    std::size_t bytes() const { return bytes_; }
    /// True if `address` lies in the unmapped page of a slot: its thread has used up its stack.
    bool in_guard(std::uint64_t address) const;

private:
    /// Stacks end at different places of a page, or all threads would compete for the same lines of the host's cache.
    /// The step is larger than any alignment that a local variable is likely to ask for, so that frames look alike.
    static constexpr std::size_t shift_step = 256, shifts = 16;
    static std::size_t shift(int slot) { return static_cast<std::size_t>(slot) % shifts * shift_step; }
    std::uint64_t slot_begin(int slot) const { return begin_ + static_cast<std::size_t>(slot) * slot_bytes; }

    void* mapping_ = nullptr;
    std::size_t mapping_bytes_ = 0;
    std::uint64_t begin_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace simt::detail
