// How much of a program's launches is counted and watched. The rest runs uncounted at full speed, so that its results are right.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "simt/counts.hpp"

namespace simt::report {

/// The most that is counted. Without limits, everything is.
struct CountingLimits {
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    /// Launches of each kernel and configuration, above 0.
    std::uint64_t launches = none;
    /// Blocks of each counted launch, spread over its grid, above 0.
    std::uint64_t blocks = none;
    /// Counting ends once the launches of the program, counted or not, have taken this time. The first launch of a kernel with
    /// a configuration may take all of the remaining time, and always some time; launches that repeat it are counted in the first
    /// tenth only.
    std::chrono::duration<double> budget{std::numeric_limits<double>::infinity()};
};

/// The launches of one kernel with one configuration.
struct LaunchTally {
    std::string kernel;
    Extent grid, block;
    std::uint64_t shared_bytes = 0;
    std::uint64_t launches = 0, counted = 0;

    bool is_of(const LaunchTally& other) const {
        return kernel == other.kernel && grid == other.grid && block == other.block && shared_bytes == other.shared_bytes;
    }
};

/// Decides which blocks of a launch are counted. Safe to use from several host threads.
class CountedPart {
public:
    using Clock = std::chrono::steady_clock;

    CountedPart() = default;
    /// Counts `blocks` of `of_blocks` blocks until `seconds` have passed.
    CountedPart(std::uint64_t blocks, std::uint64_t of_blocks, std::chrono::duration<double> seconds);

    /// Whether the launch is counted at all.
    bool any() const { return blocks_ > 0; }
    /// Whether every block is certainly counted.
    bool is_all() const { return blocks_ == of_blocks_ && seconds_.count() == std::numeric_limits<double>::infinity(); }
    /// Whether a block that begins now is counted.
    bool has(std::uint64_t block) const;
    /// Time since the launch began.
    std::chrono::duration<double> elapsed() const { return Clock::now() - begun_; }

private:
    std::uint64_t blocks_ = 0, of_blocks_ = 0, stride_ = 1;
    std::chrono::duration<double> seconds_{};
    Clock::time_point begun_ = Clock::now();
};

/// Decides for each launch. To be used by one thread at a time.
class Budget {
public:
    CountingLimits limits;

    /// Begins a launch. The counts in `launch` do not matter.
    CountedPart begin(LaunchTally launch);
    /// When the budget ends if the running launch takes all of the rest; the end of time without a budget.
    CountedPart::Clock::time_point ends() const;
    /// Ends a launch.
    void end(const CountedPart& part);
    /// Kernels and configurations that were launched more often than counted.
    std::vector<LaunchTally> uncounted() const;

private:
    std::vector<LaunchTally> tallies_;
    /// Time of all launches, and of those that were counted.
    std::chrono::duration<double> spent_{}, counted_{};
};

}  // namespace simt::report
