#include "calls/runtime/calls.hpp"

#include <atomic>
#include <cstdio>
#include <new>

#include "calls/runtime/unsupported.hpp"

namespace simt::calls {

namespace {

std::atomic<cudaError_t> error_of_kernels{cudaSuccess};

}  // namespace

ThreadState& thread_state() {
    thread_local ThreadState state;
    return state;
}

void fail(cudaError_t code) { throw CallError{code}; }

cudaError_t remember(cudaError_t error) {
    // cudaErrorNotReady is an answer and not an error.
    if (error != cudaSuccess && error != cudaErrorNotReady) thread_state().last_error = error;
    return error;
}

cudaError_t kernel_error() { return error_of_kernels; }
void set_kernel_error(cudaError_t error) { error_of_kernels = error; }
void clear_kernel_error() { error_of_kernels = cudaSuccess; }

void report_kernel_error() {
    if (const cudaError_t error = kernel_error(); error != cudaSuccess) fail(error);
}

void note_error(const Message& message) { device(0).note_error(message); }

void print_error(const Message& message) {
    note_error(message);
    std::fflush(stdout);
    std::fprintf(stderr, "error: %s\n", message.text().c_str());
}

cudaError_t error_of_exception() {
    try {
        throw;
    } catch (const DeviceError& error) {
        // The device uses this code for a range that is not one allocation. A program may ask about such a range and continue.
        if (error.code() != cudaErrorInvalidValue) print_error(error.message());
        return static_cast<cudaError_t>(error.code());
    } catch (const std::bad_alloc&) {
        return cudaErrorMemoryAllocation;
    } catch (const std::exception& error) {
        print_error({MessageCode::exception, {{"problem", error.what()}}});
        return cudaErrorUnknown;
    }
}

int unsupported(const char* function) {
    print_error({MessageCode::call_not_supported, {{"call", function}}});
    return remember(cudaErrorNotSupported);
}

Device& current_device() { return device(thread_state().device); }

int require_device(int ordinal) {
    require(ordinal >= 0 && ordinal < device_count(), cudaErrorInvalidDevice);
    return ordinal;
}

}  // namespace simt::calls
