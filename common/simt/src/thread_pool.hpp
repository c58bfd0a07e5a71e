// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The threads of a block as fibers.
#pragma once

#include <boost/context/fiber.hpp>
#include <csetjmp>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "simt/execution.hpp"
#include "stack_pool.hpp"

namespace simt::detail {

/// Why a thread does not run on.
enum class Stop : std::uint8_t { none, trace_full, block_barrier, warp_barrier, convergence, exited, fault };

/// One thread of the block.
struct Thread {
    boost::context::fiber context;
    uint3 index{};
    Stop stop = Stop::none;
    bool in_kernel = false;
    /// Where the thread stopped, what it brought along, and what it gets when it goes on.
    const void* site = nullptr;
    std::uint32_t mask = 0;
    std::uint64_t value = 0;
    WarpValues values{};
    /// Where to go on after a memory fault.
    sigjmp_buf* after_fault = nullptr;
};

/// Runs the threads of a block as fibers. A slot's fiber is made once and serves that thread of every block and launch.
class ThreadPool {
public:
    static constexpr int most_threads = 1024;

    ThreadPool() : stacks_(most_threads), threads_(most_threads) {}

    /// Makes ready `count` threads that each call `body` for every block.
    void prepare(int count, const std::function<void()>& body);

    Thread& operator[](int slot) { return threads_[static_cast<std::size_t>(slot)]; }
    const StackPool& stacks() const { return stacks_; }

    /// Lets a thread run until it stops.
    void resume(Thread& thread);
    /// Called on a thread's own stack: stops it and goes back to resume().
    void stop(Stop reason);
    /// The thread that runs, or null.
    Thread* running() const { return running_; }
    /// What the thread that ran last threw, if anything; it counts as exited.
    std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }

    /// Forgets all threads in the middle of what they do. Fibers that cannot be unwound leave only their borrowed stacks.
    void abandon();

private:
    boost::context::fiber make_fiber(int slot);
    void run_body(Thread& thread);

    StackPool stacks_;
    std::vector<Thread> threads_;
    boost::context::fiber scheduler_;
    const std::function<void()>* body_ = nullptr;
    Thread* running_ = nullptr;
    std::exception_ptr failure_;
};

}  // namespace simt::detail
