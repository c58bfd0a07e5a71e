#include "calls/nccl/world.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "report/host_place.hpp"
#include "report/session.hpp"

namespace simt::nccl {

namespace {

/// How long a rank waits for another rank that is busy elsewhere in the program.
constexpr std::chrono::seconds patience{5};

simt::Message described(const Transfer& message) {
    return {message.sends ? MessageCode::send : MessageCode::receive,
            {{"bytes", message.bytes}, {"peer", message.peer}, {"number", message.number}, {"rank", message.rank}}};
}

}  // namespace

bool World::join(bool waits) {
    std::unique_lock lock(mutex_);
    ++joined_;
    changed_.notify_all();
    return !waits || changed_.wait_for(lock, patience, [this] { return joined_ >= ranks_; });
}

void World::leave(int rank) {
    const std::scoped_lock lock(mutex_);
    left_[static_cast<std::size_t>(rank)] = true;
    if (is_stuck()) report_stuck();
}

bool World::exchange(std::vector<Transfer>& messages) {
    std::unique_lock lock(mutex_);
    for (Transfer& message : messages) post(message);
    std::set<int> own;
    for (const Transfer& message : messages) own.insert(message.rank);
    for (const int rank : own) waits_[static_cast<std::size_t>(rank)] = &messages;
    if (is_stuck()) report_stuck();
    const bool ended = changed_.wait_for(lock, patience, [&] { return broken_ || finished(messages); });
    if (!ended) report_stuck();
    for (const int rank : own) waits_[static_cast<std::size_t>(rank)] = nullptr;
    for (Transfer& message : messages) {
        const Pair pair = message.sends ? Pair{message.rank, message.peer} : Pair{message.peer, message.rank};
        std::erase((message.sends ? sends_ : receives_)[pair], &message);
    }
    return finished(messages);
}

void World::post(Transfer& message) {
    message.number = ++numbers_[static_cast<std::size_t>(message.rank)];
    const Pair pair = message.sends ? Pair{message.rank, message.peer} : Pair{message.peer, message.rank};
    (message.sends ? sends_ : receives_)[pair].push_back(&message);
    while (!broken_ && match(pair)) {}
}

/// Matches messages between two ranks in their order.
bool World::match(const Pair& from_to) {
    auto &sends = sends_[from_to], &receives = receives_[from_to];
    if (sends.empty() || receives.empty()) return false;
    Transfer &sent = *sends.front(), &taken = *receives.front();
    if (sent.bytes != taken.bytes) {
        report(MessageCode::sizes_differ, sent, taken);
        return false;
    }
    if (cudaMemcpy(taken.buffer, sent.buffer, sent.bytes, cudaMemcpyDefault) != cudaSuccess) {
        report(MessageCode::no_memory_to_exchange, sent, taken);
        return false;
    }
    sent.done = taken.done = true;
    sends.pop_front();
    receives.pop_front();
    changed_.notify_all();
    return true;
}

bool World::finished(const std::vector<Transfer>& messages) const { return std::ranges::all_of(messages, &Transfer::done); }

bool World::is_stuck() const {
    bool someone = false;
    for (std::size_t rank = 0; rank < waits_.size(); ++rank) {
        const bool waits = waits_[rank] && !finished(*waits_[rank]);
        if (!waits && !left_[rank]) return false;
        someone = someone || waits;
    }
    return someone && !broken_;
}

void World::report_stuck() {
    if (broken_) return;
    std::vector<simt::Message> waiting;
    std::vector<const Transfer*> open;
    std::set<const std::vector<Transfer>*> seen;
    for (std::size_t rank = 0; rank < waits_.size(); ++rank) {
        if (!waits_[rank]) waiting.push_back({left_[rank] ? MessageCode::rank_has_left : MessageCode::rank_is_elsewhere, {{"rank", rank}}});
        if (!waits_[rank] || !seen.insert(waits_[rank]).second) continue;
        for (const Transfer& message : *waits_[rank])
            if (!message.done) {
                waiting.push_back({MessageCode::message_waits, {{"message", std::vector{described(message)}}}});
                open.push_back(&message);
                break;
            }
    }
    report({MessageCode::ranks_wait, {{"waiting", std::move(waiting)}}}, open);
}

void World::report(MessageCode code, const Transfer& sent, const Transfer& received) {
    report({code, {{"sent", std::vector{described(sent)}}, {"received", std::vector{described(received)}}}}, {&sent, &received});
}

void World::report(simt::Message message, const std::vector<const Transfer*>& messages) {
    Hazard hazard{HazardKind::deadlock, "NCCL", {0, 0, 0}, {}, {}, std::move(message)};
    for (const Transfer* one : messages) hazard.lines.push_back(report::place_of_call(one->caller));
    report::session().add(std::move(hazard));
    broken_ = true;
    changed_.notify_all();
}

}  // namespace simt::nccl
