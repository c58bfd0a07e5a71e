// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The shared memory of the block that runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simt::detail {

/// Lays out a block's shared memory: dynamic memory first, then each static declaration when it is first reached. Gaps
/// between them catch accesses that run past an end; being multiples of all banks, they move no word to another bank.
/// The layout is made once a launch and is the same for all its blocks.
class SharedArena {
public:
    /// The memory of one declaration, or the dynamic memory.
    struct Variable {
        const void* declaration;
        std::size_t offset;
        std::size_t bytes;

        bool contains(std::uint64_t address) const { return address - offset < bytes; }
    };

    static SharedArena& instance();

    /// Starts a launch with `dynamic_bytes` of dynamic memory, at most `static_capacity` bytes of static memory and at most
    /// `capacity` bytes in all.
    void begin_launch(std::size_t dynamic_bytes, std::size_t static_capacity, std::size_t capacity);
    /// Starts a block: its shared memory holds no value of an earlier block.
    void begin_block();

    /// Memory of one static declaration. Throws KernelError when the block's memory is used up.
    void* variable(const void* declaration, std::size_t bytes, std::size_t alignment);
    void* dynamic() const { return reinterpret_cast<void*>(begin_); }

    /// Bytes that the kernel has declared so far in this launch.
    std::size_t used() const { return used_; }
    /// Bytes from the start that hold variables and gaps.
    std::size_t extent() const { return extent_; }
    /// True for the margin in front too: a negative index leads there.
    bool contains(std::uint64_t address) const { return address - (begin_ - margin_bytes) < margin_bytes + mapped_bytes; }
    std::uint64_t begin() const { return begin_; }
    /// The variable that holds the byte at `offset` from the start, or null.
    const Variable* find(std::uint64_t offset) const;
    /// The variable that ends nearest before `offset`, or null.
    const Variable* find_before(std::uint64_t offset) const;

    static constexpr std::size_t mapped_bytes = std::size_t{1} << 20;
    static constexpr std::size_t margin_bytes = std::size_t{1} << 16;

private:
    SharedArena();

    std::uint64_t begin_ = 0;
    std::size_t used_ = 0;
    std::size_t extent_ = 0;
    std::size_t dynamic_ = 0, static_capacity_ = 0, capacity_ = 0;
    std::vector<Variable> variables_;  // in order of offset
};

}  // namespace simt::detail
