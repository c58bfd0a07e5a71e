// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What translated source and the model's CUDA headers call.

#include "simt/execution.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "grid_runner.hpp"
#include "recorder.hpp"
#include "reporting.hpp"
#include "simt/runtime_errors.hpp"

namespace simt {

using detail::GridRunner;
using detail::place;

namespace {

bool is_possible_grid(dim3 grid)
{
    return grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x <= 2147483647u && grid.y <= 65535u && grid.z <= 65535u;
}

bool is_possible_block(dim3 block, const Machine& machine)
{
    const auto threads = static_cast<std::uint64_t>(block.x) * block.y * block.z;
    return threads > 0 && threads <= static_cast<std::uint64_t>(machine.max_block_threads) && block.z <= 64;
}

std::string size_of(dim3 extent)
{
    return std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " + std::to_string(extent.z);
}

/// A kernel that never ran is an error even if the program does not ask for it.
void refuse(const char* kernel, const std::string& why, cudaError_t error)
{
    detail::session().errors.push_back(std::string("kernel ") + kernel + " was not launched: " + why + " (" + cudaGetErrorName(error) + ")");
    detail::set_last_error(error);
}

}  // namespace

void run_grid(const char* kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, ThreadBody thread)
{
    const Machine& machine = *detail::session().machine;
    if (!is_possible_grid(grid)) return refuse(kernel, "no grid has " + size_of(grid) + " blocks", cudaErrorInvalidConfiguration);
    if (!is_possible_block(block, machine))
        return refuse(kernel, "no block of " + machine.name + " has " + size_of(block) + " threads", cudaErrorInvalidConfiguration);
    if (const auto limit = detail::dynamic_shared_limit(); dynamic_shared_bytes > limit)
        return refuse(kernel, std::to_string(dynamic_shared_bytes) + " bytes of dynamic shared memory were asked for, and " + std::to_string(limit) + " are allowed",
                      cudaErrorInvalidValue);
    detail::current_launch().kernel = kernel;
    if (const cudaError_t error = GridRunner::instance().run(grid, block, dynamic_shared_bytes, thread)) detail::set_last_error(error);
}

void kernel_entry(const char* function, const char* signature, int parameters)
{
    GridRunner::instance().enter_kernel(function, signature, parameters);
}

void stop_kernel(const void* site)
{
    GridRunner& runner = GridRunner::instance();
    if (!runner.is_in_kernel()) std::abort();
    runner.close_trace();
    runner.end_by("the kernel stopped itself", detail::place_of(site), cudaErrorLaunchFailure);
}

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

namespace {

/// A path's last part, as places in the source are shown.
std::string file_name(const char* path) { return std::filesystem::path(path ? path : "").filename().string(); }

}  // namespace

/// What `assert` calls, in the place of the C library's function. An assertion of host code ends the program as always.
extern "C" void __assert_fail(const char* assertion, const char* file, unsigned line, const char* function) noexcept
{
    simt::detail::GridRunner& runner = simt::detail::GridRunner::instance();
    if (runner.is_in_kernel()) {
        runner.close_trace();
        runner.end_by("assertion `" + std::string(assertion) + "' failed", {file_name(file), static_cast<int>(line)}, cudaErrorAssert);
    }
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function ? function : "", assertion);
    std::abort();
}
