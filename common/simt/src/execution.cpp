// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What translated source and the model's CUDA headers call.

#include "simt/execution.hpp"

#include "grid_runner.hpp"
#include "recorder.hpp"
#include "reporting.hpp"
#include "simt/runtime_errors.hpp"

namespace simt {

using detail::GridRunner;
using detail::place;

namespace {

bool launchable(dim3 grid, dim3 block)
{
    const Machine& machine = *detail::session().machine;
    const auto threads = static_cast<std::uint64_t>(block.x) * block.y * block.z;
    const bool grid_fits = grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x <= 2147483647u && grid.y <= 65535u && grid.z <= 65535u;
    return grid_fits && threads > 0 && threads <= static_cast<std::uint64_t>(machine.max_block_threads) && block.z <= 64;
}

}  // namespace

void run_grid(const char* kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, const std::function<void()>& thread)
{
    if (!launchable(grid, block)) {
        detail::set_last_error(cudaErrorInvalidConfiguration);
        return;
    }
    if (dynamic_shared_bytes > detail::dynamic_shared_limit()) {
        detail::set_last_error(cudaErrorInvalidValue);
        return;
    }
    detail::current_launch().kernel = kernel;
    if (!GridRunner::instance().run(grid, block, dynamic_shared_bytes, thread)) detail::set_last_error(cudaErrorLaunchFailure);
}

void kernel_entry(const char* function) { GridRunner::instance().enter_kernel(function); }
void block_barrier(const void* site) { GridRunner::wait_at_block_barrier(site); }
int block_barrier_count(bool predicate, const void* site) { return GridRunner::instance().count_at_block_barrier(predicate, site); }
int lane_index() { return place.slot % warp_size; }
std::uint32_t active_lanes(const void* site) { return GridRunner::instance().converged_lanes(site); }

WarpValues warp_exchange(std::uint32_t mask, std::uint64_t value, const void* site)
{
    return GridRunner::instance().wait_at_warp_barrier(mask, value, site);
}

void report_inactive_lane(int lane, const void* site)
{
    detail::report_thread_hazard(HazardKind::inactive_lane, place.slot, {site},
                                 detail::thread_name(place.slot) + " takes a value from lane " + std::to_string(lane) +
                                     ", which takes no part in the shuffle",
                                 "Name only lanes in the mask that make the call, and read only from those.");
}

void record_atomic(const volatile void* address, std::size_t bytes, const void* site)
{
    using namespace detail;
    if (!recorder.recording) return;
    settle_store();
    append(reinterpret_cast<std::uint64_t>(address), static_cast<std::uint16_t>(bytes), TraceEntry::Kind::atomic, site);
}

void yield_thread() { GridRunner::instance().yield(); }

uint3 thread_index() noexcept { return place.thread_index; }
uint3 block_index() noexcept { return place.block_index; }
dim3 block_extent() noexcept { return place.block_extent; }
dim3 grid_extent() noexcept { return place.grid_extent; }

void* static_shared(const void* declaration, std::size_t bytes, std::size_t alignment)
{
    return detail::SharedArena::instance().variable(declaration, bytes, alignment);
}

void* dynamic_shared() { return detail::SharedArena::instance().dynamic(); }

}  // namespace simt
