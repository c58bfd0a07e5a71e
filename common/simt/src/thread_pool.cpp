// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "thread_pool.hpp"

#include <boost/context/preallocated.hpp>

namespace simt::detail {

namespace {

using boost::context::fiber;

/// A stack that outlives the fiber on it.
struct BorrowedStack {
    boost::context::stack_context allocate() { return {}; }
    void deallocate(boost::context::stack_context&) {}
};

}  // namespace

void ThreadPool::prepare(int count, const std::function<void()>& body)
{
    body_ = &body;
    for (int slot = 0; slot < count; ++slot)
        if (Thread& thread = (*this)[slot]; !thread.context) thread.context = make_fiber(slot);
}

fiber ThreadPool::make_fiber(int slot)
{
    const auto stack = stacks_.stack(slot);
    return fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), BorrowedStack{},
                 [this, slot](fiber&& scheduler) {
                     scheduler_ = std::move(scheduler);
                     for (;;) run_body((*this)[slot]);
                     return std::move(scheduler_);
                 });
}

void ThreadPool::run_body(Thread& thread)
{
    sigjmp_buf after_fault;
    thread.after_fault = &after_fault;
    // The signal mask is not saved: the handler runs with nothing blocked.
    if (sigsetjmp(after_fault, 0) != 0) return stop(Stop::fault);
    try {
        (*body_)();
    } catch (const std::exception&) {
        failure_ = std::current_exception();
    }
    stop(Stop::exited);
}

void ThreadPool::resume(Thread& thread)
{
    thread.stop = Stop::none;
    running_ = &thread;
    thread.context = std::move(thread.context).resume();
    running_ = nullptr;
}

void ThreadPool::stop(Stop reason)
{
    running_->stop = reason;
    scheduler_ = std::move(scheduler_).resume();
}

void ThreadPool::abandon()
{
    for (Thread& thread : threads_) {
        if (thread.context) new fiber(std::move(thread.context));
        thread.in_kernel = false;
        thread.stop = Stop::none;
    }
}

}  // namespace simt::detail
