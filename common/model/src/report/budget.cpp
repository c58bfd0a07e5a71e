#include "report/budget.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace simt::report {

namespace {

constexpr double share_of_repeated_launches = 0.1;
/// The time that a first launch may take even if uncounted launches have used up the budget.
constexpr double share_of_late_launches = 0.01;

}  // namespace

CountedPart::CountedPart(std::uint64_t blocks, std::uint64_t of_blocks, std::chrono::duration<double> seconds)
    : blocks_(std::min(blocks, of_blocks)), of_blocks_(of_blocks), stride_(blocks_ > 0 ? of_blocks / blocks_ : 1), seconds_(seconds) {}

bool CountedPart::has(std::uint64_t block) const {
    if (blocks_ == 0 || block % stride_ != 0 || block / stride_ >= blocks_) return false;
    return elapsed() < seconds_;
}

CountedPart Budget::begin(LaunchTally launch) {
    auto found = std::ranges::find_if(tallies_, [&](const LaunchTally& tally) { return tally.is_of(launch); });
    if (found == tallies_.end()) {
        launch.launches = launch.counted = 0;
        tallies_.push_back(std::move(launch));
        found = std::prev(tallies_.end());
    }
    ++found->launches;
    auto left = limits.budget * (found->counted == 0 ? 1.0 : share_of_repeated_launches) - spent_;
    if (found->counted == 0) left = std::max(left, std::min(limits.budget * share_of_late_launches, limits.budget - counted_));
    if (found->counted >= limits.launches || left.count() <= 0) return {};
    ++found->counted;
    return {limits.blocks, std::uint64_t{found->grid.x} * found->grid.y * found->grid.z, left};
}

CountedPart::Clock::time_point Budget::ends() const {
    if (limits.budget.count() == std::numeric_limits<double>::infinity()) return CountedPart::Clock::time_point::max();
    return CountedPart::Clock::now() + std::chrono::duration_cast<CountedPart::Clock::duration>(limits.budget - spent_);
}

void Budget::end(const CountedPart& part) {
    spent_ += part.elapsed();
    if (part.any()) counted_ += part.elapsed();
}

std::vector<LaunchTally> Budget::uncounted() const {
    std::vector<LaunchTally> some;
    std::ranges::copy_if(tallies_, std::back_inserter(some), [](const LaunchTally& tally) { return tally.counted < tally.launches; });
    return some;
}

}  // namespace simt::report
