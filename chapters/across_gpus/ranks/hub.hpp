// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Rank 0's switchboard: all ranks, rank 0 itself too, are connected to it.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "frames.hpp"
#include "launcher.hpp"

namespace across_gpus {

class Hub {
public:
    /// Begins to listen. Throws std::runtime_error with one line if that cannot be.
    explicit Hub(const Launch& launch);
    /// Waits until all ranks are done, or have been told that one failed.
    ~Hub();

    /// Where ranks of this process find it.
    MeetingPlace place() const { return place_; }
    /// Returns when all ranks have been told what there was to tell.
    void wait_for_end();

private:
    struct Rank {
        int socket = -1;
        double heard = 0;
        bool done = false, gathered = false;
        std::string arguments, gift;
    };

    void run();
    bool meet();
    bool greet(int socket);
    void exchange();
    void take(int rank, const Frame& frame);
    void answer_if_all_gave();
    /// Tells the ranks once a second that rank 0 is there.
    void give_sign_of_life();
    /// Ends everything: tells all ranks `line`.
    void end(const std::string& line);
    /// Tells it to rank 0, which is of this process, if that has not been let in yet, and to who comes meanwhile.
    void turn_away();
    std::string missing_ranks() const;

    Launch launch_;
    MeetingPlace place_;
    int listening_ = -1;
    std::vector<Rank> ranks_;
    bool ended_ = false;
    double next_sign_of_life_ = 0;
    std::string last_line_;
    std::atomic<bool> over_{false};
    std::thread thread_;
};

}  // namespace across_gpus
