// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <sys/mman.h>

#include <bit>
#include <stdexcept>

#include "device_heap.hpp"
#include "memory_hazards.hpp"
#include "reporting.hpp"
#include "session.hpp"
#include "symbols.hpp"

namespace simt::detail {

namespace {

// Flags of a cell.
constexpr std::uint8_t write_atomic = 1;
constexpr std::uint8_t all_bytes = 2;

constexpr std::uint8_t most_releases = 255;

}  // namespace

/// Who last wrote and read each word of one allocation. Pages that no kernel touches take no memory.
struct GlobalHazards::Shadow {
    explicit Shadow(std::size_t bytes) : bytes_(bytes)
    {
        void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw KernelError("the model has no memory left to watch global memory for races");
        cells = static_cast<Cell*>(memory);
    }
    ~Shadow() { munmap(cells, bytes_); }
    Shadow(const Shadow&) = delete;
    Shadow& operator=(const Shadow&) = delete;

    Cell* cells;

private:
    std::size_t bytes_;
};

GlobalHazards::GlobalHazards() = default;
GlobalHazards::~GlobalHazards() = default;

void GlobalHazards::begin_launch()
{
    // Shadows stay, and their pages with them: a cell of an earlier launch counts as fresh.
    if (++launch_ == 0) shadows_.clear();
    std::erase_if(shadows_, [](const auto& entry) {
        const Allocation* allocation = DeviceHeap::instance().find(entry.first);
        return allocation && allocation->freed;
    });
    last_shadow_ = nullptr;
    sites_.clear();
    site_numbers_.clear();
    released_.clear();
}

GlobalHazards::Cell* GlobalHazards::cells_of(std::uint64_t allocation, std::uint64_t address)
{
    if (!last_shadow_ || last_allocation_ != allocation) {
        auto& shadow = shadows_[allocation];
        if (!shadow) {
            const Allocation* found = DeviceHeap::instance().find(allocation);
            const Symbol* symbol = found ? nullptr : Symbols::instance().find(allocation);
            const std::size_t bytes = found ? found->bytes : symbol ? symbol->bytes : 0;
            shadow = std::make_unique<Shadow>((bytes / 4 + 2) * sizeof(Cell));
        }
        last_allocation_ = allocation;
        last_shadow_ = shadow.get();
    }
    return last_shadow_->cells + (address / 4 - allocation / 4);
}

std::uint16_t GlobalHazards::number_of(std::uint32_t site)
{
    const auto [entry, is_new] = site_numbers_.try_emplace(site, static_cast<std::uint16_t>(sites_.size()));
    if (is_new) sites_.push_back(site);
    return entry->second;
}

void GlobalHazards::access(const WarpAccess& access)
{
    site_ = number_of(access.site);
    for (std::uint32_t rest = access.active; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
        if (access.operation == Operation::atomic) synchronize(address);
        Cell* cell = cells_of(access.allocation, address);
        for (int offset = 0; offset < access.size; offset += 4) access_cell(*cell++, access, lane);
    }
}

void GlobalHazards::synchronize(std::uint64_t address)
{
    if (releases_ < most_releases) ++releases_;
    released_[address][block_] = releases_;
    if (acquired_.empty() || acquired_.back() != address) acquired_.push_back(address);
}

bool GlobalHazards::ordered(std::uint32_t block, std::uint8_t release) const
{
    for (const std::uint64_t address : acquired_) {
        const auto& blocks = released_.at(address);
        if (const auto found = blocks.find(block); found != blocks.end() && found->second > release) return true;
    }
    return false;
}

void GlobalHazards::access_cell(Cell& cell, const WarpAccess& access, int lane)
{
    // Blocks count from 1 here, so that a fresh cell of zeros names none.
    const std::uint32_t self = block_ + 1;
    const bool whole = access.size >= 4, store = access.operation == Operation::store, atomic = access.operation == Operation::atomic;
    const bool repeats_value = store && !(access.changed >> lane & 1);
    if (cell.launch != launch_) cell = {0, 0, 0, 0, launch_, 0, 0};

    const bool other_wrote = cell.writer != 0 && cell.writer != self;
    if (other_wrote && !repeats_value && !(atomic && cell.flags & write_atomic) && (whole || cell.flags & all_bytes) &&
        !ordered(cell.writer - 1, cell.release))
        report(cell.writer - 1, cell.write_site, access, lane, cell.flags & write_atomic ? " updates" : " writes");
    if (!store && !atomic) {
        // The first block that reads is kept: as blocks run one after another, it is another one for every later block.
        if (cell.reader == 0) {
            cell.reader = self;
            cell.read_site = site_;
        }
        return;
    }
    const bool other_read = cell.reader != 0 && cell.reader != self;
    if (other_read && whole && !ordered(cell.reader - 1, 0))
        report(cell.reader - 1, cell.read_site, access, lane, " reads");
    cell.writer = self;
    cell.write_site = site_;
    cell.release = releases_;
    cell.flags = static_cast<std::uint8_t>((atomic ? write_atomic : 0) | (whole ? all_bytes : 0));
}

void GlobalHazards::report(std::uint32_t other_block, std::uint16_t other_site, const WarpAccess& access, int lane,
                           const char* what) const
{
    const std::uint32_t site = sites_[other_site];
    if (!is_first_report(HazardKind::race, site, access.site)) return;
    const Extent& grid = current_launch().info.grid;
    const Extent other{other_block % grid.x, other_block / grid.x % grid.y, other_block / grid.x / grid.y};
    const int thread = access.warp * warp_size + lane;
    const char* verb = access.operation == Operation::load ? " reads" : access.operation == Operation::store ? " writes" : " updates";
    report_hazard(HazardKind::race, {thread}, {site, access.site},
                  block_name(other) + what + " and " + block_name(current_launch().block) + ", " + thread_name(thread) + ", " + (verb + 1) +
                      " the same global memory; blocks run in no order",
                  "Let each block write memory of its own, use atomics, or split the work into two kernel launches.");
}

void MemoryHazards::launch_begins(const LaunchInfo& info)
{
    info_ = info;
    global_.begin_launch();
}

void MemoryHazards::block_begins(const Extent& index)
{
    shared_.begin_block(static_cast<int>(info_.block.x * info_.block.y * info_.block.z));
    global_.begin_block(index.x + info_.grid.x * (index.y + info_.grid.y * index.z));
}

void MemoryHazards::warp_access(const WarpAccess& access)
{
    if (access.space == Space::shared)
        shared_.access(access);
    else
        global_.access(access);
}

}  // namespace simt::detail
