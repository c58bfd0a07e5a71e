// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "faults.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <csetjmp>
#include <cstddef>
#include <cstdint>

#include "grid_runner.hpp"
#include "recorder.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t handler_stack_bytes = std::size_t{64} << 10;

void handle(int signal, siginfo_t* info, void*)
{
    GridRunner& runner = GridRunner::instance();
    // abort() and __trap carry no address; only memory faults use it.
    if (runner.note_fault(signal, reinterpret_cast<std::uint64_t>(info->si_addr))) siglongjmp(runner.after_fault(), 1);
    if (session().before_death) session().before_death(signal);
    // Host code: back to what the program would have done without the model. Returning repeats the fault.
    ::signal(signal, SIG_DFL);
    if (signal == SIGABRT) ::raise(signal);
}

}  // namespace

void catch_faults()
{
    static bool installed = false;
    if (installed) return;
    installed = true;
    // A thread that has used up its stack cannot run the handler on it.
    stack_t stack{};
    stack.ss_size = handler_stack_bytes;
    stack.ss_sp = mmap(nullptr, handler_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = handle;
    // The handler leaves by a jump that does not restore the signal mask, so nothing may be blocked in it.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigaction(signal, &action, nullptr);
}

}  // namespace simt::detail
