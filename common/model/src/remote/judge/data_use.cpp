// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "remote/judge/data_use.hpp"

#include <algorithm>

#include "rules/lanes.hpp"

namespace simt::remote {

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

void DataUse::launch_begins(const LaunchInfo&)
{
    loaded_by_blocks_.clear();
    loaded_by_block_ = nullptr;
}

void DataUse::warp_access(const WarpAccess& access)
{
    if (access.space != Space::global) return;
    const auto size = static_cast<std::uint64_t>(access.size);
    const bool loads =
        access.operation == Operation::load || access.operation == Operation::async_copy || access.operation == Operation::bulk_copy;
    for (const std::size_t lane : lanes_in(access.active)) {
        if (loads) load(access.address[lane], size);
        else write(access.address[lane], size, Writer::kernel);
    }
}

void DataUse::bulk_copy(std::uint64_t address, std::uint64_t bytes, bool loads)
{
    if (loads) load(address, bytes);
    else write(address, bytes, Writer::kernel);
}

void DataUse::launch_ends()
{
    for (const auto& [number, loaded] : loaded_by_blocks_) {
        largest_load_ = std::max(largest_load_, loaded);
        loading_blocks_ += loaded > 0;
    }
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
    return {{"largest_load", largest_load_}, {"loading_blocks", loading_blocks_}, {"buffers", std::move(buffers)}};
}

}  // namespace simt::remote
