// The state of a host thread, and the way from errors to error codes: all calls of the runtime library share them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "device/device.hpp"

namespace simt::calls {

/// The configuration that `kernel<<<…>>>` leaves for the kernel's stub.
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

/// Thrown to end a call with this error code.
struct CallError { cudaError_t code; };

[[noreturn]] void fail(cudaError_t code);
inline void require(bool condition, cudaError_t code = cudaErrorInvalidValue) {
    if (!condition) fail(code);
}

/// Keeps `error` for cudaGetLastError() and returns it.
cudaError_t remember(cudaError_t error);

/// The error of the last kernel that failed, until cudaGetLastError() takes it. Calls that wait for the device report it too.
cudaError_t kernel_error();
void set_kernel_error(cudaError_t error);
void clear_kernel_error();
/// Fails with kernel_error() if there is one.
void report_kernel_error();

/// Adds a message to the errors of the report.
void note_error(const Message& message);
/// Adds a message to the errors of the report, and prints it.
void print_error(const Message& message);

/// Returns the code of the exception that is being handled, and prints its message. To be called in a catch block.
cudaError_t error_of_exception();

/// Runs the body of a call of the runtime and remembers its error. The body returns nothing, or an error code.
template <class Body> cudaError_t call(const Body& body) {
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
/// Returns the number of a device. Fails with cudaErrorInvalidDevice if there is no such device.
int require_device(int ordinal);

inline DeviceAddress address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
inline void* pointer_to(DeviceAddress address) { return reinterpret_cast<void*>(address); }

}  // namespace simt::calls

/// Defines a call that writes one value through a pointer, and fails where the pointer is null:
/// SIMT_ANSWER(cudaGetDevice, (int* device), device, thread_state().device)
#define SIMT_ANSWER(...) SIMT_ANSWER_IN(cudaError_t, simt::calls::call, __VA_ARGS__)
/// The same where another function runs the call.
#define SIMT_ANSWER_IN(result, runs, function, parameters, pointer, ...) \
    extern "C" result function parameters {                              \
        return runs([&] {                                                \
            simt::calls::require((pointer) != nullptr);                  \
            *(pointer) = __VA_ARGS__;                                    \
        });                                                              \
    }
