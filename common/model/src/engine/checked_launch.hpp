// A launch whose numbers a program chose, and that the machine can take.
#pragma once

#include <cstdint>
#include <optional>

#include "device/device.hpp"
#include "interpreter/decode/program.hpp"

namespace simt {

/// A launch whose sizes were checked when it was made. Only such a launch runs, so its users need no checks.
class CheckedLaunch {
public:
    /// Returns nothing if no GPU of the machine's kind takes the launch: blocks without threads or with too many, grids without blocks or
    /// beyond CUDA's limits, more shared memory than a block has, clusters that do not divide the grid or are too large.
    static std::optional<CheckedLaunch> of(const LaunchRequest& request, const interpreter::Program& program, const Machine& machine);

    const LaunchRequest& request() const { return *request_; }
    int threads() const { return threads_; }
    /// At most 2^63.
    std::uint64_t blocks() const { return blocks_; }
    /// Static and dynamic shared memory of a block.
    std::size_t shared_bytes() const { return shared_bytes_; }
    /// {1, 1, 1} where the launch asks for no cluster.
    Extent cluster() const { return cluster_; }

private:
    explicit CheckedLaunch(const LaunchRequest& request) : request_(&request) {}

    const LaunchRequest* request_;
    int threads_ = 0;
    std::uint64_t blocks_ = 0;
    std::size_t shared_bytes_ = 0;
    Extent cluster_{1, 1, 1};
};

}  // namespace simt
