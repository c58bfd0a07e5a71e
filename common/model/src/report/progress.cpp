#include "report/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace simt::report {

namespace {

/// A kernel that is over sooner shows no line.
constexpr std::chrono::milliseconds between_lines{300};
constexpr const char* clear_line = "\r\x1b[K";
constexpr std::size_t longest_name = 40;

bool is_wanted() {
    static const bool wanted = std::getenv("SIMT_PROGRESS") != nullptr;
    return wanted;
}

}  // namespace

Progress::Progress(std::string kernel, std::uint64_t blocks, Clock::time_point budget_ends)
    : kernel_(std::move(kernel)),
      blocks_(blocks),
      budget_ends_(budget_ends),
      next_((Clock::now() + between_lines).time_since_epoch().count()) {
    if (kernel_.size() > longest_name) kernel_ = kernel_.substr(0, longest_name - 3) + "...";
}

Progress::~Progress() {
    if (shown_) std::fputs(clear_line, stderr);
}

void Progress::add(std::uint64_t blocks) {
    if (!is_wanted()) return;
    const std::uint64_t ended = ended_ += blocks;
    const Clock::time_point now = Clock::now();
    Clock::rep next = next_;
    // One thread shows the line, and the others go on.
    if (now.time_since_epoch().count() < next || !next_.compare_exchange_strong(next, (now + between_lines).time_since_epoch().count()))
        return;
    shown_ = true;
    std::string budget;
    if (budget_ends_ != Clock::time_point::max()) {
        const auto left = std::chrono::duration_cast<std::chrono::seconds>(budget_ends_ - now).count();
        budget = ", " + std::to_string(std::max<std::int64_t>(left, 0)) + " s of the budget left";
    }
    std::fprintf(stderr, "%s%s: %llu of %llu blocks%s", clear_line, kernel_.c_str(), static_cast<unsigned long long>(ended),
                 static_cast<unsigned long long>(blocks_), budget.c_str());
    std::fflush(stderr);
}

}  // namespace simt::report
