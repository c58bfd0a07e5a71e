// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <bit>

#include "memory_hazards.hpp"
#include "reporting.hpp"

namespace simt::detail {

namespace {

const char* const race_help =
    "Put a barrier between the two: __syncthreads() for threads of the block, __syncwarp() for lanes of one warp; or make both atomic.";

const char* verb(Operation operation)
{
    switch (operation) {
        case Operation::load: return "reads";
        case Operation::store: return "writes";
        case Operation::atomic: return "updates";
    }
    return "accesses";
}

}  // namespace

void WarpOrder::begin_block(int warps)
{
    for (Warp& warp : warps_)
        if (warp.count > 0) warp = {};
    warps_.resize(static_cast<std::size_t>(warps));
}

void WarpOrder::synchronize(int number, std::uint32_t lanes)
{
    Warp& warp = warps_[static_cast<std::size_t>(number)];
    ++warp.count;
    std::array<std::uint32_t, warp_size> joined{};
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1)
        for (int other = 0; other < warp_size; ++other) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(rest)), o = static_cast<std::size_t>(other);
            joined[o] = std::max(joined[o], lanes >> other & 1 ? warp.count : warp.knows[lane][o]);
        }
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1) warp.knows[static_cast<std::size_t>(std::countr_zero(rest))] = joined;
}

bool WarpOrder::ordered(int earlier, std::uint32_t stamp, int later) const
{
    const Warp& warp = warps_[static_cast<std::size_t>(later / warp_size)];
    return warp.knows[static_cast<std::size_t>(later % warp_size)][static_cast<std::size_t>(earlier % warp_size)] > stamp;
}

void SharedHazards::begin_block(int threads)
{
    ++interval_;
    ++block_;
    order_.begin_block((threads + warp_size - 1) / warp_size);
}

void SharedHazards::access(const WarpAccess& warp)
{
    for (std::uint32_t rest = warp.active; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t address = warp.address[static_cast<std::size_t>(lane)];
        const ThreadAccess access{warp.operation, warp.warp * warp_size + lane, warp.site, (warp.changed >> lane & 1) != 0};
        if (const std::uint64_t last = (address + static_cast<std::uint64_t>(warp.size) - 1) / 4; last >= words_.size()) words_.resize(last + 1);
        if (warp.size < 4)
            access_word(address / 4, static_cast<std::uint8_t>(((1u << warp.size) - 1) << address % 4), access);
        else
            for (int offset = 0; offset < warp.size; offset += 4) access_word((address + static_cast<std::uint64_t>(offset)) / 4, 0xF, access);
    }
}

void SharedHazards::access_word(std::uint64_t index, std::uint8_t bytes, const ThreadAccess& access)
{
    Word& word = words_[index];
    check_written(index, bytes, access);
    if (bytes != 0xF && word.split_interval != interval_) {
        word.split_interval = interval_;
        word.bytes.assign(4, word.cell);
    }
    if (word.split_interval != interval_) return check(word.cell, access);
    for (int byte = 0; byte < 4; ++byte)
        if (bytes >> byte & 1) check(word.bytes[static_cast<std::size_t>(byte)], access);
}

void SharedHazards::check_written(std::uint64_t index, std::uint8_t bytes, const ThreadAccess& access)
{
    Word& word = words_[index];
    if (word.written_block != block_) word.written = word.asked = 0;
    word.written_block = block_;
    const auto missing = static_cast<std::uint8_t>(bytes & ~(word.written | word.asked));
    if (access.operation == Operation::store) {
        if (word.asked & bytes & ~word.written && word.asked_interval == interval_) confirm_unwritten_reads(word, bytes, access.thread);
        word.written |= bytes;
    } else if (missing) {
        // Another thread may still write it before the next barrier. Then the two race, and that is what is wrong.
        const std::uint32_t previous = word.asked_interval == interval_ ? word.last_unwritten_read : 0;
        word.asked |= missing;
        word.asked_interval = interval_;
        unwritten_reads_.push_back({index, missing, access.thread, access.site, order_.now(access.thread), previous, false});
        word.last_unwritten_read = static_cast<std::uint32_t>(unwritten_reads_.size());
    }
}

void SharedHazards::confirm_unwritten_reads(const Word& word, std::uint8_t bytes, int writer)
{
    for (std::uint32_t number = word.last_unwritten_read; number != 0; number = unwritten_reads_[number - 1].previous) {
        UnwrittenRead& read = unwritten_reads_[number - 1];
        if (!(read.bytes & bytes & ~word.written)) continue;
        read.certain |= read.thread == writer || ordered(read.thread, read.stamp, writer);
    }
}

void SharedHazards::report_unwritten_reads()
{
    for (const UnwrittenRead& read : unwritten_reads_) {
        const bool written = (words_[read.index].written & read.bytes) == read.bytes;
        if ((written && !read.certain) || !is_first_report(HazardKind::uninitialized, read.site, read.site)) continue;
        report_hazard(HazardKind::uninitialized, {read.thread}, {read.site},
                      thread_name(read.thread) + " reads shared memory that no thread of the block has written",
                      "Write every element before it is read, for the last tile and block too.");
    }
    unwritten_reads_.clear();
}

void SharedHazards::end_interval()
{
    report_unwritten_reads();
    ++interval_;
}

void SharedHazards::check(Cell& cell, const ThreadAccess& access)
{
    if (cell.write_interval == interval_) check_against_write(cell, access);
    if (access.operation == Operation::load) return note_read(cell, access);
    if (cell.read_interval == interval_) check_against_reads(cell, access);
    cell.write_interval = interval_;
    cell.writer = static_cast<std::int16_t>(access.thread);
    cell.write_site = access.site;
    cell.write_stamp = order_.now(access.thread);
    cell.write_atomic = access.operation == Operation::atomic;
}

bool SharedHazards::ordered(int earlier, std::uint32_t stamp, int later) const
{
    return earlier / warp_size == later / warp_size && order_.ordered(earlier, stamp, later);
}

void SharedHazards::check_against_write(const Cell& cell, const ThreadAccess& access) const
{
    if (cell.writer == access.thread || ordered(cell.writer, cell.write_stamp, access.thread)) return;
    if (access.operation == Operation::atomic && cell.write_atomic) return;
    if (access.operation == Operation::store && !access.changed) return;
    if (!is_first_report(HazardKind::race, cell.write_site, access.site)) return;
    report_hazard(HazardKind::race, {cell.writer, access.thread}, {cell.write_site, access.site},
                  thread_name(cell.writer) + (cell.write_atomic ? " updates" : " writes") + " and " + thread_name(access.thread) + " " +
                      verb(access.operation) + " the same shared memory with no barrier between them",
                  race_help);
}

void SharedHazards::check_against_reads(const Cell& cell, const ThreadAccess& access) const
{
    int reader = -1;
    std::uint32_t site = cell.read_site;
    if (cell.read_warp >= 0 && cell.read_warp != access.thread / warp_size)
        reader = cell.read_warp * warp_size + std::countr_zero(cell.read_lanes);
    else if (cell.other_reader >= 0 && cell.other_reader / warp_size != access.thread / warp_size) {
        reader = cell.other_reader;
        site = cell.other_site;
    } else {
        for (std::uint32_t rest = cell.read_lanes; rest && reader < 0; rest &= rest - 1) {
            const int candidate = cell.read_warp * warp_size + std::countr_zero(rest);
            if (candidate != access.thread && !ordered(candidate, cell.read_stamp, access.thread)) reader = candidate;
        }
    }
    if (reader < 0) return;
    if (!is_first_report(HazardKind::race, site, access.site)) return;
    report_hazard(HazardKind::race, {reader, access.thread}, {site, access.site},
                  thread_name(reader) + " reads and " + thread_name(access.thread) + " " + verb(access.operation) +
                      " the same shared memory with no barrier between them",
                  race_help);
}

void SharedHazards::note_read(Cell& cell, const ThreadAccess& access) const
{
    const auto warp = static_cast<std::int16_t>(access.thread / warp_size);
    const std::uint32_t lane = 1u << access.thread % warp_size;
    if (cell.read_interval != interval_) {
        cell.read_interval = interval_;
        cell.read_warp = -1;
        cell.read_lanes = 0;
        cell.other_reader = -1;
    }
    if (cell.read_warp >= 0 && cell.read_warp != warp) {
        cell.other_reader = static_cast<std::int16_t>(access.thread);
        cell.other_site = access.site;
        return;
    }
    // Readers that are ordered before this one need no longer be kept: who is ordered after this one is after them too.
    for (std::uint32_t rest = cell.read_lanes & ~lane; rest; rest &= rest - 1)
        if (ordered(warp * warp_size + std::countr_zero(rest), cell.read_stamp, access.thread)) cell.read_lanes &= ~(rest & -rest);
    cell.read_warp = warp;
    cell.read_lanes |= lane;
    cell.read_site = access.site;
    cell.read_stamp = order_.now(access.thread);
}

}  // namespace simt::detail
