// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "grid_runner.hpp"

#include <algorithm>
#include <bit>
#include <csignal>
#include <csetjmp>
#include <cstdio>
#include <optional>

#include "delivery.hpp"
#include "faults.hpp"
#include "lanes.hpp"
#include "partitions.hpp"
#include "recorder.hpp"
#include "reporting.hpp"
#include "simt/runtime_errors.hpp"

namespace simt::detail {

Place place;

namespace {

// Traces are grouped piece by piece: this bounds them to 128 KiB a thread, whatever the kernel does between barriers.
constexpr std::size_t most_trace_entries = 8192;
constexpr std::size_t prefetch_distance = 3;

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
    body_ = &thread;
    while (static_cast<int>(warps_.size()) < warp_count_) {
        const int first = static_cast<int>(warps_.size()) * warp_size;
        warps_.emplace_back();
        warps_.back().threads = &pool_[first];
        warps_.back().first = first;
        for (LaneTrace& trace : warps_.back().traces) trace.grow();
    }
    SharedArena::instance().begin_launch(dynamic_shared_bytes, static_cast<std::size_t>(session().machine->max_shared_bytes));
    recorder.local_begin = pool_.stacks().begin();
    recorder.local_bytes = pool_.stacks().bytes();
    exchanged_.resize(static_cast<std::size_t>(thread_count_));
    pool_.prepare(thread_count_, &thread_main);

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
    barrier_ = {};
    for (int warp = 0; warp < warp_count_; ++warp) {
        Warp& state = warps_[static_cast<std::size_t>(warp)];
        for (LaneTrace& trace : state.traces) trace.restart();
        state.stopped = {};
        state.lanes(Stop::ready) = lane_group(0, lanes_of(warp));
    }

    for (;;) {
        for (int warp = 0; warp < warp_count_; ++warp) run_warp(warp);
        check_time();
        if (threads_stopped_for(Stop::trace_full) > 0) continue;
        if (release_block_barrier()) continue;
        if (threads_stopped_for(Stop::block_barrier) > 0 || threads_stopped_for(Stop::warp_barrier) > 0) report_stuck();
        break;
    }
    for (Listener* listener : listeners_) listener->block_ends();
}

void GridRunner::run_warp(int warp)
{
    running_warp_ = &warps_[static_cast<std::size_t>(warp)];
    do {
        to_run_ = running_warp_->take(Stop::ready) | running_warp_->take(Stop::trace_full);
        if (to_run_ == 0) continue;
        run_lanes();
        align_warp(running_warp_->traces, [&](const AlignedAccess& aligned) { deliver(listeners_, warp, aligned); });
    } while (release_convergence(warp) || release_warp_barriers(warp));
}

void GridRunner::run_lanes()
{
    for (std::size_t lane = 0; lane < prefetch_distance; ++lane) prefetch_lane(*running_warp_, lane);
    pool_.run(begin_lane());
    // The lanes have handed over to one another. The last one stands still, or one met with an error.
    if (stopped_for(place.slot, Stop::fault)) report_fault(place.slot);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

inline void GridRunner::open_recorder(LaneTrace& trace)
{
    recorder.next = trace.entries.data() + trace.filled;
    recorder.end = trace.entries.data() + trace.entries.size();
    recorder.recording = true;
}

inline void GridRunner::close_recorder(LaneTrace& trace)
{
    if (!recorder.recording) return;
    settle_store();
    trace.filled = static_cast<std::size_t>(recorder.next - trace.entries.data());
    recorder.recording = false;
    recorder.next = recorder.end = nullptr;
}

inline Thread& GridRunner::begin_lane()
{
    Warp& warp = *running_warp_;
    const auto lane = static_cast<std::size_t>(std::countr_zero(to_run_));
    to_run_ &= to_run_ - 1;
    // A lane runs for less time than its stack takes to come from memory: it is asked for some lanes ahead.
    if (lane + prefetch_distance < warp_size) prefetch_lane(warp, lane + prefetch_distance);
    Thread& thread = warp.threads[lane];
    running_trace_ = &warp.traces[lane];
    running_trace_->compact();
    place.thread_index = thread.index;
    place.slot = warp.first + static_cast<int>(lane);
    recorder.frame_origin = thread.frame_origin;
    if (thread.in_kernel) open_recorder(*running_trace_);
    return thread;
}

// Inlined where threads wait: the fewer frames lie on a stack that is left, the less of it has to come back to the cache.
inline void GridRunner::stop(Stop reason)
{
    if (reason == Stop::fault) recorder.store = nullptr;
    close_recorder(*running_trace_);
    running_trace_->open = reason == Stop::trace_full;
    running_warp_->lanes(reason) |= 1u << (place.slot - running_warp_->first);
    if (reason == Stop::exited) pool_.running()->in_kernel = false;
    const bool goes_on = to_run_ != 0 && reason != Stop::fault && !failure_;
    pool_.leave_to(goes_on ? &begin_lane() : nullptr);
}

void GridRunner::thread_main()
{
    for (;;) instance().run_body();
}

void GridRunner::run_body()
{
    sigjmp_buf after_fault;
    pool_.running()->after_fault = &after_fault;
    // The signal mask is not saved: the handler runs with nothing blocked.
    if (sigsetjmp(after_fault, 0) != 0) return stop(Stop::fault);
    try {
        (*body_)();
    } catch (const std::exception&) {
        failure_ = std::current_exception();
    }
    stop(Stop::exited);
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
    if (trace.entries.size() >= most_trace_entries) return stop(Stop::trace_full);
    trace.filled = trace.entries.size();
    trace.grow();
    open_recorder(trace);
}

void GridRunner::yield() { stop(Stop::trace_full); }

int GridRunner::wait_at_block_barrier(bool predicate, const void* site)
{
    pool_.running()->site = site;
    if (!barrier_.site) barrier_.site = site;
    barrier_.at_several_sites |= site != barrier_.site;
    barrier_.sum += predicate;
    stop(Stop::block_barrier);
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
    stop(Stop::warp_barrier);
    return exchanged_[static_cast<std::size_t>(place.slot)];
}

std::uint32_t GridRunner::converged_lanes(const void* site)
{
    Thread& thread = *pool_.running();
    thread.site = site;
    stop(Stop::convergence);
    return thread.mask;
}

bool GridRunner::stopped_for(int slot, Stop reason) { return warp_of(slot).lanes(reason) >> slot % warp_size & 1; }

int GridRunner::threads_stopped_for(Stop reason)
{
    int threads = 0;
    for (int warp = 0; warp < warp_count_; ++warp) threads += std::popcount(warps_[static_cast<std::size_t>(warp)].lanes(reason));
    return threads;
}

bool GridRunner::release_block_barrier()
{
    const int waiting = threads_stopped_for(Stop::block_barrier), exited = threads_stopped_for(Stop::exited);
    if (waiting == 0 || waiting + exited < thread_count_) return false;
    if (exited > 0 || barrier_.at_several_sites) report_divergence();
    barrier_sum_ = std::exchange(barrier_, {}).sum;
    for (int warp = 0; warp < warp_count_; ++warp) {
        Warp& state = warps_[static_cast<std::size_t>(warp)];
        state.lanes(Stop::ready) = state.take(Stop::block_barrier);
    }
    for (Listener* listener : listeners_) listener->block_barrier();
    return true;
}

void GridRunner::report_divergence()
{
    int exited = -1, first = -1, other = -1;
    for (int slot = 0; slot < thread_count_; ++slot) {
        const Thread& thread = pool_[slot];
        if (stopped_for(slot, Stop::exited)) exited = exited < 0 ? slot : exited;
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
    const int first = warp * warp_size;
    Warp& state = warps_[static_cast<std::size_t>(warp)];
    const std::uint32_t alive = lane_group(0, lanes_of(warp)) & ~state.lanes(Stop::exited);
    std::uint32_t waiting = state.lanes(Stop::warp_barrier);
    bool released = false;
    while (waiting) {
        const std::uint32_t mask = pool_[first + std::countr_zero(waiting)].mask;
        std::uint32_t together = 0;
        for_each_lane(waiting, [&](std::size_t lane) { together |= static_cast<std::uint32_t>(pool_[first + static_cast<int>(lane)].mask == mask) << lane; });
        waiting &= ~together;
        if (together != (mask & alive)) continue;

        WarpValues values{};
        values.lanes = together;
        for_each_lane(together, [&](std::size_t lane) { values.value[lane] = pool_[first + static_cast<int>(lane)].value; });
        for_each_lane(together, [&](std::size_t lane) { exchanged_[static_cast<std::size_t>(first) + lane] = values; });
        state.lanes(Stop::warp_barrier) &= ~together;
        state.lanes(Stop::ready) |= together;
        for (Listener* listener : listeners_) listener->warp_barrier(warp, together);
        released = true;
    }
    return released;
}

bool GridRunner::release_convergence(int warp)
{
    Warp& state = warps_[static_cast<std::size_t>(warp)];
    const std::uint32_t waiting = state.lanes(Stop::convergence);
    if (waiting == 0 || state.lanes(Stop::trace_full) != 0) return false;
    const int first = warp * warp_size;
    const void* site = pool_[first + std::countr_zero(waiting)].site;
    std::uint32_t together = 0;
    for_each_lane(waiting, [&](std::size_t lane) { together |= static_cast<std::uint32_t>(pool_[first + static_cast<int>(lane)].site == site) << lane; });
    for_each_lane(together, [&](std::size_t lane) { pool_[first + static_cast<int>(lane)].mask = together; });
    state.lanes(Stop::convergence) &= ~together;
    state.lanes(Stop::ready) |= together;
    return true;
}

void GridRunner::report_stuck()
{
    std::vector<int> threads;
    std::vector<const void*> sites;
    for (int slot = 0; slot < thread_count_; ++slot) {
        const Thread& thread = pool_[slot];
        const bool waits = stopped_for(slot, Stop::block_barrier) || stopped_for(slot, Stop::warp_barrier);
        if (!waits || std::ranges::find(sites, thread.site) != sites.end()) continue;
        threads.push_back(slot);
        sites.push_back(thread.site);
    }
    std::string message;
    for (const int slot : threads) {
        const bool block = stopped_for(slot, Stop::block_barrier);
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
