#include "interpreter/schedule/special_registers.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

namespace {

constexpr std::pair<std::string_view, Special> names[] = {
    {"%tid.x", Special::tid_x},
    {"%tid.y", Special::tid_y},
    {"%tid.z", Special::tid_z},
    {"%ntid.x", Special::ntid_x},
    {"%ntid.y", Special::ntid_y},
    {"%ntid.z", Special::ntid_z},
    {"%ctaid.x", Special::ctaid_x},
    {"%ctaid.y", Special::ctaid_y},
    {"%ctaid.z", Special::ctaid_z},
    {"%nctaid.x", Special::nctaid_x},
    {"%nctaid.y", Special::nctaid_y},
    {"%nctaid.z", Special::nctaid_z},
    {"%laneid", Special::laneid},
    {"%warpid", Special::warpid},
    {"%nwarpid", Special::nwarpid},
    {"%smid", Special::smid},
    {"%nsmid", Special::nsmid},
    {"%gridid", Special::gridid},
    {"%lanemask_eq", Special::lanemask_eq},
    {"%lanemask_le", Special::lanemask_le},
    {"%lanemask_lt", Special::lanemask_lt},
    {"%lanemask_ge", Special::lanemask_ge},
    {"%lanemask_gt", Special::lanemask_gt},
    {"%dynamic_smem_size", Special::dynamic_smem_size},
    {"%total_smem_size", Special::total_smem_size},
    {"%aggr_smem_size", Special::total_smem_size},
    {"%clusterid.x", Special::clusterid_x},
    {"%clusterid.y", Special::clusterid_y},
    {"%clusterid.z", Special::clusterid_z},
    {"%nclusterid.x", Special::nclusterid_x},
    {"%nclusterid.y", Special::nclusterid_y},
    {"%nclusterid.z", Special::nclusterid_z},
    {"%cluster_ctaid.x", Special::cluster_ctaid_x},
    {"%cluster_ctaid.y", Special::cluster_ctaid_y},
    {"%cluster_ctaid.z", Special::cluster_ctaid_z},
    {"%cluster_nctaid.x", Special::cluster_nctaid_x},
    {"%cluster_nctaid.y", Special::cluster_nctaid_y},
    {"%cluster_nctaid.z", Special::cluster_nctaid_z},
    {"%cluster_ctarank", Special::cluster_ctarank},
    {"%cluster_nctarank", Special::cluster_nctarank},
    {"%is_explicit_cluster", Special::is_explicit_cluster},
};

unsigned part(const Extent& extent, Special special, Special x) {
    switch (static_cast<int>(special) - static_cast<int>(x)) {
        case 0: return extent.x;
        case 1: return extent.y;
        default: return extent.z;
    }
}

bool is_between(Special special, Special first, Special last) { return special >= first && special <= last; }

std::uint32_t lane_mask(Special special, std::size_t lane) {
    const std::uint32_t own = 1u << lane, below = own - 1;
    switch (special) {
        case Special::lanemask_eq: return own;
        case Special::lanemask_le: return own | below;
        case Special::lanemask_lt: return below;
        case Special::lanemask_ge: return ~below;
        default: return ~(own | below);
    }
}

std::uint64_t value_of_block(const Warp& warp, Special special) {
    const Launch& launch = *warp.launch;
    const Block& block = *warp.block;
    const Extent& grid = launch.info.grid;
    if (is_between(special, Special::ctaid_x, Special::ctaid_z)) return part(block.index, special, Special::ctaid_x);
    const Extent& cluster = launch.cluster;
    const Extent clusters{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
    const Extent cluster_index{block.index.x / cluster.x, block.index.y / cluster.y, block.index.z / cluster.z};
    const Extent in_cluster{block.index.x % cluster.x, block.index.y % cluster.y, block.index.z % cluster.z};
    if (is_between(special, Special::ntid_x, Special::ntid_z)) return part(launch.info.block, special, Special::ntid_x);
    if (is_between(special, Special::nctaid_x, Special::nctaid_z)) return part(grid, special, Special::nctaid_x);
    if (is_between(special, Special::clusterid_x, Special::clusterid_z)) return part(cluster_index, special, Special::clusterid_x);
    if (is_between(special, Special::nclusterid_x, Special::nclusterid_z)) return part(clusters, special, Special::nclusterid_x);
    if (is_between(special, Special::cluster_ctaid_x, Special::cluster_ctaid_z)) return part(in_cluster, special, Special::cluster_ctaid_x);
    if (is_between(special, Special::cluster_nctaid_x, Special::cluster_nctaid_z)) return part(cluster, special, Special::cluster_nctaid_x);
    switch (special) {
        case Special::warpid: return static_cast<std::uint64_t>(warp.index);
        case Special::nwarpid: return static_cast<std::uint64_t>(launch.warps);
        case Special::smid: return block.number % static_cast<std::uint64_t>(launch.machine->multiprocessors);
        case Special::nsmid: return static_cast<std::uint64_t>(launch.machine->multiprocessors);
        case Special::gridid: return launch.grid_id;
        case Special::dynamic_smem_size: return launch.info.dynamic_shared_bytes;
        case Special::total_smem_size: return launch.shared_bytes;
        case Special::workspace_high: return launch.workspace >> 32;
        case Special::workspace_low: return launch.workspace & 0xFFFF'FFFFu;
        case Special::cluster_ctarank: return static_cast<std::uint64_t>(block.cluster_rank);
        case Special::cluster_nctarank: return std::uint64_t{cluster.x} * cluster.y * cluster.z;
        case Special::is_explicit_cluster: return launch.explicit_cluster;
        default: return 0;
    }
}

std::uint64_t value_of(const Warp& warp, Special special, std::size_t lane) {
    if (is_between(special, Special::tid_x, Special::tid_z))
        return part(warp.launch->info.thread(warp.thread_of(lane)), special, Special::tid_x);
    if (special == Special::laneid) return static_cast<std::uint64_t>(lane);
    if (is_between(special, Special::lanemask_eq, Special::lanemask_gt)) return lane_mask(special, lane);
    return value_of_block(warp, special);
}

}  // namespace

std::optional<Special> find_special(std::string_view name) {
    for (const auto& [known, special] : names)
        if (known == name) return special;
    // Where the driver tells a cooperative kernel the address of its workspace.
    if (name == "%envreg1") return Special::workspace_high;
    if (name == "%envreg2") return Special::workspace_low;
    if (name.starts_with("%envreg") || name.starts_with("%pm") || name.starts_with("%reserved_smem_offset") ||
        name == "%current_graph_exec" || name.ends_with(".w"))
        return Special::zero;
    return {};
}

bool changes_between_blocks(Special special) {
    return is_between(special, Special::ctaid_x, Special::ctaid_z) || is_between(special, Special::clusterid_x, Special::clusterid_z) ||
           is_between(special, Special::cluster_ctaid_x, Special::cluster_ctaid_z) || special == Special::smid ||
           special == Special::cluster_ctarank;
}

bool is_clock(std::string_view name) { return name.starts_with("%clock") || name.starts_with("%globaltimer"); }

void fill_special(const Warp& warp, const SpecialSlot& slot, unsigned char* registers) {
    if (slot.special == Special::is_explicit_cluster && slot.bytes == 0) {
        const std::uint32_t all = warp.launch->explicit_cluster ? all_lanes : 0;
        std::memcpy(registers + slot.offset, &all, sizeof all);
        return;
    }
    const bool is_uniform = !is_between(slot.special, Special::tid_x, Special::tid_z) && slot.special != Special::laneid &&
                            !is_between(slot.special, Special::lanemask_eq, Special::lanemask_gt);
    const std::uint64_t first = value_of(warp, slot.special, 0);
    if (is_uniform && slot.bytes == 4) {
        std::fill_n(reinterpret_cast<std::uint32_t*>(registers + slot.offset), warp_size, static_cast<std::uint32_t>(first));
        return;
    }
    for (std::size_t lane = 0; lane < warp_size; ++lane)
        write_lane(registers + slot.offset, lane, is_uniform ? first : value_of(warp, slot.special, lane), slot.bytes);
}

}  // namespace simt::interpreter
