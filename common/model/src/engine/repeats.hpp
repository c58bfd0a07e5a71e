// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Launches whose effect is known. Programs launch a kernel, or a few in turn, a hundred times to take their time, on the same input
/// into the same output. What a launch does follows from its arguments and from memory. So where memory is as it was before an earlier
/// launch of the same kind, it will be as it was behind it, and the launch is put off until somebody looks at memory. Mostly, nobody does
/// until memory is back in the state in which it really is.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "device/device.hpp"

namespace simt {

/// States of memory, and the launches that lead from one to another. Safe to use from several host threads.
class Repeats {
public:
    static Repeats& instance();

    /// Something has changed memory whose effect is not known, or what can be found at an address or by a texture. No launch is put
    /// off at that time.
    void memory_changed();
    /// From now on memory may change without a word: no launch is known any more.
    void distrust_memory();

    /// Stands for the memory that the program would find now.
    std::uint64_t state() const;
    /// Puts a launch off, if its effect is known; `may_change` false: only one that changes nothing.
    bool puts_off(int device, const LaunchRequest& launch, bool may_change);
    /// Whether launches are put off.
    bool has_put_off() const { return has_put_off_.load(); }
    /// Launches to be executed now, in their order, before anybody looks at memory.
    std::vector<LaunchRequest> take_put_off();

    /// A launch of a repeatable kernel was executed that found memory in `state`. Returns whether the launch is worth a digest of
    /// memory, given what both take: without one, a state that a launch has made is a new one.
    bool wants_digest(int device, const LaunchRequest& launch, double seconds, double seconds_of_digest);
    void add_change(int device, const LaunchRequest& launch, std::uint64_t state, const std::pair<std::uint64_t, std::uint64_t>* digest);
    /// The same of one that has changed nothing.
    void add_unchanged(int device, const LaunchRequest& launch, std::uint64_t state);

private:
    struct Known {
        std::uint64_t before, after;
        int device;
        LaunchRequest launch;
    };

    void remember(Known known);

    mutable std::mutex mutex_;
    /// The state of memory with what was put off, and without it.
    std::uint64_t state_ = 0, real_ = 0, last_ = 0;
    bool trusts_memory_ = true;
    int digests_in_vain_ = 0;
    std::vector<Known> known_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> digests_;
    std::vector<LaunchRequest> put_off_;
    std::atomic<bool> has_put_off_{false};
};

}  // namespace simt
