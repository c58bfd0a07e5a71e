// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The modelled device memory: one reserved range of addresses, given out upwards and never twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace simt::detail {

/// One allocation of device memory.
struct Allocation {
    std::uint64_t begin;
    std::size_t bytes;
    bool freed;

    bool contains(std::uint64_t address) const { return address - begin < bytes; }
};

/// Gives out modelled device memory. Every allocation starts at a multiple of `alignment` bytes from a fixed base, and
/// unmapped pages follow it, so that offsets, and with them all counts, are the same in every run.
/// Addresses are not reused: an access to freed memory finds its old allocation.
class DeviceHeap {
public:
    static constexpr std::size_t alignment = std::size_t{1} << 16;

    static DeviceHeap& instance();

    /// Memory of `bytes` bytes filled with 0xCD, or null if the host cannot hold it.
    void* allocate(std::size_t bytes);
    /// Returns memory to the host. False if `pointer` is not the start of a live allocation.
    bool release(void* pointer);
    /// The allocation, live or freed, that holds `address`; null if none does.
    const Allocation* find(std::uint64_t address);
    /// The allocation, live or freed, that starts nearest before `address`; null if none does.
    const Allocation* find_before(std::uint64_t address) const;
    /// The allocation, live or freed, that starts nearest after `address`; null if none does.
    const Allocation* find_after(std::uint64_t address) const;
    /// True if `address` lies in the reserved range, or in the gap before it: an index below 0 leads there.
    bool owns(std::uint64_t address) const { return address - (base_ - alignment) < alignment + reserved_bytes; }
    /// Host memory that further allocations can take, in bytes.
    std::size_t free_bytes() const;
    /// All that allocations may take together, in bytes.
    std::size_t total_bytes() const { return capacity_; }

private:
    DeviceHeap();

    static constexpr std::size_t reserved_bytes = std::size_t{1} << 43;

    std::uint64_t base_ = 0;
    std::uint64_t next_ = 0;
    std::size_t capacity_ = 0;
    std::size_t used_ = 0;
    std::vector<Allocation> allocations_;  // sorted by begin, because addresses only grow
    std::size_t last_found_ = 0;
};

}  // namespace simt::detail
