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
#include "kernel_name.hpp"
#include "lanes.hpp"
#include "partitions.hpp"
#include "recorder.hpp"
#include "reporting.hpp"
#include "simt/runtime_errors.hpp"

namespace simt::detail {

Place place;

namespace {

// Traces are grouped piece by piece: this bounds them to 16 KiB a thread, whatever the kernel does between barriers. What
// a warp has done in between then fits in the second cache of most hosts.
constexpr std::size_t most_trace_entries = 1024;
constexpr std::size_t prefetch_distance = 4;

}  // namespace

cudaError_t GridRunner::run(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, ThreadBody thread)
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
    error_ = cudaSuccess;
    begin(grid, block, dynamic_shared_bytes, thread);
    const Watchdog watchdog(session.timeout);
    bool stopped = false;
    try {
        run_blocks();
    } catch (const std::exception& error) {
        stopped = true;
        if (!dynamic_cast<const Stopped*>(&error)) session.errors.push_back(error.what());
        if (error_ == cudaSuccess) error_ = cudaErrorLaunchFailure;
        pool_.abandon();
    }
    for (Listener* listener : listeners_) listener->launch_ends();
    session.launches.push_back(counters.take());
    session.launches.back().name = current_launch().kernel;
    session.launches.back().stopped = stopped;
    session.launches.back().shared_bytes = SharedArena::instance().used();
    if (partitions) session.launches.back().partitions = partitions->take();
    return error_;
}

void GridRunner::begin(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, ThreadBody thread)
{
    catch_faults();
    begin_reports();
    place.grid_extent = grid;
    place.block_extent = block;
    thread_count_ = static_cast<int>(block.x * block.y * block.z);
    warp_count_ = (thread_count_ + warp_size - 1) / warp_size;
    body_ = thread;
    while (static_cast<int>(warps_.size()) < warp_count_) {
        const int first = static_cast<int>(warps_.size()) * warp_size;
        warps_.emplace_back();
        warps_.back().threads = &pool_[first];
        warps_.back().first = first;
    }
    SharedArena::instance().begin_launch(dynamic_shared_bytes, static_cast<std::size_t>(session().machine->default_shared_bytes),
                                         dynamic_shared_limit());
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
    entered_ = nullptr;
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
        state.trace.restart();
        state.stopped = {};
        state.lanes(Stop::ready) = lane_group(0, lanes_of(warp));
    }

    for (;;) {
        for (int warp = 0; warp < warp_count_; ++warp) run_warp(warp);
        check_time();
        if (stopped_for(Stop::trace_full)) continue;
        if (release_block_barrier()) continue;
        if (stopped_for(Stop::block_barrier) || stopped_for(Stop::warp_barrier)) report_stuck();
        break;
    }
    for (Listener* listener : listeners_) listener->block_ends();
}

void GridRunner::run_warp(int warp)
{
    running_warp_ = &warps_[static_cast<std::size_t>(warp)];
    WarpTrace& trace = running_warp_->trace;
    // A warp whose trace is grouped to its end leaves its memory to the next one, in the host's cache.
    if (trace.rows.empty()) trace.rows.swap(spare_rows_);
    if (trace.rows.empty()) trace.grow();
    do {
        to_run_ = running_warp_->take(Stop::ready) | running_warp_->take(Stop::trace_full);
        if (to_run_ == 0) continue;
        run_lanes();
        align_warp(trace, [&](const AlignedAccess& aligned) { deliver(listeners_, warp, aligned); });
    } while (release_convergence(warp) || release_warp_barriers(warp));
    if (trace.drained() && spare_rows_.empty()) trace.rows.swap(spare_rows_);
}

void GridRunner::run_lanes()
{
    running_warp_->trace.compact();
    for (std::size_t lane = 0; lane < prefetch_distance; ++lane) prefetch_context(running_warp_->threads[lane].context);
    pool_.run(begin_lane());
    // The lanes have handed over to one another. The last one stands still, or one met with an error.
    if (stopped_for(place.slot, Stop::fault)) report_fault(place.slot);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

inline void GridRunner::open_recorder()
{
    WarpTrace& trace = running_warp_->trace;
    const auto lane = static_cast<std::size_t>(place.slot - running_warp_->first);
    recorder.next = trace.entry(lane, trace.filled[lane]);
    recorder.end = trace.entry(0, trace.rows.size());
    recorder.recording = true;
}

void GridRunner::close_recorder()
{
    recorder.recording = false;
    recorder.next = recorder.end = nullptr;
}

void GridRunner::keep_recorded()
{
    if (!recorder.recording) return;
    settle_store();
    WarpTrace& trace = running_warp_->trace;
    const auto lane = static_cast<std::size_t>(place.slot - running_warp_->first);
    trace.filled[lane] = static_cast<std::uint32_t>(static_cast<std::size_t>(recorder.next - trace.entry(lane, 0)) / Recorder::stride);
}

inline Thread& GridRunner::begin_lane()
{
    Warp& warp = *running_warp_;
    const auto lane = static_cast<std::size_t>(std::countr_zero(to_run_));
    to_run_ &= to_run_ - 1;
    // A lane runs for less time than its stack takes to come from memory: it is asked for some lanes ahead.
    if (lane + prefetch_distance < warp_size) prefetch_context(warp.threads[lane + prefetch_distance].context);
    Thread& thread = warp.threads[lane];
    place.thread_index = thread.index;
    place.slot = warp.first + static_cast<int>(lane);
    recorder.frame_origin = thread.frame_origin;
    if (thread.in_kernel) open_recorder();
    else close_recorder();
    return thread;
}

ThreadPool::Handover GridRunner::stop(Stop reason) { return leave(reason); }

inline ThreadPool::Handover GridRunner::leave(Stop reason)
{
    if (reason == Stop::fault) recorder.store = nullptr;
    keep_recorded();
    const std::uint32_t self = 1u << (place.slot - running_warp_->first);
    if (reason == Stop::trace_full) running_warp_->trace.open |= self;
    running_warp_->lanes(reason) |= self;
    if (reason == Stop::exited) pool_.running()->in_kernel = false;
    const bool goes_on = to_run_ != 0 && reason != Stop::fault && !failure_;
    if (goes_on) return pool_.leave_to(&begin_lane());
    close_recorder();
    return pool_.leave_to(nullptr);
}

void GridRunner::thread_main()
{
    GridRunner& runner = instance();
    sigjmp_buf after_fault;
    runner.pool_.running()->after_fault = &after_fault;
    // The signal mask is not saved: the handler runs with nothing blocked. A thread that met with a fault never goes on.
    if (sigsetjmp(after_fault, 0) != 0) hand_over(instance().stop(Stop::fault));
    for (;;) runner.run_body();
}

void GridRunner::run_body()
{
    try {
        body_.function(body_.context);
    } catch (const std::exception&) {
        failure_ = std::current_exception();
    }
    hand_over(stop(Stop::exited));
}

void GridRunner::check_time()
{
    if (Watchdog::time_is_up()) report_timeout();
}

void GridRunner::report_timeout()
{
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", session().timeout.count());
    throw KernelError(where() + ": did not end within " + seconds +
                      " s of processor time. A block that waits for another block cannot end under the model, which runs them one after another");
}

void GridRunner::enter_kernel(const char* function, const char* signature, int parameters)
{
    Thread* thread = pool_.running();
    if (!thread || thread->in_kernel) return;
    thread->in_kernel = true;
    const char* name = signature ? signature : function;
    if (entered_ != name) current_launch().kernel = signature ? instance_name(function, signature, parameters) : function;
    entered_ = name;
    open_recorder();
}

void GridRunner::make_room()
{
    WarpTrace& trace = running_warp_->trace;
    settle_store();
    if (trace.rows.size() >= most_trace_entries) return hand_over(stop(Stop::trace_full));
    trace.filled[static_cast<std::size_t>(place.slot - running_warp_->first)] = static_cast<std::uint32_t>(trace.rows.size());
    trace.grow();
    open_recorder();
}

void GridRunner::yield() { hand_over(stop(Stop::trace_full)); }

ThreadPool::Handover GridRunner::arrive_at_block_barrier(bool predicate, const void* site)
{
    pool_.running()->site = site;
    if (!barrier_.site) barrier_.site = site;
    barrier_.at_several_sites |= site != barrier_.site;
    barrier_.sum += predicate;
    return leave(Stop::block_barrier);
}

void GridRunner::wait_at_block_barrier(const void* site) { hand_over(instance().arrive_at_block_barrier(false, site)); }

int GridRunner::count_at_block_barrier(bool predicate, const void* site)
{
    hand_over(arrive_at_block_barrier(predicate, site));
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
    hand_over(stop(Stop::warp_barrier));
    return exchanged_[static_cast<std::size_t>(place.slot)];
}

std::uint32_t GridRunner::converged_lanes(const void* site)
{
    Thread& thread = *pool_.running();
    thread.site = site;
    hand_over(stop(Stop::convergence));
    return thread.mask;
}

bool GridRunner::stopped_for(int slot, Stop reason) { return warp_of(slot).lanes(reason) >> slot % warp_size & 1; }

bool GridRunner::stopped_for(Stop reason)
{
    return std::any_of(warps_.begin(), warps_.begin() + warp_count_, [&](Warp& warp) { return warp.lanes(reason) != 0; });
}

bool GridRunner::release_block_barrier()
{
    bool waiting = false, exited = false;
    for (int warp = 0; warp < warp_count_; ++warp) {
        Warp& state = warps_[static_cast<std::size_t>(warp)];
        if ((state.lanes(Stop::block_barrier) | state.lanes(Stop::exited)) != lane_group(0, lanes_of(warp))) return false;
        waiting |= state.lanes(Stop::block_barrier) != 0;
        exited |= state.lanes(Stop::exited) != 0;
    }
    if (!waiting) return false;
    if (exited || barrier_.at_several_sites) report_divergence();
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

bool GridRunner::note_fault(int signal, std::uint64_t address, std::uint64_t code)
{
    if (!is_in_kernel()) return false;
    fault_.signal = signal;
    fault_.address = address;
    fault_.code = code;
    return true;
}

void GridRunner::end_by(std::string what, SourcePlace where, cudaError_t error)
{
    fault_.reason = std::move(what);
    if (where.line > 0) fault_.reason += ", " + where.file + ":" + std::to_string(where.line);
    error_ = error;
    siglongjmp(after_fault(), 1);
}

void GridRunner::report_fault(int slot)
{
    WarpTrace& trace = running_warp_->trace;
    const auto lane = static_cast<std::size_t>(slot - running_warp_->first);
    std::optional<TraceEntry> newest;
    if (trace.filled[lane] > 0) newest = *trace.entry(lane, trace.filled[lane] - 1);
    const TraceEntry* last = newest ? &*newest : nullptr;
    // What the warp has done until now counts, and may tell why.
    const auto warp = static_cast<int>(running_warp_->first / warp_size);
    align_warp(trace, [&](const AlignedAccess& aligned) { deliver(listeners_, warp, aligned); });
    const std::string who = where() + ", " + thread_name(slot) + ": ";
    if (const std::string reason = std::exchange(fault_.reason, {}); !reason.empty()) throw KernelError(who + reason);
    if (fault_.signal == SIGPROF) report_timeout();
    if (fault_.signal == SIGFPE) throw KernelError(who + "integer division by zero" + line_of_code(fault_.code));
    if (fault_.signal == SIGILL || fault_.signal == SIGTRAP || fault_.signal == SIGABRT)
        throw KernelError(who + "the kernel stopped itself" + last_line(last));
    if (pool_.stacks().in_guard(fault_.address))
        throw KernelError(who + "the thread's stack is used up, as by recursion without end" + last_line(last));
    error_ = report_bad_address(slot, fault_.address, last);
    throw Stopped();
}

std::string GridRunner::where() const
{
    return "kernel " + current_launch().kernel + ", " + block_name(current_launch().block);
}

void make_room() { GridRunner::instance().make_room(); }

}  // namespace simt::detail
