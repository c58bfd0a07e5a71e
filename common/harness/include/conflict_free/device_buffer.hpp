// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Device memory that frees itself.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "conflict_free/error.hpp"

namespace conflict_free {

/// The value that DeviceBuffer::poison() gives each element: NaN for floating-point elements, −1 for integers.
template <class Element> Element poison_value() {
    Element value;
    std::memset(static_cast<void*>(&value), 0xFF, sizeof value);
    return value;
}

/// An array of `Element` in device memory. Owns it: move-only, freed at the end of its life.
template <class Element> class DeviceBuffer {
public:
    DeviceBuffer() = default;

    /// Allocates `count` elements, 0 for none; their values are undefined.
    /// @throws OutOfDeviceMemory if the device has too little free memory
    explicit DeviceBuffer(std::size_t count) : count_(count) {
        if (count > 0) CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()));
    }

    /// Takes over the allocation of `other`, which has none afterwards.
    DeviceBuffer(DeviceBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}

    /// Exchanges the allocations.
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        return *this;
    }

    ~DeviceBuffer() { cudaFree(data_); }

    /// Device address of the first element.
    Element* data() const { return data_; }
    /// Number of elements.
    std::size_t count() const { return count_; }
    /// Size in bytes.
    std::size_t bytes() const { return count_ * sizeof(Element); }

    /// Copies `values` to the start of the buffer. `values` must not be longer than the buffer.
    void copy_from(std::span<const Element> values) {
        if (values.empty()) return;
        CUDA_CHECK(cudaMemcpy(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
    }

    /// Copies the start of the buffer to `values`, which must not be longer than the buffer.
    void copy_to(std::span<Element> values) const {
        if (values.empty()) return;
        CUDA_CHECK(cudaMemcpy(values.data(), data_, values.size_bytes(), cudaMemcpyDeviceToHost));
    }

    /// Sets every element to poison_value(), so that the check finds elements that a kernel leaves unwritten.
    void poison() {
        if (count_ > 0) CUDA_CHECK(cudaMemset(data_, 0xFF, bytes()));
    }

private:
    Element* data_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace conflict_free
