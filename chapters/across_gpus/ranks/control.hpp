// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What the processes tell each other beside the matrix: who is there, addresses, times, and that one of them failed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "launcher.hpp"

namespace across_gpus {

/// Seconds after which a rank that has not come, or has not been heard from, is given up.
constexpr double PATIENCE = 8;
constexpr double SILENCE = 5;

class Hub;

/// The line of one rank to all others. When a rank fails, dies or falls silent, every process prints one line that names
/// it and ends with exit code 1, whatever it is doing at that time.
class Control {
public:
    /// Meets the other ranks. `arguments` is what all of them must have been given alike.
    /// Does not return if a rank does not come within PATIENCE seconds.
    Control(const Launch& launch, const std::string& arguments);
    ~Control();

    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    int rank() const { return launch_.rank; }
    int ranks() const { return launch_.ranks; }

    /// What each rank gives, in the order of the ranks. All ranks call it; it returns when all have.
    std::vector<std::string> gather(const std::string& mine);

    /// The same for a plain value.
    template <class Value>
    std::vector<Value> gather_values(const Value& mine)
    {
        std::vector<Value> values;
        for (const std::string& bytes :
            gather(std::string(reinterpret_cast<const char*>(&mine), sizeof(Value))))
            values.push_back(*reinterpret_cast<const Value*>(bytes.data()));
        return values;
    }

    void barrier() { gather(""); }

    /// Ends all processes: this rank cannot go on.
    [[noreturn]] void fail(const std::string& reason);

    /// From now on this rank fails, unless this is called again within `seconds`. 0: no limit.
    void allow(double seconds, const std::string& what);

private:
    void connect_to_hub();
    void send_greeting(const std::string& arguments);
    void watch();
    bool finished();
    [[noreturn]] void give_up_rank_0();
    void take(std::uint32_t kind, const std::string& payload);
    [[noreturn]] void end(const std::string& line);

    Launch launch_;
    std::unique_ptr<Hub> hub_;
    int socket_ = -1;
    std::thread watcher_;
    std::mutex mutex_, send_mutex_;
    std::condition_variable changed_;
    std::vector<std::string> answer_;
    bool answered_ = false, finished_ = false;
    double deadline_ = 0;
    std::string allowed_;
};

}  // namespace across_gpus
