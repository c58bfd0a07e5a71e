// The addresses that kernels use: device memory, mapped host memory, and the windows of shared and local memory in
// the generic address space.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace simt::memory {

/// Generic addresses of shared memory: `shared_window` + rank of the block in its cluster × `shared_window_bytes` + offset,
/// where rank 0 stands for the block itself and rank r + 1 for block r of the cluster.
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 56;
inline constexpr std::uint64_t shared_window_bytes = std::uint64_t{1} << 24;
inline constexpr std::uint64_t most_cluster_blocks = 64;
/// Generic addresses of a thread's local memory.
inline constexpr std::uint64_t local_window = std::uint64_t{1} << 57;
inline constexpr std::uint64_t local_window_bytes = std::uint64_t{1} << 32;
/// Generic addresses of a kernel's parameters.
inline constexpr std::uint64_t parameter_window = std::uint64_t{1} << 58;
inline constexpr std::uint64_t parameter_window_bytes = std::uint64_t{1} << 16;
/// "Addresses" of functions: `function_window` + 16 × number.
inline constexpr std::uint64_t function_window = std::uint64_t{1} << 59;

inline bool is_shared(std::uint64_t address) { return address - shared_window < (most_cluster_blocks + 1) * shared_window_bytes; }
inline bool is_local(std::uint64_t address) { return address - local_window < local_window_bytes; }
inline bool is_parameter(std::uint64_t address) { return address - parameter_window < parameter_window_bytes; }

/// One allocation of device memory, live or freed, or mapped host memory.
struct Allocation {
    std::uint64_t begin = 0;
    std::size_t bytes = 0;
    /// The host's address of a byte is its device address plus `delta`.
    std::int64_t delta = 0;
    bool freed = false;
    bool host = false;
    /// It holds a `__constant__` variable: kernels may read it and not write it.
    bool constant = false;
    /// The device that owns it.
    int device = 0;

    bool contains(std::uint64_t address) const { return address - begin < bytes; }
    bool contains(std::uint64_t address, std::size_t size) const { return address - begin < bytes && bytes - (address - begin) >= size; }
    unsigned char* at(std::uint64_t address) const {
        return reinterpret_cast<unsigned char*>(static_cast<std::uint64_t>(static_cast<std::int64_t>(address) + delta));
    }
};

/// Gives out modelled device memory. Allocations start at multiples of `alignment` bytes from a fixed base, so that offsets, and
/// with them all counts, are the same in every run. No address is given out twice, so an access to freed memory finds its old
/// allocation. Host code cannot touch these addresses, because their bytes are at other addresses of the host.
class AddressSpace {
public:
    static constexpr std::size_t alignment = std::size_t{1} << 16;

    static AddressSpace& instance();

    /// The address of `bytes` bytes of a device, filled with 0xCD, or 0 if the host cannot hold them.
    std::uint64_t allocate(std::size_t bytes, int device = 0);
    /// Returns memory to the host. False if `address` is not the start of a live allocation.
    bool release(std::uint64_t address);
    /// Notes that a `__constant__` variable lies in the live allocation that starts at `address`.
    void mark_constant(std::uint64_t address);
    /// Maps host memory at its host address.
    void map_host(void* memory, std::size_t bytes);
    bool unmap_host(void* memory);

    /// The allocation that holds `address`, live or freed; false if none does.
    bool find(std::uint64_t address, Allocation& found) const;
    /// The allocation that starts nearest before or after `address`. find_before() looks in mapped memory for an address of the host.
    bool find_before(std::uint64_t address, Allocation& found) const;
    bool find_after(std::uint64_t address, Allocation& found) const;
    /// The host's pointer to a range; null if the range is not inside one live allocation.
    unsigned char* host_bytes(std::uint64_t address, std::size_t bytes) const;
    /// The number of times that find() has found mapped host memory.
    std::uint64_t found_in_host() const { return found_in_host_.load(std::memory_order_relaxed); }
    /// True for addresses that belong to device memory, given out or not.
    bool owns(std::uint64_t address) const { return address - (base_ - alignment) < alignment + reserved_bytes_; }
    /// The digest of all bytes of live device memory. Two memories with different bytes have the same digest with a chance of 2^-64.
    std::pair<std::uint64_t, std::uint64_t> digest() const;
    /// Whether an allocation of this size takes all of its host memory from its beginning. The host gives pages of larger ones to
    /// what is written.
    static bool is_touched_at_once(std::size_t bytes);
    std::size_t used_bytes() const;
    /// The memory that programs are offered. When a program touches all of it, the watch takes half as much again.
    std::size_t total_bytes() const { return capacity_ / 3 * 2; }
    /// Releases everything that allocate() gave out.
    void reset();

private:
    AddressSpace();

    mutable std::shared_mutex mutex_;
    mutable std::atomic<std::uint64_t> found_in_host_{0};
    std::size_t reserved_bytes_ = std::size_t{1} << 42;
    std::uint64_t base_ = 0, next_ = 0;
    std::int64_t delta_ = 0;
    std::size_t capacity_ = 0, used_ = 0;
    std::vector<Allocation> allocations_;  // sorted by begin
    std::vector<Allocation> mapped_;       // sorted by begin
};

}  // namespace simt::memory
