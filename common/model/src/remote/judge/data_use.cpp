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
    buffers_[address] = {name, std::vector<std::uint8_t>(bytes), std::vector<Writer>(bytes)};
}

template <class Visit> void DataUse::in_buffers(std::uint64_t address, std::uint64_t bytes, Visit&& visit) {
    for (auto& [begin, buffer] : buffers_) {
        const std::uint64_t first = std::max(address, begin), last = std::min(address + bytes, begin + buffer.loaded.size());
        if (first < last) visit(buffer, static_cast<std::ptrdiff_t>(first - begin), last - first);
    }
}

void DataUse::write(std::uint64_t address, std::uint64_t bytes, Writer writer) {
    in_buffers(address, bytes, [writer](Buffer& buffer, std::ptrdiff_t first, std::uint64_t count) {
        std::fill_n(buffer.writer.begin() + first, count, writer);
    });
}

void DataUse::load(std::uint64_t address, std::uint64_t bytes) {
    in_buffers(address, bytes, [this](Buffer& buffer, std::ptrdiff_t first, std::uint64_t count) {
        std::fill_n(buffer.loaded.begin() + first, count, std::uint8_t{1});
        if (running_) running_->loaded += count;
    });
}

void DataUse::store(std::uint64_t address, std::uint64_t bytes) {
    write(address, bytes, Writer::kernel);
    if (running_) running_->stored += bytes;
}

void DataUse::launch_begins(const LaunchInfo& info) {
    const std::uint64_t threads = std::uint64_t{info.block.x} * info.block.y * info.block.z;
    warps_ = (threads + warp_size - 1) / warp_size;
    // The GPU takes the smallest part of at least this size, and of at least a block's.
    Machine part = machine_;
    if (info.carveout >= 0)
        part.multiprocessor_shared_bytes = static_cast<int>(std::int64_t{part.multiprocessor_shared_bytes} * info.carveout / 100);
    const auto blocks = [&](std::size_t shared_bytes) {
        return part.concurrent_blocks(static_cast<int>(threads), static_cast<std::int64_t>(shared_bytes)) / part.multiprocessors;
    };
    const Room room{blocks(info.static_shared_bytes + info.dynamic_shared_bytes), blocks(0)};
    const int ratio = room.blocks * room_.without_shared, most = room_.blocks * room.without_shared;
    if (ratio < most || (ratio == most && room.blocks < room_.blocks)) room_ = room;
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
    // Lanes side by side are one stretch of bytes.
    std::uint64_t begin = 0, end = 0;
    const auto use = [&] {
        if (begin == end) return;
        if (loads) load(begin, end - begin);
        else store(begin, end - begin);
    };
    for (const std::size_t lane : lanes_in(access.active)) {
        if (const std::uint64_t address = access.address[lane]; address != end) {
            use();
            begin = address;
            end = address;
        }
        end += size;
    }
    use();
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
    Accesses most;
    for (const Accesses& each : work.of_warps) most = {std::max(most.all, each.all), std::max(most.global, each.global)};
    work.busiest_warps.all += most.all;
    work.busiest_warps.global += most.global;
    work.of_warps.clear();
}

void DataUse::pass_barrier() {
    if (!running_) return;
    // A barrier behind which nothing is accessed takes time, too. Blocks that access nothing at all are counted as idle.
    if (running_->of_warps.empty() && running_->accesses > 0) running_->of_warps = {{1, 0}};
    end_interval(*running_);
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
        const auto written = [&](Writer writer) { return static_cast<std::uint64_t>(std::ranges::count(buffer.writer, writer)); };
        sums.bytes += buffer.loaded.size();
        sums.loaded += static_cast<std::uint64_t>(std::ranges::count(buffer.loaded, 1));
        sums.stored += written(Writer::kernel);
        sums.filled += written(Writer::fill);
        sums.copied += written(Writer::copy);
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
            {"cluster_barriers", cluster_barriers_},
            {"sleeps", sleeps_},
            {"executed", executed_},
            {"room", {{"blocks", room_.blocks}, {"without_shared", room_.without_shared}}},
            {"bulk_load", remote::to_json(bulk_loads_)},
            {"bulk_store", remote::to_json(bulk_stores_)},
            {"buffers", std::move(buffers)}};
}

}  // namespace simt::remote
