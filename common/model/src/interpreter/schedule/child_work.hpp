// The work that kernels themselves ask for: launches (dynamic parallelism), copies and fills. It runs when their grid has
// ended. A GPU may choose that order too, since nothing on the device can wait for this work.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "simt/counts.hpp"

namespace simt::interpreter {

/// One launch, copy or fill that a thread asked for.
struct ChildWork {
    enum class Kind : std::uint8_t { launch, copy, fill } kind = Kind::launch;
    /// For a launch: the number of the function in the module, and 4,096 bytes that begin with its parameters.
    int function = -1;
    Extent grid{}, block{};
    std::size_t dynamic_shared_bytes = 0;
    std::vector<std::uint8_t> parameters;
    /// For a copy or a fill: device addresses, and the value of each byte.
    std::uint64_t to = 0, from = 0, bytes = 0;
    int value = 0;
};

/// The work of the threads of one launch. Safe to use from several host threads.
class ChildWorks {
public:
    static constexpr std::size_t parameter_bytes = 4096;

    ChildWorks() = default;
    ~ChildWorks();
    ChildWorks(const ChildWorks&) = delete;
    ChildWorks& operator=(const ChildWorks&) = delete;

    /// Allocates device memory for the parameters of a launch; returns 0 when there is none left.
    std::uint64_t prepare(ChildWork launch);
    /// Adds the launch that a buffer was prepared for. Returns false if there is no such launch.
    bool start(std::uint64_t block, std::uint64_t buffer, std::uint64_t stream);
    void add(std::uint64_t block, ChildWork work, std::uint64_t stream);
    /// Takes all the work, sorted by block and then by the order of the block's calls; launches into the tail come last.
    std::vector<ChildWork> take();

private:
    struct Order {
        bool is_tail;
        std::uint64_t block, sequence;
        auto operator<=>(const Order&) const = default;
    };
    void insert(std::uint64_t block, ChildWork work, std::uint64_t stream);

    std::mutex mutex_;
    std::map<std::uint64_t, ChildWork> prepared_;
    std::map<Order, ChildWork> works_;
    std::uint64_t sequence_ = 0;
};

}  // namespace simt::interpreter
