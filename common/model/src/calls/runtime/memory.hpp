// The allocations of the program by address, and who may use them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "calls/runtime/calls.hpp"

namespace simt::calls {

/// An allocation of the program.
struct ProgramAllocation {
    /// `graph` is device memory that the node of a graph allocates.
    enum class Kind : std::uint8_t { device, graph, managed, pinned, registered };
    Kind kind = Kind::device;
    DeviceAddress begin = 0;
    std::size_t bytes = 0;
    int device = 0;
    unsigned flags = 0;
    /// The pool that the memory comes from; null if it comes from none.
    cudaMemPool_t pool = nullptr;

    /// For kind `graph`: a launch has allocated the memory, and nothing has freed it since.
    bool in_use = false;
    /// For kind `graph`: the nodes that allocate the memory are destroyed.
    bool is_orphan = false;

    bool on_host() const { return kind != Kind::device && kind != Kind::graph; }
};

/// Bytes of memory of graphs.
struct GraphBytes {
    /// Allocated by a launch and not yet freed.
    std::size_t in_use = 0;
    /// The most that was in use since the last trim: freed memory stays for the next launch of any graph.
    std::size_t kept = 0;
    /// The most that was kept since the program reset this number.
    std::size_t highest = 0;
};

/// All live allocations.
class Allocations {
public:
    static Allocations& instance();

    /// Null if `bytes` is 0. Fails with cudaErrorMemoryAllocation if there is not enough memory.
    void* allocate(ProgramAllocation::Kind kind, std::size_t bytes, unsigned flags = 0, cudaMemPool_t pool = nullptr);
    void register_host(void* memory, std::size_t bytes, unsigned flags);
    /// Memory for the node of a graph. The graph's other nodes hold its address, so the address is the same in each launch. The
    /// memory lives as long as the pointer or its use.
    std::shared_ptr<void> allocate_for_graph(std::size_t bytes);
    /// A launch reaches the node that allocates. Fails with cudaErrorInvalidValue if the memory is in use since an earlier launch.
    void use(void* memory);
    GraphBytes& graph_bytes(int device);
    /// Frees an allocation. Fails if none of `allowed` starts at this address. The memory of a graph stays for its next launch.
    void release(void* memory, std::initializer_list<ProgramAllocation::Kind> allowed, cudaError_t otherwise);
    std::optional<ProgramAllocation> find(const void* address) const;
    /// Frees all memory of the current device, and the host memory that it maps.
    void release_all();
    /// Bytes from a pool that are in use.
    std::size_t pool_bytes(cudaMemPool_t pool) const;
    /// True if the address lies in the range of all device memory so far, whether the memory is live or not.
    bool is_device_address(const void* address) const;

private:
    void add(const ProgramAllocation& allocation);
    void give_back(const ProgramAllocation& allocation);
    void leave_to_launches(void* memory);
    void end_use(ProgramAllocation& allocation);

    mutable std::recursive_mutex mutex_;
    std::map<DeviceAddress, ProgramAllocation> by_begin_;
    std::map<int, GraphBytes> graph_bytes_;
    /// Bounds of all device memory so far.
    DeviceAddress lowest_ = ~DeviceAddress{0}, highest_ = 0;
};

/// True if `bytes` bytes from `pointer` on lie in one allocation or variable that the device reaches.
bool on_device(const void* pointer, std::size_t bytes);
/// True if the pointer is one into device memory that the host cannot touch.
bool only_on_device(const void* pointer);
/// True if the host may use `bytes` bytes from `pointer` on: its own, pinned or managed memory.
bool on_host(const void* pointer, std::size_t bytes);

/// Copies rows of `width` bytes between any two places, and checks nothing.
void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t rows);
/// Sets `count` elements of `width` bytes.
void set_elements(void* to, std::uint32_t value, unsigned width, std::size_t count);

inline constexpr std::size_t pitch_alignment = 512;

}  // namespace simt::calls
