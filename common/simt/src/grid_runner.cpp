// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "grid_runner.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>

#include "delivery.hpp"
#include "faults.hpp"
#include "partitions.hpp"
#include "recorder.hpp"
#include "reporting.hpp"
#include "simt/runtime_errors.hpp"

namespace simt::detail {

Place place;

namespace {

// Traces are grouped piece by piece: this bounds them to 128 KiB a thread, whatever the kernel does between barriers.
// The first size is no power of two, so that the traces of a warp do not compete for the same lines of the host's cache.
constexpr std::size_t first_trace_entries = 268;
constexpr std::size_t most_trace_entries = 8192;

}  // namespace

GridRunner& GridRunner::instance()
{
    // Never destroyed: its threads may stand in the middle of a kernel when the program ends.
    static GridRunner& runner = *new GridRunner;
    return runner;
}

bool GridRunner::run(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, const std::function<void()>& thread)
{
    Session& session = detail::session();
    Counters counters(*session.machine);
    listeners_ = {&counters, &hazards_};
    std::optional<Partitions> partitions;
    if (session.machine->partitions > 0) {
        partitions.emplace(*session.machine, [] { return SharedArena::instance().used(); });
        listeners_.push_back(&*partitions);
    }
    listeners_.insert(listeners_.end(), session.listeners.begin(), session.listeners.end());
    bool completed = true;
    begin(grid, block, dynamic_shared_bytes, thread);
    try {
        run_blocks();
    } catch (const Stopped&) {
        completed = false;
    } catch (const KernelError& error) {
        session.errors.push_back(error.what());
        completed = false;
    }
    if (!completed) pool_.abandon();
    for (Listener* listener : listeners_) listener->launch_ends();
    session.launches.push_back(counters.take());
    session.launches.back().name = current_launch().kernel;
    session.launches.back().shared_bytes = SharedArena::instance().used();
    if (partitions) session.launches.back().partitions = partitions->take();
    return completed;
}

void GridRunner::begin(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, const std::function<void()>& thread)
{
    catch_faults();
    begin_reports();
    place.grid_extent = grid;
    place.block_extent = block;
    thread_count_ = static_cast<int>(block.x * block.y * block.z);
    warp_count_ = (thread_count_ + warp_size - 1) / warp_size;
    while (static_cast<int>(warps_.size()) < warp_count_) {
        warps_.emplace_back();
        for (LaneTrace& trace : warps_.back()) trace.entries.resize(first_trace_entries);
    }
    SharedArena::instance().begin_launch(dynamic_shared_bytes, static_cast<std::size_t>(session().machine->max_shared_bytes));
    recorder.local_begin = pool_.stacks().begin();
    recorder.local_bytes = pool_.stacks().bytes();
    pool_.prepare(thread_count_, thread);

    const LaunchInfo info{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamic_shared_bytes};
    for (int slot = 0; slot < thread_count_; ++slot) {
        const Extent index = info.thread(slot);
        pool_[slot].index = {index.x, index.y, index.z};
    }
    current_launch().info = info;
    deadline_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(session().timeout);
    for (Listener* listener : listeners_) listener->launch_begins(info);
}

void GridRunner::run_blocks()
{
    uint3& index = place.block_index;
    for (index.z = 0; index.z < place.grid_extent.z; ++index.z)
        for (index.y = 0; index.y < place.grid_extent.y; ++index.y)
            for (index.x = 0; index.x < place.grid_extent.x; ++index.x) run_block();
}

void GridRunner::run_block()
{
    SharedArena::instance().begin_block();
    current_launch().block = {place.block_index.x, place.block_index.y, place.block_index.z};
    for (Listener* listener : listeners_) listener->block_begins(current_launch().block);
    for (int slot = 0; slot < thread_count_; ++slot) pool_[slot].stop = Stop::none;
    for (int warp = 0; warp < warp_count_; ++warp)
        for (LaneTrace& trace : warps_[static_cast<std::size_t>(warp)]) trace.restart();

    for (;;) {
        for (int warp = 0; warp < warp_count_; ++warp) run_warp(warp);
        check_time();
        if (any_stopped_for(Stop::trace_full)) continue;
        if (release_block_barrier()) continue;
        if (any_stopped_for(Stop::block_barrier) || any_stopped_for(Stop::warp_barrier)) report_stuck();
        break;
    }
    for (Listener* listener : listeners_) listener->block_ends();
}

void GridRunner::run_warp(int warp)
{
    Warp& traces = warps_[static_cast<std::size_t>(warp)];
    const int first = warp * warp_size, lanes = lanes_of(warp);
    do {
        for (int lane = 0; lane < lanes; ++lane) {
            const Stop stop = pool_[first + lane].stop;
            if (stop == Stop::none || stop == Stop::trace_full) run_lane(traces[static_cast<std::size_t>(lane)], first + lane);
        }
        align_warp(traces, StackPool::slot_bytes - 1, [&](const AlignedAccess& aligned) { deliver(listeners_, warp, aligned); });
    } while (release_convergence(warp) || release_warp_barriers(warp));
}

void GridRunner::run_lane(LaneTrace& trace, int slot)
{
    Thread& thread = pool_[slot];
    trace.compact();
    place.thread_index = thread.index;
    place.slot = slot;
    running_trace_ = &trace;
    if (thread.in_kernel) open_recorder(trace);
    pool_.resume(thread);
    close_recorder(trace);
    trace.open = thread.stop == Stop::trace_full;
    if (thread.stop == Stop::fault) report_fault(slot);
    if (thread.stop == Stop::exited) {
        thread.in_kernel = false;
        if (auto failure = pool_.take_failure()) std::rethrow_exception(failure);
    }
}

void GridRunner::open_recorder(LaneTrace& trace)
{
    recorder.next = trace.entries.data() + trace.filled;
    recorder.end = trace.entries.data() + trace.entries.size();
    recorder.recording = true;
}

void GridRunner::close_recorder(LaneTrace& trace)
{
    if (!recorder.recording) return;
    recorder.recording = false;
    if (pool_[place.slot].stop == Stop::fault) recorder.store = nullptr;
    settle_store();
    trace.filled = static_cast<std::size_t>(recorder.next - trace.entries.data());
}

void GridRunner::check_time()
{
    if (std::chrono::steady_clock::now() < deadline_) return;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", session().timeout.count());
    throw KernelError(where() + ": did not end within " + seconds +
                      " s. A block that waits for another block cannot end under the model, which runs them one after another");
}

void GridRunner::enter_kernel(const char* function)
{
    Thread* thread = pool_.running();
    if (!thread || thread->in_kernel) return;
    thread->in_kernel = true;
    if (current_launch().kernel != function) current_launch().kernel = function;
    open_recorder(*running_trace_);
}

void GridRunner::make_room()
{
    LaneTrace& trace = *running_trace_;
    settle_store();
    if (trace.entries.size() >= most_trace_entries) return pool_.stop(Stop::trace_full);
    trace.filled = trace.entries.size();
    trace.entries.resize(2 * trace.entries.size());
    open_recorder(trace);
}

void GridRunner::yield() { pool_.stop(Stop::trace_full); }

int GridRunner::wait_at_block_barrier(bool predicate, const void* site)
{
    Thread& thread = *pool_.running();
    thread.site = site;
    thread.value = predicate;
    pool_.stop(Stop::block_barrier);
    return barrier_sum_;
}

WarpValues GridRunner::wait_at_warp_barrier(std::uint32_t mask, std::uint64_t value, const void* site)
{
    Thread& thread = *pool_.running();
    const std::uint32_t self = 1u << place.slot % warp_size;
    if (!(mask & self))
        report_thread_hazard(HazardKind::inactive_lane, place.slot, {site},
                             "lane " + std::to_string(place.slot % warp_size) + " calls a warp-level function whose mask does not name it",
                             "Give a mask that names every lane that makes the call.");
    thread.site = site;
    thread.mask = mask | self;
    thread.value = value;
    pool_.stop(Stop::warp_barrier);
    return thread.values;
}

std::uint32_t GridRunner::converged_lanes(const void* site)
{
    Thread& thread = *pool_.running();
    thread.site = site;
    pool_.stop(Stop::convergence);
    return thread.mask;
}

bool GridRunner::any_stopped_for(Stop reason)
{
    for (int slot = 0; slot < thread_count_; ++slot)
        if (pool_[slot].stop == reason) return true;
    return false;
}

bool GridRunner::release_block_barrier()
{
    int waiting = 0, exited = 0, sum = 0;
    for (int slot = 0; slot < thread_count_; ++slot) {
        const Thread& thread = pool_[slot];
        waiting += thread.stop == Stop::block_barrier;
        exited += thread.stop == Stop::exited;
        if (thread.stop == Stop::block_barrier) sum += thread.value != 0;
    }
    if (waiting == 0 || waiting + exited < thread_count_) return false;
    report_divergence();
    barrier_sum_ = sum;
    for (int slot = 0; slot < thread_count_; ++slot)
        if (pool_[slot].stop == Stop::block_barrier) pool_[slot].stop = Stop::none;
    for (Listener* listener : listeners_) listener->block_barrier();
    return true;
}

void GridRunner::report_divergence()
{
    int exited = -1, first = -1, other = -1;
    for (int slot = 0; slot < thread_count_; ++slot) {
        const Thread& thread = pool_[slot];
        if (thread.stop == Stop::exited) exited = exited < 0 ? slot : exited;
        else if (first < 0) first = slot;
        else if (other < 0 && thread.site != pool_[first].site &&
                 place_of(thread.site) != place_of(pool_[first].site)) other = slot;
    }
    const std::string help = "Move the barrier out of the condition, so that every thread of the block reaches it.";
    if (exited >= 0)
        report_threads_hazard(HazardKind::divergent_barrier, {first, exited}, {pool_[first].site},
                              thread_name(exited) + " has ended and never reaches the barrier at which " + thread_name(first) + " waits", help);
    if (other >= 0)
        report_threads_hazard(HazardKind::divergent_barrier, {first, other}, {pool_[first].site, pool_[other].site},
                              thread_name(first) + " and " + thread_name(other) + " wait at different barriers", help);
}

bool GridRunner::release_warp_barriers(int warp)
{
    const int first = warp * warp_size, lanes = lanes_of(warp);
    std::uint32_t waiting = 0, alive = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        const Stop stop = pool_[first + lane].stop;
        if (stop == Stop::warp_barrier) waiting |= 1u << lane;
        if (stop != Stop::exited) alive |= 1u << lane;
    }
    bool released = false;
    while (waiting) {
        const int leader = std::countr_zero(waiting);
        const std::uint32_t named = pool_[first + leader].mask & alive;
        std::uint32_t together = 0;
        for (int lane = 0; lane < lanes; ++lane)
            if (waiting >> lane & 1 && pool_[first + lane].mask == pool_[first + leader].mask) together |= 1u << lane;
        waiting &= ~together;
        if (together != named) continue;

        WarpValues values{};
        values.lanes = together;
        for (std::uint32_t rest = together; rest; rest &= rest - 1) values.value[std::countr_zero(rest)] = pool_[first + std::countr_zero(rest)].value;
        for (std::uint32_t rest = together; rest; rest &= rest - 1) {
            Thread& thread = pool_[first + std::countr_zero(rest)];
            thread.values = values;
            thread.stop = Stop::none;
        }
        for (Listener* listener : listeners_) listener->warp_barrier(warp, together);
        released = true;
    }
    return released;
}

bool GridRunner::release_convergence(int warp)
{
    const int first = warp * warp_size, lanes = lanes_of(warp);
    const void* site = nullptr;
    std::uint32_t together = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        const Thread& thread = pool_[first + lane];
        if (thread.stop == Stop::trace_full) return false;
        if (thread.stop != Stop::convergence) continue;
        if (!site) site = thread.site;
        if (thread.site == site) together |= 1u << lane;
    }
    for (std::uint32_t rest = together; rest; rest &= rest - 1) {
        Thread& thread = pool_[first + std::countr_zero(rest)];
        thread.mask = together;
        thread.stop = Stop::none;
    }
    return together != 0;
}

void GridRunner::report_stuck()
{
    std::vector<int> threads;
    std::vector<const void*> sites;
    for (int slot = 0; slot < thread_count_; ++slot) {
        const Thread& thread = pool_[slot];
        const bool waits = thread.stop == Stop::block_barrier || thread.stop == Stop::warp_barrier;
        if (!waits || std::ranges::find(sites, thread.site) != sites.end()) continue;
        threads.push_back(slot);
        sites.push_back(thread.site);
    }
    std::string message;
    for (const int slot : threads) {
        const bool block = pool_[slot].stop == Stop::block_barrier;
        message += (message.empty() ? "" : "; ") + thread_name(slot) +
                   (block ? " waits at a block barrier" : " waits for lanes of its warp that never make the same call with the same mask");
    }
    report_threads_hazard(HazardKind::deadlock, threads, sites, message, "Let all threads that are named reach the same barrier or call.");
    throw Stopped();
}

bool GridRunner::note_fault(int signal, std::uint64_t address)
{
    if (!pool_.running() || !pool_.running()->in_kernel || !pool_.running()->after_fault) return false;
    fault_ = {signal, address};
    return true;
}

void GridRunner::report_fault(int slot)
{
    const LaneTrace& trace = *running_trace_;
    const TraceEntry* last = trace.filled > 0 ? &trace.entries[trace.filled - 1] : nullptr;
    if (fault_.signal == SIGFPE) throw KernelError(where() + ", " + thread_name(slot) + ": integer division by zero" + last_line(last));
    if (fault_.signal == SIGILL || fault_.signal == SIGTRAP || fault_.signal == SIGABRT)
        throw KernelError(where() + ", " + thread_name(slot) + ": the kernel stopped itself" + last_line(last));
    if (pool_.stacks().in_guard(fault_.address))
        throw KernelError(where() + ", " + thread_name(slot) + ": the thread's stack is used up, as by recursion without end" + last_line(last));
    report_bad_address(slot, fault_.address, last);
    throw Stopped();
}

std::string GridRunner::where() const
{
    return "kernel " + current_launch().kernel + ", " + block_name(current_launch().block);
}

void make_room() { GridRunner::instance().make_room(); }

}  // namespace simt::detail
