// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "device_heap.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace simt::detail {

namespace {

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

std::size_t physical_bytes()
{
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

DeviceHeap& DeviceHeap::instance()
{
    static DeviceHeap heap;
    return heap;
}

DeviceHeap::DeviceHeap()
{
    // The base is rounded to 4 GiB, so that address bits up to there do not depend on where the host maps the range.
    constexpr std::size_t base_alignment = std::size_t{1} << 32;
    void* range = mmap(nullptr, alignment + reserved_bytes + base_alignment, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) throw std::runtime_error("the counting model cannot reserve its range of device addresses");
    base_ = round_up(reinterpret_cast<std::uint64_t>(range) + alignment, base_alignment);
    next_ = base_;
    capacity_ = physical_bytes() / 4 * 3;
}

void* DeviceHeap::allocate(std::size_t bytes)
{
    const std::size_t mapped = round_up(std::max<std::size_t>(bytes, 1), alignment);
    const std::size_t with_gap = mapped + alignment;
    if (mapped < bytes || mapped > capacity_ - used_ || with_gap > base_ + reserved_bytes - next_) return nullptr;
    void* memory = reinterpret_cast<void*>(next_);
    if (mprotect(memory, mapped, PROT_READ | PROT_WRITE) != 0) return nullptr;
    std::memset(memory, 0xCD, bytes);
    allocations_.push_back({next_, bytes, false});
    used_ += mapped;
    next_ += with_gap;
    return memory;
}

bool DeviceHeap::release(void* pointer)
{
    const auto begin = reinterpret_cast<std::uint64_t>(pointer);
    const auto found = std::ranges::lower_bound(allocations_, begin, {}, &Allocation::begin);
    if (found == allocations_.end() || found->begin != begin || found->freed) return false;
    const std::size_t mapped = round_up(std::max<std::size_t>(found->bytes, 1), alignment);
    // Fresh pages replace the old ones: the host gets its memory back and the addresses stay reserved.
    mmap(pointer, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    found->freed = true;
    used_ -= mapped;
    return true;
}

const Allocation* DeviceHeap::find(std::uint64_t address)
{
    if (last_found_ < allocations_.size() && allocations_[last_found_].contains(address)) return &allocations_[last_found_];
    const auto after = std::ranges::upper_bound(allocations_, address, {}, &Allocation::begin);
    if (after == allocations_.begin()) return nullptr;
    const auto candidate = std::prev(after);
    if (!candidate->contains(address)) return nullptr;
    last_found_ = static_cast<std::size_t>(candidate - allocations_.begin());
    return &*candidate;
}

const Allocation* DeviceHeap::find_before(std::uint64_t address) const
{
    const auto after = std::ranges::upper_bound(allocations_, address, {}, &Allocation::begin);
    return after == allocations_.begin() ? nullptr : &*std::prev(after);
}

const Allocation* DeviceHeap::find_after(std::uint64_t address) const
{
    const auto after = std::ranges::upper_bound(allocations_, address, {}, &Allocation::begin);
    return after == allocations_.end() ? nullptr : &*after;
}

std::size_t DeviceHeap::free_bytes() const { return capacity_ - used_; }

}  // namespace simt::detail
