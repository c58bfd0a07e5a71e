#include "rules/partitions.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "rules/lanes.hpp"

namespace simt::rules {

Partitions::Partitions(const Machine& machine, std::function<std::size_t()> shared_bytes)
    : machine_(machine), shared_bytes_(std::move(shared_bytes)) {}

void Partitions::launch_begins(const LaunchInfo& info) {
    block_threads_ = static_cast<int>(info.block.x * info.block.y * info.block.z);
    blocks_in_group_ = 0;
    is_first_group_ = true;
    const auto partitions = static_cast<std::size_t>(machine_.partitions);
    counts_ = {.partitions = machine_.partitions,
               .partition_bytes = machine_.partition_bytes,
               .concurrent_blocks = 0,
               .load = {std::vector<std::uint64_t>(partitions), std::vector<std::uint64_t>(partitions)},
               .store = {std::vector<std::uint64_t>(partitions), std::vector<std::uint64_t>(partitions)}};
}

void Partitions::block_begins(const Extent&) { loads_.made = stores_.made = 0; }

void Partitions::warp_access(const WarpAccess& access) {
    if (access.space != Space::global) return;
    const bool is_load = access.operation == Operation::load || access.operation == Operation::async_copy;
    Steps& steps = is_load ? loads_ : stores_;
    std::uint32_t used = 0;
    for (const std::size_t lane : lanes_in(access.active)) {
        const std::uint64_t stripe = access.address[lane] / static_cast<std::uint64_t>(machine_.partition_bytes);
        used |= 1u << stripe % static_cast<std::uint64_t>(machine_.partitions);
    }
    if (steps.made == steps.requests.size()) steps.requests.emplace_back(static_cast<std::size_t>(machine_.partitions));
    for (const std::size_t partition : lanes_in(used)) ++steps.requests[steps.made][partition];
    ++steps.made;
}

void Partitions::block_ends() {
    // The number of blocks that fit is known once the first block has declared its shared memory.
    if (counts_.concurrent_blocks == 0)
        counts_.concurrent_blocks = machine_.concurrent_blocks(block_threads_, static_cast<std::int64_t>(shared_bytes_()));
    if (++blocks_in_group_ == counts_.concurrent_blocks) end_group();
}

void Partitions::launch_ends() { end_group(); }

void Partitions::end_group() {
    end_steps(loads_, counts_.load);
    end_steps(stores_, counts_.store);
    blocks_in_group_ = 0;
    is_first_group_ = false;
}

void Partitions::end_steps(Steps& steps, PartitionUse& use) {
    if (is_first_group_ && !steps.requests.empty()) use.first_step = steps.requests.front();
    for (const auto& requests : steps.requests) {
        const std::uint64_t all = std::accumulate(requests.begin(), requests.end(), std::uint64_t{0});
        const auto used =
            std::ranges::count_if(requests, [&](std::uint64_t some) { return some > 0 && 2 * some * requests.size() >= all; });
        ++use.steps[static_cast<std::size_t>(used) - 1];
    }
    steps.requests.clear();
}

PartitionCounts Partitions::take() { return std::exchange(counts_, {}); }

}  // namespace simt::rules
