// Traffic over the links between devices: copies, and loads and stores of kernels in the memory of other devices.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace simt::memory {

inline constexpr int most_devices = 64;

/// The traffic from one device to another.
struct LinkCounts {
    int from = 0, to = 0;
    std::uint64_t bytes = 0;
    /// Units of 32 bytes that hold them, each counted once for an access or a row of a copy.
    std::uint64_t sectors = 0;
};

/// Safe to use from several threads.
class Links {
public:
    static Links& instance();

    /// Nothing is counted from a device to itself.
    void add(int from, int to, std::uint64_t bytes, std::uint64_t sectors);
    /// -1 stands for all devices.
    std::uint64_t bytes(int from, int to) const;
    /// The links with traffic, sorted by `from`, then by `to`.
    std::vector<LinkCounts> all() const;

private:
    struct Link { std::atomic<std::uint64_t> bytes{0}, sectors{0}; };
    std::array<std::array<Link, most_devices>, most_devices> links_;
};

/// Units of 32 bytes that a range touches.
std::uint64_t sectors_of(std::uint64_t address, std::uint64_t bytes);

}  // namespace simt::memory
