#include "hazards/global_shadow.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace simt::hazards {

namespace {

constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << GlobalShadow::chunk_bits;
/// A block of tables is a large page of the host.
constexpr std::size_t block_bytes = std::size_t{2} << 20;
constexpr std::size_t most_spare_blocks = 32;

/// Zeroed memory. Only its touched pages take memory of the host.
void* map(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return memory;
}

/// The same, aligned so that it may become a large page.
void* map_aligned(std::size_t bytes) {
    auto* const first = static_cast<char*>(map(2 * bytes));
    const std::size_t before = (bytes - reinterpret_cast<std::uintptr_t>(first) % bytes) % bytes;
    if (before > 0) munmap(first, before);
    munmap(first + before + bytes, bytes - before);
    return first + before;
}

}  // namespace

GlobalShadow& GlobalShadow::instance() {
    // Never destroyed: programs launch until their very end.
    static GlobalShadow& shadow = *new GlobalShadow;
    return shadow;
}

GlobalShadow::GlobalShadow() : chunks_(static_cast<std::atomic<GlobalLine*>*>(map(most_chunks * sizeof(std::atomic<GlobalLine*>)))) {}

GlobalLine* GlobalShadow::chunk_of(std::uint64_t address, const RangeOf& range_of) {
    std::atomic<GlobalLine*>& chunk = chunks_[(address >> chunk_bits) % most_chunks];
    if (GlobalLine* lines = chunk.load(std::memory_order_acquire)) return lines;
    constexpr std::size_t bytes = chunk_lines * sizeof(GlobalLine);
    auto* made = static_cast<GlobalLine*>(map_aligned(bytes));
    // If all of the watched memory belongs to one allocation, a large page takes at most half of the bytes that it watches.
    const std::uint64_t begin = address / chunk_bytes * chunk_bytes;
    const auto [first, size] = range_of ? range_of(begin) : std::pair{begin, std::size_t{0}};
    const bool is_whole = begin + chunk_bytes - first <= size;
    if (is_whole && large_pages_.fetch_add(1, std::memory_order_relaxed) < most_large_pages) madvise(made, bytes, MADV_HUGEPAGE);
    GlobalLine* others = nullptr;
    if (chunk.compare_exchange_strong(others, made, std::memory_order_acq_rel)) return made;
    munmap(made, bytes);
    return others;
}

GlobalShadow::Block GlobalShadow::lend_room() {
    {
        const std::lock_guard lock(mutex_);
        if (!spare_.empty()) {
            const Block block = spare_.back();
            spare_.pop_back();
            return block;
        }
    }
    void* const made = map_aligned(block_bytes);
    madvise(made, block_bytes, MADV_HUGEPAGE);
    return {static_cast<std::byte*>(made), block_bytes};
}

void GlobalShadow::take_back(Block block) {
    const std::lock_guard lock(mutex_);
    if (spare_.size() < most_spare_blocks) spare_.push_back(block);
    else munmap(block.data(), block_bytes);
}

void GlobalShadow::forget(std::uint64_t address, std::size_t bytes) {
    // Only whole pages of lines are given back.
    static const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / sizeof(GlobalLine) * GlobalLine::bytes;
    const std::uint64_t end = (address + bytes) / page * page;
    std::uint64_t begin = (address + page - 1) / page * page;
    while (begin < end) {
        const std::uint64_t next = std::min(end, (begin / chunk_bytes + 1) * chunk_bytes);
        if (GlobalLine* lines = chunks_[(begin >> chunk_bits) % most_chunks].load(std::memory_order_acquire))
            madvise(lines + begin % chunk_bytes / GlobalLine::bytes, (next - begin) / GlobalLine::bytes * sizeof(GlobalLine),
                    MADV_DONTNEED);
        begin = next;
    }
}

}  // namespace simt::hazards
