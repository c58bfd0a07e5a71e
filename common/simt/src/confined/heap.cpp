// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <sys/mman.h>

#include <bit>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "confinement.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t step = std::size_t{1} << 20;
constexpr std::size_t least_bytes = 16;

/// What has been given out, and what has come back, by the size that it was rounded up to: apart from the memory itself,
/// which the confined code can write.
std::unordered_map<std::uint64_t, std::size_t>& given()
{
    static std::unordered_map<std::uint64_t, std::size_t> instance;
    return instance;
}
std::unordered_map<std::size_t, std::vector<std::uint64_t>>& returned()
{
    static std::unordered_map<std::size_t, std::vector<std::uint64_t>> instance;
    return instance;
}

}  // namespace

ConfinedHeap& ConfinedHeap::instance()
{
    static ConfinedHeap heap;
    return heap;
}

ConfinedHeap::ConfinedHeap()
{
    void* range = mmap(nullptr, reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) throw std::runtime_error("the counting model cannot reserve memory for confined code");
    begin_ = next_ = mapped_ = reinterpret_cast<std::uint64_t>(range);
}

void* ConfinedHeap::allocate(std::size_t bytes, const Asking& asking)
{
    if (bytes > reserved_bytes / 2) refuse("asks for more memory than there is", asking.site);
    const std::size_t size = std::bit_ceil(bytes < least_bytes ? least_bytes : bytes);
    std::uint64_t address = next_;
    if (auto& list = returned()[size]; !list.empty()) {
        address = list.back();
        list.pop_back();
    } else {
        if (size > begin_ + reserved_bytes - next_) refuse("asks for more memory than there is", asking.site);
        if (next_ + size > mapped_) {
            const std::size_t more = (next_ + size - mapped_ + step - 1) / step * step;
            if (mprotect(reinterpret_cast<void*>(mapped_), more, PROT_READ | PROT_WRITE) != 0) refuse("asks for more memory than it may use", asking.site);
            mapped_ += more;
        }
        next_ += size;
    }
    given()[address] = size;
    return reinterpret_cast<void*>(address);
}

void ConfinedHeap::release(void* pointer, const Asking& asking)
{
    if (!pointer) return;
    const auto found = given().find(reinterpret_cast<std::uint64_t>(pointer));
    if (found == given().end()) refuse("frees memory that it has not allocated", asking.site);
    returned()[found->second].push_back(found->first);
    given().erase(found);
}

}  // namespace simt::detail
