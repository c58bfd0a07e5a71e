// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Runs grids: a block at a time, in it a warp at a time, in it a lane at a time, each until it has to wait.
#pragma once

#include <array>
#include <deque>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "counters.hpp"
#include "device_heap.hpp"
#include "memory_hazards.hpp"
#include "session.hpp"
#include "shared_arena.hpp"
#include "simt/runtime_errors.hpp"
#include "thread_pool.hpp"
#include "warp_alignment.hpp"

namespace simt::detail {

/// The place of the running thread. Plain data, because the kernel reads it for every threadIdx.
struct Place {
    uint3 thread_index{}, block_index{};
    dim3 block_extent, grid_extent;
    int slot = 0;
};

extern Place place;

/// Why a thread does not run. A thread that is ready waits for nothing but its turn.
enum class Stop : std::uint8_t { ready, trace_full, block_barrier, warp_barrier, convergence, exited, fault };
constexpr std::size_t stops = 7;

/// Runs one grid after another.
class GridRunner {
public:
    static GridRunner& instance()
    {
        // Never destroyed: its threads may stand in the middle of a kernel when the program ends.
        static GridRunner& runner = *new GridRunner;
        return runner;
    }

    /// Runs a launch to its end, or until it cannot go on; what went wrong is then in the session.
    /// @return what cudaGetLastError() tells of it
    cudaError_t run(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, ThreadBody thread);

    /// @name Called by the running thread
    /// @{
    void enter_kernel(const char* function, const char* signature, int parameters);
    /// Records no more of the running thread, which is about to call end_by(). What the model itself does may be code that
    /// it shares with the program, such as that of std::string, and would be taken for the kernel's.
    void close_trace()
    {
        keep_recorded();
        close_recorder();
    }
    /// Ends the launch with an error: what happened, and where.
    [[noreturn]] void end_by(std::string what, SourcePlace where, cudaError_t error);
    void make_room();
    static void wait_at_block_barrier(const void* site);
    int count_at_block_barrier(bool predicate, const void* site);
    WarpValues wait_at_warp_barrier(std::uint32_t mask, std::uint64_t value, const void* site);
    std::uint32_t converged_lanes(const void* site);
    void yield();
    /// @}

    /// Called by the signal handler. True if a thread of a kernel caused the signal and is to leave by its jump buffer.
    /// @param code address of the instruction
    bool note_fault(int signal, std::uint64_t address, std::uint64_t code);
    /// True while a thread of a kernel runs that can leave by its jump buffer.
    bool is_in_kernel() { return pool_.running() && pool_.running()->in_kernel && pool_.running()->after_fault; }
    /// True while any thread of a block runs, also before it has come to its kernel.
    bool on_thread() const { return pool_.running() != nullptr; }
    sigjmp_buf& after_fault() { return *pool_.running()->after_fault; }

private:
    struct Stopped : std::exception {};
    struct Warp {
        WarpTrace trace;
        /// The threads of the warp, and the slot of the first.
        Thread* threads = nullptr;
        int first = 0;
        /// The lanes that stand still, by the reason.
        std::array<std::uint32_t, stops> stopped{};

        std::uint32_t& lanes(Stop reason) { return stopped[static_cast<std::size_t>(reason)]; }
        std::uint32_t take(Stop reason) { return std::exchange(lanes(reason), 0); }
    };
    /// The block barrier at which threads have arrived since the last one was released.
    struct BlockBarrier {
        const void* site = nullptr;
        int sum = 0;
        bool at_several_sites = false;
    };

    void begin(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, ThreadBody thread);
    void run_blocks();
    void run_block();
    void run_warp(int warp);
    void run_lanes();
    static void thread_main();
    void run_body();
    /// What the running lane does next is recorded, or is not.
    void open_recorder();
    void close_recorder();
    /// Notes how much the running lane has recorded.
    void keep_recorded();
    Thread& begin_lane();
    /// Notes that the running lane stops, and prepares the next one. A function of its own that has returned when stacks are
    /// switched: the less lies on a stack that is left, the less of it has to come back to the cache.
    [[gnu::noinline]] ThreadPool::Handover stop(Stop reason);
    ThreadPool::Handover leave(Stop reason);
    [[gnu::noinline]] ThreadPool::Handover arrive_at_block_barrier(bool predicate, const void* site);
    void check_time();
    [[noreturn]] void report_timeout();

    bool stopped_for(int slot, Stop reason);
    /// True if any thread of the block has stopped for this reason.
    bool stopped_for(Stop reason);
    bool release_block_barrier();
    void report_divergence();
    bool release_warp_barriers(int warp);
    bool release_convergence(int warp);
    [[noreturn]] void report_stuck();
    [[noreturn]] void report_fault(int slot);

    Warp& warp_of(int slot) { return warps_[static_cast<std::size_t>(slot / warp_size)]; }
    int lanes_of(int warp) const { return std::min(warp_size, thread_count_ - warp * warp_size); }
    std::string where() const;

    ThreadPool pool_;
    ThreadBody body_{};
    int thread_count_ = 0, warp_count_ = 0;
    std::deque<Warp> warps_;
    /// What each thread gets from the warp-level operation at which it waits.
    std::vector<WarpValues> exchanged_;

    /// The warp that runs, and its lanes that are still to run.
    Warp* running_warp_ = nullptr;
    std::uint32_t to_run_ = 0;
    /// Memory for the trace of the next warp.
    std::vector<WarpTrace::Row> spare_rows_;
    /// What the thread that ran last threw, if anything; it counts as exited.
    std::exception_ptr failure_;

    MemoryHazards hazards_;
    std::vector<Listener*> listeners_;
    BlockBarrier barrier_;
    int barrier_sum_ = 0;

    struct Fault {
        int signal = 0;
        std::uint64_t address = 0, code = 0;
        /// What a thread has ended the launch for; empty for a signal.
        std::string reason;
    } fault_;
    cudaError_t error_ = cudaSuccess;
    /// What the kernel of the launch has last called itself.
    const char* entered_ = nullptr;
};

}  // namespace simt::detail
