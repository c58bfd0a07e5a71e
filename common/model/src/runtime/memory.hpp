// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Who may use which memory: allocations of the program, by address.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "calls.hpp"

namespace simt::runtime {

/// An allocation of the program.
struct Allocation {
    enum class Kind : std::uint8_t { device, managed, pinned, registered };
    Kind kind = Kind::device;
    DeviceAddress begin = 0;
    std::size_t bytes = 0;
    int device = 0;
    unsigned flags = 0;
    /// The pool that it is from; null if from none.
    cudaMemPool_t pool = nullptr;

    bool on_host() const { return kind != Kind::device; }
};

/// All live allocations.
class Allocations {
public:
    static Allocations& instance();

    /// Null if `bytes` is 0. Fails with cudaErrorMemoryAllocation if there is not so much.
    void* allocate(Allocation::Kind kind, std::size_t bytes, unsigned flags = 0, cudaMemPool_t pool = nullptr);
    void register_host(void* memory, std::size_t bytes, unsigned flags);
    /// Frees an allocation. Fails if none of `allowed` starts at this address.
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

    mutable std::recursive_mutex mutex_;
    std::map<DeviceAddress, Allocation> by_begin_;
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

}  // namespace simt::runtime
