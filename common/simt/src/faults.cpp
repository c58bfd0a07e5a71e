// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "faults.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "grid_runner.hpp"
#include "recorder.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t handler_stack_bytes = std::size_t{64} << 10;

/// How long after a launch's time is up the watchdog ends it by force. Until then the model does so itself, between two
/// threads or barriers, with everything counted.
constexpr std::chrono::duration<double> watchdog_delay{1};

/// What a timer can be set to.
constexpr std::chrono::duration<double> shortest_time{1e-6}, longest_time{1e9};

/// Set when the timer comes for the first time in a launch.
volatile std::sig_atomic_t time_up = 0;

/// Address of the instruction that caused a signal, where the model knows how to find it.
std::uint64_t code_address([[maybe_unused]] const void* context)
{
#if defined(__x86_64__)
    return static_cast<std::uint64_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
    return 0;
#endif
}

/// True for signals that ask the program to end.
bool is_request(int signal) { return signal == SIGINT || signal == SIGTERM; }

void handle(int signal, siginfo_t* info, void* context)
{
    if (signal == SIGPROF && !time_up) {
        time_up = 1;
        return;
    }
    GridRunner& runner = GridRunner::instance();
    // abort() carries no address; only memory faults use it.
    if (!is_request(signal) && runner.note_fault(signal, reinterpret_cast<std::uint64_t>(info->si_addr), code_address(context))) siglongjmp(runner.after_fault(), 1);
    if (signal == SIGPROF) return;
    if (session().before_death) session().before_death(signal);
    // Host code: back to what the program would have done without the model. Returning repeats the fault.
    ::signal(signal, SIG_DFL);
    if (signal == SIGABRT || is_request(signal)) ::raise(signal);
}

}  // namespace

void catch_requests()
{
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction action {};
        sigaction(signal, nullptr, &action);
        if (action.sa_handler != SIG_DFL) continue;  // who started the program wants it to ignore the signal
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigaction(signal, &action, nullptr);
    }
}

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
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF}) sigaction(signal, &action, nullptr);
}

Watchdog::Watchdog(std::chrono::duration<double> timeout)
{
    time_up = 0;
    start(std::clamp(timeout, shortest_time, longest_time));
}

Watchdog::~Watchdog() { start({}); }

bool Watchdog::time_is_up() { return time_up != 0; }

void Watchdog::start(std::chrono::duration<double> time)
{
    const auto seconds = [](std::chrono::duration<double> from) {
        const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(from).count();
        return timeval{static_cast<time_t>(microseconds / 1'000'000), static_cast<suseconds_t>(microseconds % 1'000'000)};
    };
    // The first time it tells the model. Then it comes until it meets a kernel's thread at work, and not the model itself.
    const itimerval timer{seconds(time.count() > 0 ? watchdog_delay : time), seconds(time)};
    setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace simt::detail
