// Handlers for signals that end the program: they print a line if host code touched device memory, and write the report.

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>

#include "device/address_space.hpp"
#include "report/host_place.hpp"
#include "report/report.hpp"
#include "report/session.hpp"

namespace simt::report {

namespace {

constexpr std::array deadly_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGINT, SIGTERM, SIGXCPU};
constexpr std::size_t most_signals = 65;

/// The actions before the library was loaded.
std::array<struct sigaction, most_signals> earlier_actions;

bool is_memory_fault(int signal) { return signal == SIGSEGV || signal == SIGBUS; }
bool repeats_by_itself(int signal) { return is_memory_fault(signal) || signal == SIGFPE || signal == SIGILL; }

void print(const Message& message) {
    const std::string text = "error: " + message.text() + "\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

/// The access that caused the fault. Some processors say whether it is a read or a write.
struct Fault {
    void* instruction = nullptr;
    /// Empty if the processor does not say.
    std::optional<Operation> operation;
};

Fault fault_of([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
    constexpr greg_t is_write = 2;
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    return {reinterpret_cast<void*>(registers[REG_RIP] + 1), registers[REG_ERR] & is_write ? Operation::store : Operation::load};
#else
    return {};
#endif
}

/// The line of the program that was executed, or that called the code that was executed; line 0 if it is not known.
SourcePlace line_of(const Fault& fault) {
    std::array<void*, 24> callers{};
    const int count = backtrace(callers.data(), static_cast<int>(callers.size()));
    Dl_info own{}, libc{};
    dladdr(reinterpret_cast<void*>(&line_of), &own);
    dladdr(reinterpret_cast<void*>(&getpid), &libc);
    std::array<void*, 25> candidates{fault.instruction};
    std::copy_n(callers.begin(), count, candidates.begin() + 1);
    for (void* address : candidates) {
        Dl_info of{};
        if (!address || !dladdr(address, &of) || of.dli_fbase == own.dli_fbase || of.dli_fbase == libc.dli_fbase) continue;
        if (const SourcePlace place = place_of_call(address); place.line > 0) return place;
    }
    return {};
}

/// A signal handler is not supposed to write files or start programs. If it waits for a lock of the code that it interrupted, an alarm
/// ends it.
void limit_time() {
    constexpr unsigned seconds = 5;
    std::signal(SIGALRM, SIG_DFL);
    alarm(seconds);
}

void add_line(Message& message, const SourcePlace& place) {
    if (place.line > 0) message.fields.insert(message.fields.end(), {{"file", place.file}, {"line", place.line}});
}

Message message_of(const Fault& fault, std::uint64_t address) {
    Message message(MessageCode::host_accesses_device_memory,
                    {{"operation", fault.operation ? name_of(*fault.operation) : unknown_operation}, {"address", address}});
    add_line(message, line_of(fault));
    return message;
}

/// @param cause further information about the signal
void write_last_report(int signal, const std::optional<Message>& cause) {
    constexpr int shell_offset = 128;
    const CurrentLaunch& launch = current_launch();
    Message end(launch.running ? MessageCode::ended_in_kernel : MessageCode::ended_in_host_code);
    if (launch.running) end.fields.emplace_back("kernel", launch.kernel);
    if (cause) end = *cause;
    end.fields.emplace_back("signal", signal);
    end.fields.emplace_back("name", static_cast<const char*>(strsignal(signal)));
    session().add_error(std::move(end));
    write_report(shell_offset + signal);
}

using Seconds = std::chrono::duration<double>;

std::string shown(Seconds seconds) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%g", seconds.count());
    return text.data();
}

/// Sends SIGXCPU with a number that tells it from other timers.
class Timer {
public:
    void make(clockid_t clock, int number) {
        sigevent event{};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGXCPU;
        event.sigev_value.sival_int = number;
        is_made_ = timer_create(clock, &event, &timer_) == 0;
    }
    /// Sends the signal in this interval, or with 0 seconds stops it.
    void tick(Seconds apart) {
        if (!is_made_) return;
        const auto whole = std::chrono::floor<std::chrono::seconds>(apart);
        itimerspec times{};
        times.it_interval = {.tv_sec = whole.count(),
                             .tv_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(apart - whole).count()};
        times.it_value = times.it_interval;
        timer_settime(timer_, 0, &times, nullptr);
    }

private:
    timer_t timer_{};
    bool is_made_ = false;
};

/// Finds host code that does not end. A timer of processor time checks it, so a program that waits for input may wait.
class HostWatch {
public:
    void start() {
        if (session().timeout) limit_ = *session().timeout;
        constexpr int looks_in_limit = 4;
        timer_.make(CLOCK_PROCESS_CPUTIME_ID, 0);
        timer_.tick(std::max(limit_ / looks_in_limit, at_least));
    }

    void stop() { timer_.tick(Seconds{0}); }

    /// The message about host code that has neither launched nor ended for too long; nothing if it has.
    std::optional<Message> look(const Fault& at) {
        const Clock::time_point now = Clock::now();
        const Seconds processor = processor_time();
        const std::uint64_t launches = current_launch().number;
        if (current_launch().running || launches != launches_) {
            launches_ = launches;
            since_ = now;
            processor_since_ = processor;
        }
        // Several threads of the host use up processor time faster than time passes.
        if (now - since_ < limit_ || processor - processor_since_ < limit_) return {};
        if (!is_of_program(at.instruction) && ++tries_ < most_tries) {
            timer_.tick(at_least);
            return {};
        }
        limit_time();
        Message message(MessageCode::host_code_does_not_end, {{"seconds", shown(limit_)}});
        add_line(message, line_of(at));
        return message;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr Seconds at_least{0.01};
    /// A library may hold a lock that the report needs, so the timer is set this many times more to find the program's own code.
    static constexpr int most_tries = 100;

    static Seconds processor_time() {
        timespec now{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
    }
    static bool is_of_program(const void* instruction) {
        Dl_info of{}, program{};
        return dladdr(instruction, &of) && dladdr(reinterpret_cast<void*>(getauxval(AT_ENTRY)), &program) &&
               of.dli_fbase == program.dli_fbase;
    }

    Timer timer_;
    int tries_ = 0;
    Seconds limit_{300};
    /// When the last launch was seen.
    Clock::time_point since_ = Clock::now();
    Seconds processor_since_{0};
    std::uint64_t launches_ = 0;
};

HostWatch& host_watch() {
    static HostWatch& instance = *new HostWatch;
    return instance;
}

/// The signal that ends the program after the next launch; 0 if none does.
std::atomic<int> interrupted{0};

/// Stops the running launch: its blocks end, and what they have counted is kept. Returns false if there is none.
bool stop_launch() {
    std::atomic<bool>* const stopped = current_launch().stopped;
    if (stopped) *stopped = true;
    return stopped;
}

/// Ends a program that runs for longer than it may: at the end of a launch, where nothing holds a lock, or else a moment later.
class TimeLimit {
public:
    static constexpr int number = 1;

    void start() {
        if (!session().time_limit) return;
        timer_.make(CLOCK_MONOTONIC, number);
        timer_.tick(*session().time_limit);
    }
    /// Returns false if the program has to end at this place.
    bool lets_a_launch_end() {
        timer_.tick(moment);
        const bool is_first = interrupted.exchange(SIGXCPU) == 0;
        if (is_first) launches_ = current_launch().number;
        return stop_launch() || is_first;
    }
    void stop() { timer_.tick(Seconds{0}); }
    /// The message about a program that ends at the end of a launch, or else in host code.
    Message message(const std::optional<Fault>& in_host_code) const {
        const CurrentLaunch& launch = current_launch();
        Message message(MessageCode::program_takes_too_long, {{"seconds", shown(*session().time_limit)}});
        if (in_host_code && launch.number == launches_) add_line(message, line_of(*in_host_code));
        else message.fields.emplace_back("kernel", launch.kernel);
        return message;
    }

private:
    static constexpr Seconds moment{1};
    Timer timer_;
    std::uint64_t launches_ = 0;
};

TimeLimit& time_limit() {
    static TimeLimit& instance = *new TimeLimit;
    return instance;
}

void handle(int signal, siginfo_t* info, void* context) {
    if (signal == SIGINT && !interrupted.exchange(SIGINT) && stop_launch()) return;
    std::optional<Message> cause;
    if (signal == SIGXCPU && info->si_code == SI_TIMER) {
        if (info->si_value.sival_int == TimeLimit::number) {
            if (time_limit().lets_a_launch_end()) return;
            cause = time_limit().message(fault_of(context));
        } else if (!(cause = host_watch().look(fault_of(context)))) {
            return;
        }
    }
    limit_time();
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (is_memory_fault(signal) && info->si_code > 0 && memory::AddressSpace::instance().owns(address)) {
        cause = message_of(fault_of(context), address);
        print(*cause);
    }
    // The earlier action of the signal follows, even if the report fails.
    sigaction(signal, &earlier_actions[static_cast<std::size_t>(signal)], nullptr);
    if (report_is_wanted()) write_last_report(signal, cause);
    if (!repeats_by_itself(signal) || info->si_code <= 0) ::raise(signal);
}

/// A thread with a full stack cannot run the handler on it.
void give_handlers_a_stack() {
    constexpr std::size_t handler_stack_bytes = std::size_t{256} << 10;
    stack_t stack{};
    stack.ss_size = handler_stack_bytes;
    stack.ss_sp = mmap(nullptr, handler_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
}

}  // namespace

void end_if_interrupted() {
    const int signal = interrupted;
    if (signal == 0) return;
    // Their signals would end the program before the report is written.
    time_limit().stop();
    host_watch().stop();
    sigaction(signal, &earlier_actions[static_cast<std::size_t>(signal)], nullptr);
    write_last_report(signal, signal == SIGXCPU ? std::optional(time_limit().message({})) : std::nullopt);
    ::raise(signal);
}

void catch_signals() {
    give_handlers_a_stack();
    for (const int signal : deadly_signals) {
        if (!report_is_wanted() && !is_memory_fault(signal)) continue;
        auto& earlier = earlier_actions[static_cast<std::size_t>(signal)];
        sigaction(signal, nullptr, &earlier);
        // The parent process wants the program to ignore the signal.
        if (!(earlier.sa_flags & SA_SIGINFO) && earlier.sa_handler == SIG_IGN) continue;
        struct sigaction action{};
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | (signal == SIGXCPU ? SA_RESTART : 0);
        sigemptyset(&action.sa_mask);
        sigaction(signal, &action, nullptr);
    }
    if (!report_is_wanted()) return;
    host_watch().start();
    time_limit().start();
}

}  // namespace simt::report
