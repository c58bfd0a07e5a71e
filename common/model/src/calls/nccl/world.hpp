// The ranks of a communicator, all in this process, and the messages between them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "simt/hazard.hpp"

namespace simt::nccl {

/// An ncclSend or an ncclRecv.
struct Transfer {
    bool sends = false;
    int rank = 0, peer = 0;
    void* buffer = nullptr;
    std::size_t bytes = 0;
    /// How many messages its rank has posted before.
    std::uint64_t number = 0;
    /// The address of the call in the program.
    void* caller = nullptr;
    bool done = false;
};

class World {
public:
    explicit World(int ranks)
        : ranks_(ranks),
          numbers_(static_cast<std::size_t>(ranks)),
          left_(static_cast<std::size_t>(ranks)),
          waits_(static_cast<std::size_t>(ranks)) {}

    int ranks() const { return static_cast<int>(ranks_); }

    /// Waits until all ranks have joined. False if one does not.
    bool join(bool waits);
    /// Ends a rank: it sends and receives no more messages.
    void leave(int rank);

    /// Posts messages and waits until all of them are matched. False, after a hazard in the report, if they cannot be.
    bool exchange(std::vector<Transfer>& messages);

private:
    using Pair = std::pair<int, int>;

    void post(Transfer& message);
    bool match(const Pair& from_to);
    bool finished(const std::vector<Transfer>& messages) const;
    /// True if no rank can continue.
    bool is_stuck() const;
    void report_stuck();
    void report(MessageCode code, const Transfer& sent, const Transfer& received);
    void report(simt::Message message, const std::vector<const Transfer*>& messages);

    std::mutex mutex_;
    std::condition_variable changed_;
    int ranks_ = 0, joined_ = 0;
    bool broken_ = false;
    std::vector<std::uint64_t> numbers_;
    std::vector<char> left_;
    /// The messages that each rank waits for; null if it does not wait.
    std::vector<const std::vector<Transfer>*> waits_;
    std::map<Pair, std::deque<Transfer*>> sends_, receives_;
};

}  // namespace simt::nccl
