#include "engine/repeats.hpp"

#include <algorithm>

namespace simt {

namespace {

/// The most launches that are known at a time. A program with more of them between two changes of memory executes the others again.
constexpr std::size_t most_known = 256;
/// A digest of memory may take this fraction of the launch's time.
constexpr double most_of_launch = 0.25;
/// After this many digests in a row without a known state, no more are made until memory is changed in another way.
constexpr int most_in_vain = 24;

}  // namespace

Repeats& Repeats::instance() {
    static auto& only = *new Repeats;
    return only;
}

void Repeats::memory_changed() {
    const std::lock_guard lock(mutex_);
    state_ = real_ = ++last_;
    digests_in_vain_ = 0;
    known_.clear();
    digests_.clear();
}

void Repeats::distrust_memory() {
    memory_changed();
    const std::lock_guard lock(mutex_);
    trusts_memory_ = false;
}

std::uint64_t Repeats::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

bool Repeats::puts_off(int device, const LaunchRequest& launch, bool may_change) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        known_, [&](const Known& known) { return known.before == state_ && known.device == device && known.launch == launch; });
    if (found == known_.end() || (found->after != state_ && !may_change)) return false;
    if (found->after == state_) return true;
    state_ = found->after;
    put_off_.push_back(launch);
    if (state_ == real_) put_off_.clear();
    has_put_off_ = !put_off_.empty();
    return true;
}

std::vector<LaunchRequest> Repeats::take_put_off() {
    const std::lock_guard lock(mutex_);
    real_ = state_;
    has_put_off_ = false;
    return std::exchange(put_off_, {});
}

bool Repeats::wants_digest(int device, const LaunchRequest& launch, double seconds, double seconds_of_digest) {
    if (seconds_of_digest > seconds * most_of_launch) return false;
    const std::lock_guard lock(mutex_);
    return digests_in_vain_ < most_in_vain &&
           std::ranges::any_of(known_, [&](const Known& known) { return known.device == device && known.launch == launch; });
}

void Repeats::add_change(int device, const LaunchRequest& launch, std::uint64_t state,
                         const std::pair<std::uint64_t, std::uint64_t>* digest) {
    const std::lock_guard lock(mutex_);
    const bool alone = state == state_;
    state_ = ++last_;
    if (digest) {
        const auto [known, is_new] = digests_.try_emplace(*digest, state_);
        digests_in_vain_ = is_new ? digests_in_vain_ + 1 : 0;
        state_ = known->second;
    }
    real_ = state_;
    if (alone) remember({state, state_, device, launch});
}

void Repeats::add_unchanged(int device, const LaunchRequest& launch, std::uint64_t state) {
    const std::lock_guard lock(mutex_);
    if (state == state_) remember({state, state, device, launch});
}

void Repeats::remember(Known known) {
    if (trusts_memory_ && known_.size() < most_known) known_.push_back(std::move(known));
}

}  // namespace simt
