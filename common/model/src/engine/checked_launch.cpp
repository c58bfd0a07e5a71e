#include "engine/checked_launch.hpp"

#include "device/bounds.hpp"

namespace simt {

namespace {

/// CUDA's limits for every GPU that the model has, from the CUDA C++ Programming Guide, *Compute Capabilities*. A cluster of more than 8
/// blocks has to be permitted by the kernel; no GPU takes more than 16.
constexpr Extent most_blocks{0x7FFFFFFF, 65535, 65535}, most_threads{1024, 1024, 64};
constexpr std::uint64_t most_cluster_blocks = 16;

bool is_within(const Extent& extent, const Extent& most) {
    return extent.x >= 1 && extent.y >= 1 && extent.z >= 1 && extent.x <= most.x && extent.y <= most.y && extent.z <= most.z;
}

/// The product does not wrap around if is_within() holds for the extent and CUDA's limits.
std::uint64_t volume(const Extent& extent) { return std::uint64_t{extent.x} * extent.y * extent.z; }

}  // namespace

std::optional<CheckedLaunch> CheckedLaunch::of(const LaunchRequest& request, const interpreter::Program& program, const Machine& machine) {
    CheckedLaunch launch(request);
    if (!is_within(request.grid, most_blocks) || !is_within(request.block, most_threads)) return {};
    if (volume(request.block) > static_cast<std::uint64_t>(machine.max_block_threads)) return {};
    launch.threads_ = static_cast<int>(volume(request.block));
    launch.blocks_ = volume(request.grid);
    if (!has_room(static_cast<std::uint64_t>(machine.max_shared_bytes), program.static_shared_bytes, request.dynamic_shared_bytes))
        return {};
    launch.shared_bytes_ = program.static_shared_bytes + request.dynamic_shared_bytes;
    if (request.carveout < -1 || request.carveout > 100) return {};
    if (request.cluster == Extent{0, 0, 0}) return launch;
    if (!is_within(request.cluster, request.grid) || request.cluster.x > most_cluster_blocks || request.cluster.y > most_cluster_blocks ||
        request.cluster.z > most_cluster_blocks || volume(request.cluster) > most_cluster_blocks)
        return {};
    if (request.grid.x % request.cluster.x || request.grid.y % request.cluster.y || request.grid.z % request.cluster.z) return {};
    launch.cluster_ = request.cluster;
    return launch;
}

}  // namespace simt
