#include "remote/judge/data_use.hpp"

#include <algorithm>
#include <bit>

#include "device/links.hpp"
#include "rules/lanes.hpp"
#include "simt/rules.hpp"

namespace simt::remote {

namespace {

nlohmann::ordered_json to_json(const DataUse::BulkCopies& copies) {
    return {{"requests", copies.requests},
            {"sectors", copies.sectors},
            {"ideal_sectors", copies.ideal_sectors},
            {"bytes", copies.bytes},
            {"wavefronts", copies.wavefronts}};
}

}  // namespace

void DataUse::place(const std::string& name, std::uint64_t address, std::uint64_t bytes) {
    buffers_[address] = {name, std::vector<Byte>(bytes)};
}

template <class Visit> std::uint64_t DataUse::for_each_byte(std::uint64_t address, std::uint64_t bytes, Visit&& visit) {
    std::uint64_t visited = 0;
    for (auto& [begin, buffer] : buffers_) {
        const std::uint64_t first = std::max(address, begin), last = std::min(address + bytes, begin + buffer.bytes.size());
        for (std::uint64_t at = first; at < last; ++at) visit(buffer.bytes[at - begin]);
        if (first < last) visited += last - first;
    }
    return visited;
}

void DataUse::write(std::uint64_t address, std::uint64_t bytes, Writer writer) {
    for_each_byte(address, bytes, [writer](Byte& byte) { byte.writer = writer; });
}

void DataUse::load(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t loaded = for_each_byte(address, bytes, [](Byte& byte) { byte.loaded = true; });
    if (running_) running_->loaded += loaded;
}

void DataUse::store(std::uint64_t address, std::uint64_t bytes) {
    write(address, bytes, Writer::kernel);
    if (running_) running_->stored += bytes;
}

void DataUse::launch_begins(const LaunchInfo& info) {
    warps_ = (std::uint64_t{info.block.x} * info.block.y * info.block.z + warp_size - 1) / warp_size;
    work_of_blocks_.clear();
    running_ = nullptr;
}

void DataUse::block_runs(std::uint64_t number) { running_ = &work_of_blocks_[number]; }

void DataUse::warp_access(const WarpAccess& access) {
    const bool is_narrow = 2 * static_cast<std::size_t>(std::popcount(access.active)) <= warp_size;
    if (running_) {
        const bool shared = access.space == Space::shared;
        const std::uint64_t weight = shared ? static_cast<std::uint64_t>(shared_cost(access, machine_).ideal_wavefronts) : 1;
        running_->accesses += weight;
        running_->narrow += shared && is_narrow;
        running_->narrow_stores += shared && is_narrow && access.operation == Operation::store;
        const auto warp = static_cast<std::size_t>(access.warp);
        if (warp >= running_->of_warps.size()) running_->of_warps.resize(warp + 1);
        running_->of_warps[warp].all += weight;
        running_->of_warps[warp].global += access.space == Space::global && !is_narrow;
    }
    if (access.space != Space::global) return;
    narrow_global_ += is_narrow && access.operation != Operation::atomic;
    const auto size = static_cast<std::uint64_t>(access.size);
    const bool loads =
        access.operation == Operation::load || access.operation == Operation::async_copy || access.operation == Operation::bulk_copy;
    for (const std::size_t lane : lanes_in(access.active)) {
        if (loads) load(access.address[lane], size);
        else store(access.address[lane], size);
    }
}

void DataUse::bulk_copy(std::uint64_t address, std::uint64_t bytes, bool loads, std::uint64_t requests) {
    constexpr std::uint64_t wavefront_bytes = 128;
    const auto parts = [bytes](std::uint64_t size) { return (bytes + size - 1) / size; };
    BulkCopies& copies = loads ? bulk_loads_ : bulk_stores_;
    copies.requests += requests;
    copies.sectors += memory::sectors_of(address, bytes);
    copies.ideal_sectors += parts(sector_bytes);
    copies.bytes += bytes;
    copies.wavefronts += parts(wavefront_bytes);
    if (running_) running_->accesses += requests;
    if (loads) load(address, bytes);
    else store(address, bytes);
}

void DataUse::end_interval(Work& work) {
    if (work.of_warps.empty()) return;
    for (const auto field : {&Accesses::all, &Accesses::global})
        work.busiest_warps.*field += std::ranges::max(work.of_warps, {}, field).*field;
    work.of_warps.clear();
}

void DataUse::launch_ends() {
    std::uint64_t stored = 0;
    for (auto& [number, work] : work_of_blocks_) {
        end_interval(work);
        for (const auto field : {&Accesses::all, &Accesses::global}) slots_.*field += work.busiest_warps.*field * warps_;
        *std::ranges::min_element(accesses_) += work.accesses;
        idle_blocks_ += work.accesses == 0;
        for (const auto field : {&Work::accesses, &Work::narrow, &Work::narrow_stores, &Work::loaded})
            largest_.*field = std::max(largest_.*field, work.*field);
        stored = std::max(stored, work.stored);
    }
    largest_.stored += stored;
}

DataUse::Sums DataUse::sums(const std::string& name) const {
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

nlohmann::ordered_json DataUse::to_json() const {
    auto buffers = nlohmann::ordered_json::object();
    for (const auto& [begin, buffer] : buffers_) {
        const Sums sum = sums(buffer.name);
        buffers[buffer.name] = {
            {"bytes", sum.bytes}, {"loaded", sum.loaded}, {"stored", sum.stored}, {"filled", sum.filled}, {"copied", sum.copied}};
    }
    return {{"block",
             {{"narrow", largest_.narrow},
              {"narrow_stores", largest_.narrow_stores},
              {"loaded", largest_.loaded},
              {"stored", largest_.stored}}},
            {"busiest", {{"accesses", busiest()}}},
            {"narrow_global", narrow_global_},
            {"slots", slots_.all},
            {"global_slots", slots_.global},
            {"idle_blocks", idle_blocks_},
            {"cluster_accesses", cluster_accesses_},
            {"bulk_load", remote::to_json(bulk_loads_)},
            {"bulk_store", remote::to_json(bulk_stores_)},
            {"buffers", std::move(buffers)}};
}

}  // namespace simt::remote
