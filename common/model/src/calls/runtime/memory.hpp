// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Who may use which memory: allocations of the program, by address.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "calls/runtime/calls.hpp"

namespace simt::calls {

/// An allocation of the program.
struct Allocation {
    /// `graph` is what the node of a graph allocates, in device memory.
    enum class Kind : std::uint8_t { device, graph, managed, pinned, registered };
    Kind kind = Kind::device;
    DeviceAddress begin = 0;
    std::size_t bytes = 0;
    int device = 0;
    unsigned flags = 0;
    /// The pool that it is from; null if from none.
    cudaMemPool_t pool = nullptr;

    /// Of a graph's memory: a launch has allocated it, and nobody has freed it since.
    bool in_use = false;
    /// Of a graph's memory: no graph has its node any more.
    bool is_orphan = false;

    bool on_host() const { return kind != Kind::device && kind != Kind::graph; }
};

/// Memory of graphs.
struct GraphBytes {
    /// Allocated by a launch, and freed by nobody since.
    std::size_t in_use = 0;
    /// As much as was in use at a time since it was trimmed: what is freed stays for the next launch, of whichever graph.
    std::size_t kept = 0;
    /// The most that was kept since the program has set it back.
    std::size_t highest = 0;
};

/// All live allocations.
class Allocations {
public:
    static Allocations& instance();

    /// Null if `bytes` is 0. Fails with cudaErrorMemoryAllocation if there is not so much.
    void* allocate(Allocation::Kind kind, std::size_t bytes, unsigned flags = 0, cudaMemPool_t pool = nullptr);
    void register_host(void* memory, std::size_t bytes, unsigned flags);
    /// Memory for the node of a graph. Its address stands in the graph's other nodes, so it is the same in each launch, and the
    /// memory is there as long as somebody holds the pointer, or it is in use.
    std::shared_ptr<void> allocate_for_graph(std::size_t bytes);
    /// A launch comes to the node that allocates. Fails with cudaErrorInvalidValue if the memory is in use from a launch before.
    void use(void* memory);
    GraphBytes& graph_bytes(int device);
    /// Frees an allocation. Fails if none of `allowed` starts at this address. The memory of a graph is there for its next launch.
    void release(void* memory, std::initializer_list<Allocation::Kind> allowed, cudaError_t otherwise);
    std::optional<Allocation> find(const void* address) const;
    /// Frees what the current device and the host have been given.
    void release_all();
    /// Bytes from a pool that are in use.
    std::size_t pool_bytes(cudaMemPool_t pool) const;
    /// True if the address lies where devices have their memory, live or not.
    bool is_device_address(const void* address) const;

private:
    void add(const Allocation& allocation);
    void give_back(const Allocation& allocation);
    void leave_to_launches(void* memory);
    void end_use(Allocation& allocation);

    mutable std::recursive_mutex mutex_;
    std::map<DeviceAddress, Allocation> by_begin_;
    std::map<int, GraphBytes> graph_bytes_;
    /// The lowest and the highest address of device memory that were ever given out.
    DeviceAddress lowest_ = ~DeviceAddress{0}, highest_ = 0;
};

/// True if `bytes` bytes from `pointer` on lie in one allocation or variable that the device reaches.
bool on_device(const void* pointer, std::size_t bytes);
/// True if they lie in device memory that the host cannot touch.
bool only_on_device(const void* pointer);
/// True if the host may use them: its own memory, or managed and pinned memory.
bool on_host(const void* pointer, std::size_t bytes);

/// Copies rows of `width` bytes between any two places. Nothing is checked.
void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t rows);
/// Sets `count` elements of `width` bytes.
void set_elements(void* to, std::uint32_t value, unsigned width, std::size_t count);

inline constexpr std::size_t pitch_alignment = 512;

}  // namespace simt::calls
