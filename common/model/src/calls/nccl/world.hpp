// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The ranks of a communicator, all of this process, and the messages between them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "simt/hazard.hpp"

namespace simt::nccl {

/// An ncclSend or an ncclRecv.
struct Message {
    bool sends = false;
    int rank = 0, peer = 0;
    void* buffer = nullptr;
    std::size_t bytes = 0;
    /// How many messages of its rank came before it.
    std::uint64_t number = 0;
    /// Where it was called: an address of the program.
    void* caller = nullptr;
    bool done = false;
};

class World {
public:
    explicit World(int ranks)
        : ranks_(ranks),
          numbers_(static_cast<std::size_t>(ranks)),
          left_(static_cast<std::size_t>(ranks)),
          waits_(static_cast<std::size_t>(ranks))
    {}

    int ranks() const { return static_cast<int>(ranks_); }

    /// Waits until all ranks are there. False if one does not come.
    bool join(bool waits);
    /// The rank sends and takes nothing any more.
    void leave(int rank);

    /// Hands messages over and waits until all of them have met theirs. False if they do not: the hazard has been reported.
    bool exchange(std::vector<Message>& messages);

private:
    using Pair = std::pair<int, int>;

    void post(Message& message);
    bool match(const Pair& from_to);
    bool finished(const std::vector<Message>& messages) const;
    /// Reports what is wrong if nobody can go on.
    bool is_stuck() const;
    void report_stuck();
    void report(MessageCode code, const Message& sent, const Message& received);
    void report(simt::Message message, const std::vector<const Message*>& messages);

    std::mutex mutex_;
    std::condition_variable changed_;
    int ranks_ = 0, joined_ = 0;
    bool broken_ = false;
    std::vector<std::uint64_t> numbers_;
    std::vector<char> left_;
    /// Of each rank, the messages that it waits for; null if it does not wait.
    std::vector<const std::vector<Message>*> waits_;
    std::map<Pair, std::deque<Message*>> sends_, receives_;
};

}  // namespace simt::nccl
