// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "remote/judge/data_use.hpp"

#include <algorithm>

#include "device/links.hpp"
#include "rules/lanes.hpp"
#include "simt/rules.hpp"

namespace simt::remote {

namespace {

nlohmann::ordered_json to_json(const DataUse::BulkCopies& copies)
{
    return {{"requests", copies.requests},
            {"sectors", copies.sectors},
            {"ideal_sectors", copies.ideal_sectors},
            {"bytes", copies.bytes},
            {"wavefronts", copies.wavefronts}};
}

}  // namespace

void DataUse::place(const std::string& name, std::uint64_t address, std::uint64_t bytes)
{
    buffers_[address] = {name, std::vector<Byte>(bytes)};
}

template <class Visit> std::uint64_t DataUse::for_each_byte(std::uint64_t address, std::uint64_t bytes, Visit&& visit)
{
    std::uint64_t visited = 0;
    for (auto& [begin, buffer] : buffers_) {
        const std::uint64_t first = std::max(address, begin), last = std::min(address + bytes, begin + buffer.bytes.size());
        for (std::uint64_t at = first; at < last; ++at) visit(buffer.bytes[at - begin]);
        if (first < last) visited += last - first;
    }
    return visited;
}

void DataUse::write(std::uint64_t address, std::uint64_t bytes, Writer writer)
{
    for_each_byte(address, bytes, [writer](Byte& byte) { byte.writer = writer; });
}

void DataUse::load(std::uint64_t address, std::uint64_t bytes)
{
    const std::uint64_t loaded = for_each_byte(address, bytes, [](Byte& byte) { byte.loaded = true; });
    if (loaded_by_block_) *loaded_by_block_ += loaded;
}

void DataUse::store(std::uint64_t address, std::uint64_t bytes)
{
    write(address, bytes, Writer::kernel);
    if (!stored_to_.contains(address) && !memory::AddressSpace::instance().find(address, stored_to_)) stored_to_ = {};
    if (stored_to_.constant) constant_bytes_stored_ += bytes;
}

void DataUse::launch_begins(const LaunchInfo&)
{
    loaded_by_blocks_.clear();
    loaded_by_block_ = nullptr;
    work_.assign(static_cast<std::size_t>(machine_.multiprocessors), {});
    running_ = nullptr;
}

void DataUse::block_runs(std::uint64_t number)
{
    loaded_by_block_ = &loaded_by_blocks_[number];
    running_ = work_.empty() ? nullptr : &work_[number % work_.size()];
}

void DataUse::warp_access(const WarpAccess& access)
{
    if (running_) {
        ++running_->instructions;
        if (access.space == Space::shared) running_->wavefronts += static_cast<std::uint64_t>(shared_cost(access, machine_).wavefronts);
    }
    if (access.space != Space::global) return;
    const auto size = static_cast<std::uint64_t>(access.size);
    const bool loads =
        access.operation == Operation::load || access.operation == Operation::async_copy || access.operation == Operation::bulk_copy;
    for (const std::size_t lane : lanes_in(access.active)) {
        if (loads) load(access.address[lane], size);
        else store(access.address[lane], size);
    }
}

void DataUse::bulk_copy(std::uint64_t address, std::uint64_t bytes, bool loads, std::uint64_t requests)
{
    constexpr std::uint64_t wavefront_bytes = 128;
    const auto parts = [bytes](std::uint64_t size) { return (bytes + size - 1) / size; };
    BulkCopies& copies = loads ? bulk_loads_ : bulk_stores_;
    copies.requests += requests;
    copies.sectors += memory::sectors_of(address, bytes);
    copies.ideal_sectors += parts(sector_bytes);
    copies.bytes += bytes;
    copies.wavefronts += parts(wavefront_bytes);
    if (running_) {
        running_->instructions += requests;
        running_->wavefronts += parts(wavefront_bytes);
    }
    if (loads) load(address, bytes);
    else store(address, bytes);
}

void DataUse::launch_ends()
{
    for (const auto& [number, loaded] : loaded_by_blocks_) {
        largest_load_ = std::max(largest_load_, loaded);
        loading_blocks_ += loaded > 0;
    }
    Work most;
    for (const Work& work : work_) {
        most.instructions = std::max(most.instructions, work.instructions);
        most.wavefronts = std::max(most.wavefronts, work.wavefronts);
    }
    busiest_.instructions += most.instructions;
    busiest_.wavefronts += most.wavefronts;
}

DataUse::Sums DataUse::sums(const std::string& name) const
{
    Sums sums;
    for (const auto& [begin, buffer] : buffers_) {
        if (buffer.name != name) continue;
        sums.bytes += buffer.bytes.size();
        for (const Byte& byte : buffer.bytes) {
            sums.loaded += byte.loaded;
            sums.stored += byte.writer == Writer::kernel;
            sums.filled += byte.writer == Writer::fill;
            sums.copied += byte.writer == Writer::copy;
        }
    }
    return sums;
}

nlohmann::ordered_json DataUse::to_json() const
{
    auto buffers = nlohmann::ordered_json::object();
    for (const auto& [begin, buffer] : buffers_) {
        const Sums sum = sums(buffer.name);
        buffers[buffer.name] = {
            {"bytes", sum.bytes}, {"loaded", sum.loaded}, {"stored", sum.stored}, {"filled", sum.filled}, {"copied", sum.copied}};
    }
    return {{"largest_load", largest_load_},
            {"loading_blocks", loading_blocks_},
            {"busiest", {{"instructions", busiest_.instructions}, {"wavefronts", busiest_.wavefronts}}},
            {"cluster_accesses", cluster_accesses_},
            {"constant_bytes_stored", constant_bytes_stored_},
            {"bulk_load", remote::to_json(bulk_loads_)},
            {"bulk_store", remote::to_json(bulk_stores_)},
            {"buffers", std::move(buffers)}};
}

}  // namespace simt::remote
