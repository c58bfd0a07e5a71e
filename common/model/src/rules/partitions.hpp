// The listener that sees how concurrent blocks spread over the partitions of device memory.
#pragma once

#include <functional>
#include <vector>

#include "simt/events.hpp"
#include "simt/machine.hpp"

namespace simt::rules {

/// Groups blocks into those that are active together: as many, in order, as the machine holds. Within a group it takes
/// the k-th global load of every block as one step, the k-th global store likewise, and counts the partitions that the
/// step goes to: those that get at least half of the requests that each would get if all got the same. A block that strays does not
/// make a partition busy. The machine must have partitions, at most 32.
///
/// This assumes that blocks run in step. On a GPU, blocks drift apart and are replaced one by one.
class Partitions : public Listener {
public:
    /// `shared_bytes` returns the shared memory of a block; it is called when the first block has ended.
    Partitions(const Machine& machine, std::function<std::size_t()> shared_bytes);

    void launch_begins(const LaunchInfo& info) override;
    void block_begins(const Extent& block_index) override;
    void warp_access(const WarpAccess& access) override;
    void block_ends() override;
    void launch_ends() override;

    /// The counts of the launch that has ended.
    PartitionCounts take();

private:
    /// The steps of the group of blocks that run now, for one operation.
    struct Steps {
        /// For each step, the requests to each partition.
        std::vector<std::vector<std::uint64_t>> requests;
        /// Steps that the running block has made.
        std::size_t made = 0;
    };

    void end_group();
    void end_steps(Steps& steps, PartitionUse& use);

    const Machine& machine_;
    std::function<std::size_t()> shared_bytes_;
    int block_threads_ = 0;
    int blocks_in_group_ = 0;
    bool is_first_group_ = true;
    Steps loads_, stores_;
    PartitionCounts counts_;
};

}  // namespace simt::rules
