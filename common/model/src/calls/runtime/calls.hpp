// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What all calls of the runtime library share: the state of a host thread, and how errors become error codes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "device/device.hpp"

namespace simt::calls {

/// What `kernel<<<…>>>` leaves for the kernel's stub.
struct CallConfiguration {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
};

/// The state of one host thread.
struct ThreadState {
    int device = 0;
    cudaError_t last_error = cudaSuccess;
    std::vector<CallConfiguration> configurations;
    cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
};

ThreadState& thread_state();

/// A call ends with this error code.
struct CallError {
    cudaError_t code;
};

[[noreturn]] void fail(cudaError_t code);
inline void require(bool condition, cudaError_t code = cudaErrorInvalidValue)
{
    if (!condition) fail(code);
}

/// Keeps `error` for cudaGetLastError() and returns it.
cudaError_t remember(cudaError_t error);

/// The error that a kernel has ended with and that no cudaGetLastError() has taken yet. Calls that wait for the device
/// report it, too.
cudaError_t kernel_error();
void set_kernel_error(cudaError_t error);
void clear_kernel_error();
/// Fails with kernel_error() if there is one.
void report_kernel_error();

/// Adds a message to the errors of the report.
void note_error(const Message& message);
/// The same, and prints it.
void print_error(const Message& message);

/// The code of the exception that is being handled, with a line for those who read: call it in a catch block.
cudaError_t error_of_exception();

/// Runs the body of a call of the runtime and remembers its error. What the body returns counts as an error, if anything.
template <class Body>
cudaError_t call(const Body& body)
{
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
            body();
            return cudaSuccess;
        } else {
            return remember(body());
        }
    } catch (const CallError& error) {
        return remember(error.code);
    } catch (...) {
        return remember(error_of_exception());
    }
}

/// The device that this thread uses.
Device& current_device();
/// Fails with cudaErrorInvalidDevice if there is no such device.
void require_device(int ordinal);

inline DeviceAddress address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
inline void* pointer_to(DeviceAddress address) { return reinterpret_cast<void*>(address); }

}  // namespace simt::calls

/// Defines the variants of a call for programs whose default stream is each thread's own. All work is done when its call
/// returns, so the two do the same.
#define SIMT_PER_THREAD_STREAM(function) extern "C" decltype(function) function##_ptsz __attribute__((alias(#function)))
#define SIMT_PER_THREAD_DEFAULT(function) extern "C" decltype(function) function##_ptds __attribute__((alias(#function)))
