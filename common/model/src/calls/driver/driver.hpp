// Declarations that the functions of the driver library share. They call the functions of the runtime library and share its state.
#pragma once

#include <cuda.h>

#include "calls/runtime/calls.hpp"

/// A context. Only its device has an effect.
struct CUctx_st {
    int device = 0;
    unsigned flags = 0;
    unsigned long long id = 0;
    bool is_primary = false;
};

namespace simt::calls {

/// The driver's code for an error of the runtime.
CUresult driver_result(cudaError_t error);

/// Runs the body of a call of the driver. The runtime's last error stays as it was.
template <class Body> CUresult driver_call(const Body& body) {
    const cudaError_t before = thread_state().last_error;
    const cudaError_t error = call(body);
    thread_state().last_error = before;
    return driver_result(error);
}

/// Returns a context. Fails with CUDA_ERROR_INVALID_CONTEXT if there is no such context.
CUcontext require_context(CUcontext context);
CUcontext primary_context(int ordinal);
/// The context of this thread: the top of its stack, or the primary one of the runtime's device.
CUcontext current_context();

inline void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline CUdeviceptr device_pointer(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
/// The handles of both libraries stand for the same objects.
inline cudaArray_t array_of(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }
/// A channel description of the driver's format.
cudaChannelFormatDesc channels_of(CUarray_format format, unsigned channels);
void driver_format(const cudaChannelFormatDesc& description, CUarray_format& format, unsigned& channels);

}  // namespace simt::calls

/// SIMT_ANSWER for a call of the driver.
#define SIMT_DRIVER_ANSWER(...) SIMT_ANSWER_IN(CUresult, simt::calls::driver_call, __VA_ARGS__)
