#include "device/address_space.hpp"
#include "device/host_memory.hpp"
#include "device/round_up.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>

namespace simt::memory {

namespace {

/// Reserves addresses of the host. MAP_FAILED if it has too few.
void* reserve(std::size_t bytes) { return mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); }

/// Kernels access memory in strides. With small pages, most accesses miss the processor's translation buffer. Only whole large
/// pages are requested, so that this takes no additional memory.
void use_large_pages(unsigned char* memory, std::size_t bytes) {
    constexpr std::uintptr_t large = std::uintptr_t{2} << 20;
    const auto first = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t begin = round_up(first, large), end = (first + bytes) / large * large;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

/// Each byte of fresh memory. A kernel that reads memory before any write must not find zeros.
constexpr int poison = 0xCD;
constexpr std::size_t poison_bytes = std::size_t{32} << 20;

/// A file in memory with `poison_bytes` bytes of poison; -1 where none can be made, such as in a confined process.
int poison_file() {
    static const int file = [] {
        const int made = memfd_create("poison", MFD_CLOEXEC);
        if (made < 0) return -1;
        const std::vector<unsigned char> part(std::size_t{1} << 20, poison);
        for (std::size_t written = 0; written < poison_bytes; written += part.size()) {
            if (write(made, part.data(), part.size()) == static_cast<ssize_t>(part.size())) continue;
            close(made);
            return -1;
        }
        return made;
    }();
    return file;
}

/// Lets `memory` show the same file of poison again and again. The host allocates a page only for bytes that are written.
bool show_poison(unsigned char* memory, std::size_t bytes) {
    if (AddressSpace::is_touched_at_once(bytes)) return false;
    for (std::size_t at = 0; at < bytes; at += poison_bytes) {
        const std::size_t part = std::min(poison_bytes, bytes - at);
        const int flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
        if (mmap(memory + at, part, PROT_READ | PROT_WRITE, flags, poison_file(), 0) == MAP_FAILED) {
            mmap(memory, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
            return false;
        }
    }
    return true;
}

const Allocation* last_from(const std::vector<Allocation>& sorted, std::uint64_t address) {
    const auto after = std::ranges::upper_bound(sorted, address, {}, &Allocation::begin);
    return after == sorted.begin() ? nullptr : &*std::prev(after);
}

/// Several independent sums. Each word changes a sum invertibly, and the sums are computed side by side at the speed of memory.
class Digest {
public:
    void add(std::uint64_t word) { mix(0, word); }
    void add(const unsigned char* bytes, std::size_t count) {
        std::uint64_t words[width];
        for (; count >= sizeof words; bytes += sizeof words, count -= sizeof words) {
            std::memcpy(words, bytes, sizeof words);
            for (std::size_t i = 0; i < width; ++i) mix(i, words[i]);
        }
        std::memset(words, 0, sizeof words);
        std::memcpy(words, bytes, count);
        for (std::size_t i = 0; i < width; ++i) mix(i, words[i]);
    }
    std::pair<std::uint64_t, std::uint64_t> value() const {
        Digest low, high;
        for (std::size_t i = 0; i < width; ++i) {
            low.add(sums_[i]);
            high.add(~sums_[width - 1 - i]);
        }
        return {low.sums_[0], high.sums_[0]};
    }

private:
    static constexpr std::size_t width = 16;

    void mix(std::size_t i, std::uint64_t word) {
        constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
        const std::uint64_t sum = (sums_[i] ^ word) * odd;
        sums_[i] = sum ^ sum >> 29;
    }

    std::uint64_t sums_[width] = {};
};

}  // namespace

AddressSpace& AddressSpace::instance() {
    // Never destroyed: programs free memory until their very end.
    static AddressSpace& space = *new AddressSpace;
    return space;
}

AddressSpace::AddressSpace() {
    // The base is rounded to 4 GiB, so that address bits up to there do not depend on where the host maps the range.
    constexpr std::size_t base_alignment = std::size_t{1} << 32;
    const auto bytes = [&] { return alignment + 2 * (reserved_bytes_ + base_alignment); };
    void* both = reserve(bytes());
    if (both == MAP_FAILED) {
        // Hosts with addresses of 39 bits, such as some of ARM64, and limits on addresses leave room for less.
        reserved_bytes_ = std::size_t{1} << 37;
        both = reserve(bytes());
    }
    if (both == MAP_FAILED)
        throw std::runtime_error("the counting model cannot reserve " + std::to_string(bytes() >> 30) +
                                 " GiB of addresses, which take no memory; raise the limit on addresses: ulimit -v");
    base_ = round_up(reinterpret_cast<std::uint64_t>(both) + alignment, base_alignment);
    next_ = base_;
    delta_ = static_cast<std::int64_t>(reserved_bytes_ + base_alignment);
    capacity_ = HostMemory::of().all / 4 * 3;
}

std::uint64_t AddressSpace::allocate(std::size_t bytes, int device) {
    const std::unique_lock lock(mutex_);
    const std::size_t mapped = round_up(std::max<std::size_t>(bytes, 1), alignment);
    const std::size_t with_gap = mapped + alignment;
    if (mapped < bytes || mapped > capacity_ - used_ || with_gap > base_ + reserved_bytes_ - next_) return 0;
    Allocation allocation{next_, bytes, delta_};
    allocation.device = device;
    unsigned char* memory = allocation.at(next_);
    if (mprotect(memory, mapped, PROT_READ | PROT_WRITE) != 0) return 0;
    if (!show_poison(memory, mapped)) {
        use_large_pages(memory, mapped);
        std::memset(memory, poison, bytes);
    }
    allocations_.push_back(allocation);
    used_ += mapped;
    next_ += with_gap;
    return allocation.begin;
}

void AddressSpace::mark_constant(std::uint64_t address) {
    const std::unique_lock lock(mutex_);
    std::ranges::lower_bound(allocations_, address, {}, &Allocation::begin)->constant = true;
}

bool AddressSpace::release(std::uint64_t address) {
    const std::unique_lock lock(mutex_);
    const auto found = std::ranges::lower_bound(allocations_, address, {}, &Allocation::begin);
    if (found == allocations_.end() || found->begin != address || found->freed) return false;
    const std::size_t mapped = round_up(std::max<std::size_t>(found->bytes, 1), alignment);
    // Fresh pages replace the old ones: the host gets its memory back and the addresses stay reserved.
    mmap(found->at(address), mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    found->freed = true;
    used_ -= mapped;
    return true;
}

void AddressSpace::map_host(void* memory, std::size_t bytes) {
    const std::unique_lock lock(mutex_);
    const auto begin = reinterpret_cast<std::uint64_t>(memory);
    mapped_.insert(std::ranges::upper_bound(mapped_, begin, {}, &Allocation::begin), Allocation{begin, bytes, 0, false, true});
}

bool AddressSpace::unmap_host(void* memory) {
    const std::unique_lock lock(mutex_);
    const auto begin = reinterpret_cast<std::uint64_t>(memory);
    const auto found = std::ranges::lower_bound(mapped_, begin, {}, &Allocation::begin);
    if (found == mapped_.end() || found->begin != begin) return false;
    mapped_.erase(found);
    return true;
}

bool AddressSpace::find(std::uint64_t address, Allocation& found) const {
    const std::shared_lock lock(mutex_);
    const Allocation* candidate = last_from(owns(address) ? allocations_ : mapped_, address);
    if (!candidate || !candidate->contains(address)) return false;
    found = *candidate;
    if (found.host) found_in_host_.fetch_add(1, std::memory_order_relaxed);
    return true;
}

bool AddressSpace::find_before(std::uint64_t address, Allocation& found) const {
    const std::shared_lock lock(mutex_);
    const Allocation* candidate = last_from(owns(address) ? allocations_ : mapped_, address);
    if (candidate) found = *candidate;
    return candidate != nullptr;
}

bool AddressSpace::find_after(std::uint64_t address, Allocation& found) const {
    const std::shared_lock lock(mutex_);
    const auto after = std::ranges::upper_bound(allocations_, address, {}, &Allocation::begin);
    if (after == allocations_.end()) return false;
    found = *after;
    return true;
}

unsigned char* AddressSpace::host_bytes(std::uint64_t address, std::size_t bytes) const {
    Allocation allocation;
    if (!find(address, allocation) || allocation.freed || !allocation.contains(address, bytes)) return nullptr;
    return allocation.at(address);
}

std::pair<std::uint64_t, std::uint64_t> AddressSpace::digest() const {
    const std::shared_lock lock(mutex_);
    Digest digest;
    for (const Allocation& allocation : allocations_) {
        if (allocation.freed) continue;
        digest.add(allocation.begin);
        digest.add(allocation.at(allocation.begin), allocation.bytes);
    }
    return digest.value();
}

bool AddressSpace::is_touched_at_once(std::size_t bytes) {
    // Larger allocations are often touched in small part only.
    constexpr std::size_t large_allocation = std::size_t{256} << 20;
    return bytes < large_allocation || poison_file() < 0;
}

std::size_t AddressSpace::used_bytes() const {
    const std::shared_lock lock(mutex_);
    return used_;
}

void AddressSpace::reset() {
    std::vector<std::uint64_t> live;
    {
        const std::shared_lock lock(mutex_);
        for (const Allocation& allocation : allocations_)
            if (!allocation.freed) live.push_back(allocation.begin);
    }
    for (const std::uint64_t address : live) release(address);
}

}  // namespace simt::memory
