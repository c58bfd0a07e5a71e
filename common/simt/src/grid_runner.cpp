// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Runs the threads of a grid as fibers: a block at a time, a warp at a time, a lane at a time, each until it has to wait.

#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <memory>
#include <string>
#include <vector>

#include "counters.hpp"
#include "device_heap.hpp"
#include "recorder.hpp"
#include "session.hpp"
#include "shared_arena.hpp"
#include "simt/execution.hpp"
#include "simt/runtime_errors.hpp"
#include "stack_pool.hpp"
#include "warp_alignment.hpp"

namespace simt {

namespace {

using boost::context::fiber;
using detail::LaneTrace;
using detail::recorder;

constexpr int most_block_threads = 1024;
// Long intervals between barriers are grouped piece by piece: this bounds the memory of a warp's traces to 32 MiB.
constexpr std::size_t trace_capacity = std::size_t{1} << 16;

/// Why a thread does not run on.
enum class Stop { none, trace_full, barrier, exited };

struct Thread {
    fiber context;
    uint3 index{};
    Stop stop = Stop::none;
    bool in_kernel = false;
};

/// A stack that outlives the fiber on it.
struct BorrowedStack {
    boost::context::stack_context allocate() { return {}; }
    void deallocate(boost::context::stack_context&) {}
};

class GridRunner {
public:
    GridRunner() : stacks_(most_block_threads), threads_(most_block_threads)
    {
        for (LaneTrace& trace : traces_) trace.accesses.resize(1024);
    }

    void run(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, const std::function<void()>& thread);
    void enter_kernel(const char* function);
    void wait_at_barrier();
    bool grow_trace();

    uint3 thread_index{}, block_index{};
    dim3 block_extent, grid_extent;
    std::string kernel_name;

private:
    void prepare_threads(const std::function<void()>& body);
    fiber make_fiber(int slot);
    void run_block();
    void run_warp(int warp);
    void run_lane(int lane, Thread& thread);
    void stop_running(Stop reason);
    bool release_barrier();
    void deliver(int warp, const detail::AlignedAccess& aligned);
    void deliver(int warp, const detail::AlignedAccess& aligned, Space space, std::uint32_t lanes);
    void abandon_threads();
    std::string where() const;

    detail::StackPool stacks_;
    std::vector<Thread> threads_;
    int thread_count_ = 0;
    const std::function<void()>* body_ = nullptr;
    std::array<LaneTrace, warp_size> traces_;
    fiber scheduler_;
    Thread* running_ = nullptr;
    int running_lane_ = 0;
    std::exception_ptr failure_;
    std::vector<Listener*> listeners_;
};

GridRunner& runner()
{
    static GridRunner instance;
    return instance;
}

void GridRunner::run(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, const std::function<void()>& thread)
{
    detail::Session& session = detail::session();
    detail::Counters counters(*session.machine);
    listeners_ = {&counters};
    listeners_.insert(listeners_.end(), session.listeners.begin(), session.listeners.end());
    grid_extent = grid;
    block_extent = block;
    detail::SharedArena::instance().begin_launch(dynamic_shared_bytes, static_cast<std::size_t>(session.machine->max_shared_bytes));
    recorder.local_begin = stacks_.begin();
    recorder.local_bytes = stacks_.bytes();
    prepare_threads(thread);

    const LaunchInfo info{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamic_shared_bytes};
    for (Listener* listener : listeners_) listener->launch_begins(info);
    try {
        for (block_index.z = 0; block_index.z < grid.z; ++block_index.z)
            for (block_index.y = 0; block_index.y < grid.y; ++block_index.y)
                for (block_index.x = 0; block_index.x < grid.x; ++block_index.x) run_block();
    } catch (...) {
        recorder.next = recorder.end = nullptr;
        abandon_threads();
        throw;
    }
    for (Listener* listener : listeners_) listener->launch_ends();

    session.launches.push_back(counters.take());
    session.launches.back().name = kernel_name;
    session.launches.back().shared_bytes = detail::SharedArena::instance().used();
}

void GridRunner::prepare_threads(const std::function<void()>& body)
{
    body_ = &body;
    thread_count_ = static_cast<int>(block_extent.x * block_extent.y * block_extent.z);
    int slot = 0;
    for (unsigned z = 0; z < block_extent.z; ++z)
        for (unsigned y = 0; y < block_extent.y; ++y)
            for (unsigned x = 0; x < block_extent.x; ++x, ++slot) {
                Thread& thread = threads_[static_cast<std::size_t>(slot)];
                thread.index = {x, y, z};
                if (!thread.context) thread.context = make_fiber(slot);
            }
}

fiber GridRunner::make_fiber(int slot)
{
    const auto stack = stacks_.stack(slot);
    // One fiber serves a thread slot for good: between blocks and launches it waits instead of being made anew.
    return fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), BorrowedStack{},
                 [this](fiber&& scheduler) {
                     scheduler_ = std::move(scheduler);
                     for (;;) {
                         try {
                             (*body_)();
                         } catch (const std::exception&) {
                             failure_ = std::current_exception();
                         }
                         stop_running(Stop::exited);
                     }
                     return std::move(scheduler_);
                 });
}

void GridRunner::abandon_threads()
{
    // A thread that waits in the middle of a kernel cannot be unwound. Its fiber is forgotten; its stack is borrowed.
    for (Thread& thread : threads_)
        if (thread.context) new fiber(std::move(thread.context));
}

void GridRunner::run_block()
{
    detail::SharedArena::instance().begin_block();
    const Extent index{block_index.x, block_index.y, block_index.z};
    for (Listener* listener : listeners_) listener->block_begins(index);
    for (int i = 0; i < thread_count_; ++i) threads_[static_cast<std::size_t>(i)].stop = Stop::none;
    const int warps = (thread_count_ + warp_size - 1) / warp_size;
    do {
        for (int warp = 0; warp < warps; ++warp) run_warp(warp);
    } while (release_barrier());
    for (Listener* listener : listeners_) listener->block_ends();
}

void GridRunner::run_warp(int warp)
{
    const int first = warp * warp_size;
    const int lanes = std::min(warp_size, thread_count_ - first);
    for (LaneTrace& trace : traces_) trace.filled = trace.grouped = 0, trace.open = false;
    for (bool more = true; more;) {
        more = false;
        for (int lane = 0; lane < lanes; ++lane) {
            Thread& thread = threads_[static_cast<std::size_t>(first + lane)];
            if (thread.stop == Stop::none || thread.stop == Stop::trace_full) run_lane(lane, thread);
            more |= thread.stop == Stop::trace_full;
        }
        detail::align_warp(traces_, [&](const detail::AlignedAccess& aligned) { deliver(warp, aligned); });
    }
}

void GridRunner::run_lane(int lane, Thread& thread)
{
    LaneTrace& trace = traces_[static_cast<std::size_t>(lane)];
    // What is still ungrouped moves to the front, so that the lane has room to go on.
    std::copy(trace.accesses.begin() + static_cast<std::ptrdiff_t>(trace.grouped),
              trace.accesses.begin() + static_cast<std::ptrdiff_t>(trace.filled), trace.accesses.begin());
    trace.filled -= trace.grouped;
    trace.grouped = 0;
    if (trace.filled == trace.accesses.size()) trace.accesses.resize(2 * trace.accesses.size());

    thread.stop = Stop::none;
    thread_index = thread.index;
    running_ = &thread;
    running_lane_ = lane;
    if (thread.in_kernel) {
        recorder.next = trace.accesses.data() + trace.filled;
        recorder.end = trace.accesses.data() + trace.accesses.size();
    }
    thread.context = std::move(thread.context).resume();
    running_ = nullptr;
    if (recorder.next) trace.filled = static_cast<std::size_t>(recorder.next - trace.accesses.data());
    recorder.next = recorder.end = nullptr;
    trace.open = thread.stop == Stop::trace_full;
    if (thread.stop == Stop::exited) thread.in_kernel = false;
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void GridRunner::enter_kernel(const char* function)
{
    if (!running_ || running_->in_kernel) return;
    running_->in_kernel = true;
    if (kernel_name != function) kernel_name = function;
    LaneTrace& trace = traces_[static_cast<std::size_t>(running_lane_)];
    recorder.next = trace.accesses.data() + trace.filled;
    recorder.end = trace.accesses.data() + trace.accesses.size();
}

void GridRunner::stop_running(Stop reason)
{
    running_->stop = reason;
    scheduler_ = std::move(scheduler_).resume();
}

void GridRunner::wait_at_barrier() { stop_running(Stop::barrier); }

bool GridRunner::grow_trace()
{
    if (!running_ || !running_->in_kernel) return false;
    LaneTrace& trace = traces_[static_cast<std::size_t>(running_lane_)];
    if (trace.accesses.size() < trace_capacity) {
        trace.filled = trace.accesses.size();
        trace.accesses.resize(2 * trace.accesses.size());
        recorder.next = trace.accesses.data() + trace.filled;
        recorder.end = trace.accesses.data() + trace.accesses.size();
    } else {
        stop_running(Stop::trace_full);
    }
    return true;
}

bool GridRunner::release_barrier()
{
    int waiting = 0;
    for (int i = 0; i < thread_count_; ++i) waiting += threads_[static_cast<std::size_t>(i)].stop == Stop::barrier;
    if (waiting == 0) return false;
    if (waiting < thread_count_)
        throw KernelError(where() + ": " + std::to_string(waiting) + " of " + std::to_string(thread_count_) +
                          " threads wait at a barrier that the others never reach");
    for (int i = 0; i < thread_count_; ++i) threads_[static_cast<std::size_t>(i)].stop = Stop::none;
    for (Listener* listener : listeners_) listener->block_barrier();
    return true;
}

void GridRunner::deliver(int warp, const detail::AlignedAccess& aligned)
{
    std::uint32_t shared = 0, global = 0;
    for (std::uint32_t rest = aligned.lanes; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t address = aligned.access[static_cast<std::size_t>(lane)]->address;
        if (detail::SharedArena::instance().contains(address))
            shared |= 1u << lane;
        else if (detail::DeviceHeap::instance().owns(address))
            global |= 1u << lane;
    }
    if (shared) deliver(warp, aligned, Space::shared, shared);
    if (global) deliver(warp, aligned, Space::global, global);
}

void GridRunner::deliver(int warp, const detail::AlignedAccess& aligned, Space space, std::uint32_t lanes)
{
    const auto& first = *aligned.access[static_cast<std::size_t>(std::countr_zero(lanes))];
    WarpAccess access;
    access.space = space;
    access.operation = first.operation;
    access.site = first.site;
    access.size = first.size;
    access.active = lanes;
    access.warp = warp;
    access.allocation = 0;
    const std::uint64_t origin = space == Space::shared ? detail::SharedArena::instance().begin() : 0;
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
        access.address[lane] = aligned.access[lane]->address - origin;
    }
    if (space == Space::global)
        if (const auto* allocation = detail::DeviceHeap::instance().find(first.address)) access.allocation = allocation->begin;
    for (Listener* listener : listeners_) listener->warp_access(access);
}

std::string GridRunner::where() const
{
    return "kernel " + kernel_name + ", block (" + std::to_string(block_index.x) + ", " + std::to_string(block_index.y) + ", " +
           std::to_string(block_index.z) + ")";
}

bool launchable(dim3 grid, dim3 block, std::size_t shared_bytes)
{
    const Machine& machine = *detail::session().machine;
    const auto threads = static_cast<std::uint64_t>(block.x) * block.y * block.z;
    const bool grid_fits = grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x <= 2147483647u && grid.y <= 65535u && grid.z <= 65535u;
    return grid_fits && threads > 0 && threads <= static_cast<std::uint64_t>(machine.max_block_threads) && block.z <= 64 &&
           shared_bytes <= static_cast<std::size_t>(machine.max_shared_bytes);
}

}  // namespace

void run_grid(const char* kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, const std::function<void()>& thread)
{
    if (!launchable(grid, block, dynamic_shared_bytes)) {
        detail::set_last_error(cudaErrorInvalidConfiguration);
        return;
    }
    runner().kernel_name = kernel;
    runner().run(grid, block, dynamic_shared_bytes, thread);
}

void kernel_entry(const char* function) { runner().enter_kernel(function); }
void block_barrier(const void*) { runner().wait_at_barrier(); }
uint3 thread_index() noexcept { return runner().thread_index; }
uint3 block_index() noexcept { return runner().block_index; }
dim3 block_extent() noexcept { return runner().block_extent; }
dim3 grid_extent() noexcept { return runner().grid_extent; }

void* static_shared(const void* declaration, std::size_t bytes, std::size_t alignment)
{
    return detail::SharedArena::instance().variable(declaration, bytes, alignment);
}

void* dynamic_shared() { return detail::SharedArena::instance().dynamic(); }

bool detail::make_room() { return runner().grow_trace(); }

}  // namespace simt
