// Launches whose effect is known. To measure time, programs launch a kernel, or a few in turn, a hundred times on the same input into
// the same output. The effect of a launch follows from its arguments and from memory. If memory is in the state before an earlier
// launch of the same kind, the launch leads to the state after that launch, and is deferred until memory is read. In most programs
// memory is first read when it is back in its actual state.
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

    /// Notes a change of unknown effect: of memory, or of the objects at addresses or behind textures. No launch is deferred then.
    void memory_changed();
    /// Notes that memory may change unnoticed from here on: no launch is known after that.
    void distrust_memory();

    /// The state of memory that the program would see.
    std::uint64_t state() const;
    /// Defers a launch, if its effect is known; with `may_change` false, only if it changes nothing.
    bool puts_off(int device, const LaunchRequest& launch, bool may_change);
    /// Whether launches are deferred.
    bool has_put_off() const { return has_put_off_.load(); }
    /// Takes the deferred launches, in their order, for execution before memory is read.
    std::vector<LaunchRequest> take_put_off();

    /// Notes that a launch of a repeatable kernel was executed on memory in `state`. Returns whether a digest of memory is worth its time
    /// for this launch: without a digest, the state after a launch is new.
    bool wants_digest(int device, const LaunchRequest& launch, double seconds, double seconds_of_digest);
    void add_change(int device, const LaunchRequest& launch, std::uint64_t state, const std::pair<std::uint64_t, std::uint64_t>* digest);
    /// The same for a launch that has changed nothing.
    void add_unchanged(int device, const LaunchRequest& launch, std::uint64_t state);

private:
    struct Known {
        std::uint64_t before, after;
        int device;
        LaunchRequest launch;
    };

    void remember(Known known);

    mutable std::mutex mutex_;
    /// The state of memory with and without the deferred launches.
    std::uint64_t state_ = 0, real_ = 0, last_ = 0;
    bool trusts_memory_ = true;
    int digests_in_vain_ = 0;
    std::vector<Known> known_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> digests_;
    std::vector<LaunchRequest> put_off_;
    std::atomic<bool> has_put_off_{false};
};

}  // namespace simt
