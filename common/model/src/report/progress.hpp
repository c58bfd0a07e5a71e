// The line on a terminal that says how far the running kernel is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace simt::report {

/// Shows one launch. Does nothing unless SIMT_PROGRESS is set, which says that stderr is a terminal. Safe to use from several host threads.
class Progress {
public:
    using Clock = std::chrono::steady_clock;

    /// @param budget_ends when no more blocks are counted
    Progress(std::string kernel, std::uint64_t blocks, Clock::time_point budget_ends);
    /// Removes the line.
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Adds blocks that have ended. The line changes at most a few times in a second.
    void add(std::uint64_t blocks);

private:
    std::string kernel_;
    std::uint64_t blocks_;
    Clock::time_point budget_ends_;
    std::atomic<std::uint64_t> ended_{0};
    std::atomic<Clock::rep> next_;
    std::atomic<bool> shown_{false};
};

}  // namespace simt::report
