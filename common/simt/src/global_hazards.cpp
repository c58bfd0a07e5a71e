// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <sys/mman.h>

#include <bit>
#include <cstddef>
#include <stdexcept>

#include "device_heap.hpp"
#include "lanes.hpp"
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

/// What blocks have done to 32 words in this launch. Either one block wrote those of `written`, all in one way, and one
/// read first those of `read`; or `cells` tells it word by word.
struct GlobalHazards::Line {
    std::uint32_t written, read;
    Cell all;
    std::uint16_t launch;
    /// Number of the cells, counted from 1; 0 if there are none.
    std::uint32_t cells;
};

/// The lines of one allocation. Pages that no kernel touches take no memory.
struct GlobalHazards::Shadow {
    Shadow(std::uint64_t first, std::size_t extent) : begin(first), bytes(extent)
    {
        void* memory = mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw KernelError("the model has no memory left to watch global memory for races");
        lines = static_cast<Line*>(memory);
    }
    ~Shadow() { munmap(lines, mapped_bytes()); }
    Shadow(const Shadow&) = delete;
    Shadow& operator=(const Shadow&) = delete;

    bool holds(std::uint64_t address) const { return address - begin < bytes; }
    std::size_t mapped_bytes() const { return (bytes / line_bytes + 2) * sizeof(Line); }

    Line& line_of(std::uint64_t address) const { return lines[address / line_bytes - begin / line_bytes]; }
    static std::size_t word_of(std::uint64_t address) { return address % line_bytes / 4; }

    static constexpr std::size_t line_bytes = 4 * warp_size;

    std::uint64_t begin;
    std::size_t bytes;
    Line* lines;
};

/// The lanes of one instruction that go to one line, and their words in it.
struct GlobalHazards::Touch {
    Line* line = nullptr;
    std::uint32_t lanes = 0, words = 0;
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
    cells_.clear();
    sites_.clear();
    site_numbers_.clear();
    released_.clear();
}

GlobalHazards::Shadow& GlobalHazards::shadow_of(std::uint64_t address)
{
    if (last_shadow_ && last_shadow_->holds(address)) return *last_shadow_;
    const Allocation* allocation = DeviceHeap::instance().find(address);
    const Symbol* symbol = allocation ? nullptr : Symbols::instance().find(address);
    const std::uint64_t begin = allocation ? allocation->begin : symbol->begin;
    auto& shadow = shadows_[begin];
    if (!shadow) shadow = std::make_unique<Shadow>(begin, allocation ? allocation->bytes : symbol->bytes);
    last_shadow_ = shadow.get();
    return *shadow;
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
    const std::uint32_t lane_words = access.size > 4 ? (1u << access.size / 4) - 1 : 1u;
    Touch together;
    for_each_lane(access.active, [&](std::size_t lane) {
        const std::uint64_t address = access.address[lane];
        Line* line = &shadow_of(address).line_of(address);
        const bool atomic = access.operation == Operation::atomic;
        if (together.lanes != 0 && (line != together.line || atomic)) {
            touch(together, access);
            together = {};
        }
        // Each atomic access releases what came before it: those of a warp are taken one by one.
        if (atomic) synchronize(address);
        together.line = line;
        together.lanes |= 1u << lane;
        together.words |= lane_words << Shadow::word_of(address);
    });
    touch(together, access);
}

void GlobalHazards::touch(const Touch& touch, const WarpAccess& access)
{
    Line& line = *touch.line;
    if (line.launch != launch_) {
        line = {};
        line.launch = launch_;
    }
    if (line.cells == 0 && access.operation == Operation::load && summarizes_load(line, touch.words)) return;
    if (line.cells == 0 && access.operation == Operation::store &&
        summarizes_store(line, touch.words, access.size >= 4 ? all_bytes : std::uint8_t{0})) return;
    Cell* cells = cells_of(line);
    for_each_lane(touch.lanes, [&](std::size_t lane) {
        const std::uint64_t address = access.address[lane];
        Cell* cell = cells + Shadow::word_of(address);
        for (int offset = 0; offset < access.size; offset += 4) access_cell(*cell++, access, static_cast<int>(lane));
    });
}

bool GlobalHazards::summarizes_load(Line& line, std::uint32_t words) const
{
    const std::uint32_t self = block_ + 1;
    if (line.all.writer != self && line.written & words) return false;
    const std::uint32_t fresh = words & ~line.read;
    if (fresh == 0) return true;
    if (line.read != 0 && (line.all.reader != self || line.all.read_site != site_)) return false;
    line.read |= fresh;
    line.all.reader = self;
    line.all.read_site = site_;
    return true;
}

bool GlobalHazards::summarizes_store(Line& line, std::uint32_t words, std::uint8_t flags) const
{
    const std::uint32_t self = block_ + 1;
    if ((line.all.writer != self && line.written & words) || (line.all.reader != self && line.read & words)) return false;
    const bool alike = line.all.writer == self && line.all.write_site == site_ && line.all.release == releases_ && line.all.flags == flags;
    if (line.written & ~words && !alike) return false;
    line.written |= words;
    line.all.writer = self;
    line.all.write_site = site_;
    line.all.release = releases_;
    line.all.flags = flags;
    return true;
}

GlobalHazards::Cell* GlobalHazards::cells_of(Line& line)
{
    if (line.cells != 0) return cells_[line.cells - 1].data();
    auto& cells = cells_.emplace_back();
    line.cells = static_cast<std::uint32_t>(cells_.size());
    for_each_lane(line.read, [&](std::size_t word) {
        cells[word].reader = line.all.reader;
        cells[word].read_site = line.all.read_site;
    });
    for_each_lane(line.written, [&](std::size_t word) {
        cells[word].writer = line.all.writer;
        cells[word].write_site = line.all.write_site;
        cells[word].release = line.all.release;
        cells[word].flags = line.all.flags;
    });
    return cells.data();
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
    const std::uint32_t self = block_ + 1;
    const bool whole = access.size >= 4, store = access.operation == Operation::store, atomic = access.operation == Operation::atomic;
    const bool repeats_value = store && !(access.changed >> lane & 1);

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
