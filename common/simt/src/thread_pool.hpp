// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The threads of a block, each on a stack of its own.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <vector>

#include "context.hpp"
#include "simt/execution.hpp"
#include "stack_pool.hpp"

namespace simt::detail {

/// One thread of the block; what a switch needs lies in one line of the host's cache.
struct alignas(64) Thread {
    Context context;
    uint3 index{};
    /// StackPool::origin of its stack.
    std::uint64_t frame_origin = 0;
    bool started = false;
    bool in_kernel = false;
    /// Where the thread stopped, and what it brought along.
    const void* site = nullptr;
    std::uint64_t value = 0;
    std::uint32_t mask = 0;
    /// Where to go on after a memory fault.
    sigjmp_buf* after_fault = nullptr;
};

/// Switches between the threads of a block. A slot's stack is set up once and serves that thread of every block and launch.
class ThreadPool {
public:
    static constexpr int most_threads = 1024;

    ThreadPool() : stacks_(most_threads), threads_(most_threads) {}

    /// Makes ready `count` threads. Those that are new will call `body`, which never returns.
    void prepare(int count, void (*body)());

    Thread& operator[](int slot) { return threads_[static_cast<std::size_t>(slot)]; }
    const StackPool& stacks() const { return stacks_; }

    /// Lets a thread run, and those to which it hands over, until one calls leave_to(nullptr).
    void run(Thread& thread)
    {
        running_ = &thread;
        switch_context(scheduler_, thread.context);
    }
    /// A switch that is to be made.
    struct Handover {
        Context* from;
        Context* to;
    };
    /// Called on a thread's own stack, which is then to be left by hand_over(): makes `next` the running thread, or goes back to
    /// run() if that is null.
    Handover leave_to(Thread* next)
    {
        Thread& self = *running_;
        running_ = next;
        return {&self.context, next ? &next->context : &scheduler_};
    }
    /// The thread that runs, or null.
    Thread* running() const { return running_; }

    /// Forgets all threads in the middle of what they do. What stands on their stacks is not unwound.
    void abandon();

private:
    StackPool stacks_;
    std::vector<Thread> threads_;
    Context scheduler_;
    Thread* running_ = nullptr;
};

/// Comes back when the thread that is left runs again.
[[gnu::always_inline]] inline void hand_over(ThreadPool::Handover handover) { switch_context(*handover.from, *handover.to); }

}  // namespace simt::detail
