// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Streams and events. All work is done when its call returns, so a stream only has to exist.

#include <cuda_runtime_api.h>

#include <limits>
#include <memory>
#include <unordered_map>

#include "runtime_api.hpp"

struct CUstream_st {
    unsigned flags;
    int priority;
};

struct CUevent_st {
    unsigned flags;
    bool recorded;
};

namespace {

using simt::detail::kernel_error;
using simt::detail::set_last_error;

/// The live objects of one kind, so that a handle that was destroyed or never made is told from one that is good.
template <class Object>
class Handles {
public:
    Object* create(Object object)
    {
        auto owner = std::make_unique<Object>(object);
        Object* handle = owner.get();
        objects_[handle] = std::move(owner);
        return handle;
    }
    bool holds(Object* handle) const { return objects_.contains(handle); }
    bool destroy(Object* handle) { return objects_.erase(handle) == 1; }

private:
    std::unordered_map<Object*, std::unique_ptr<Object>> objects_;
};

Handles<CUstream_st>& streams()
{
    static Handles<CUstream_st> instance;
    return instance;
}

Handles<CUevent_st>& events()
{
    static Handles<CUevent_st> instance;
    return instance;
}

bool is_default_stream(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread; }

cudaError_t check(cudaStream_t stream)
{
    return set_last_error(is_default_stream(stream) || streams().holds(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t check(cudaEvent_t event) { return set_last_error(events().holds(event) ? cudaSuccess : cudaErrorInvalidResourceHandle); }

/// The error of a handle that is none, or else what the device reports.
template <class Handle>
cudaError_t wait_for(Handle handle)
{
    const cudaError_t error = check(handle);
    return error == cudaSuccess ? kernel_error() : error;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority)
{
    if (!stream || flags > cudaStreamNonBlocking) return set_last_error(cudaErrorInvalidValue);
    *stream = streams().create({flags, priority});
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return set_last_error(streams().destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return wait_for(stream); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return wait_for(stream); }

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags)
{
    if (const cudaError_t error = check(stream); error != cudaSuccess) return error;
    *flags = is_default_stream(stream) ? cudaStreamDefault : stream->flags;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority)
{
    if (const cudaError_t error = check(stream); error != cudaSuccess) return error;
    *priority = is_default_stream(stream) ? 0 : stream->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    const cudaError_t error = check(stream);
    return error == cudaSuccess ? check(event) : error;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned)
{
    if (const cudaError_t error = check(stream); error != cudaSuccess) return error;
    callback(stream, kernel_error(), data);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data)
{
    if (const cudaError_t error = check(stream); error != cudaSuccess) return error;
    function(data);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags)
{
    if (!event || flags > (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)) return set_last_error(cudaErrorInvalidValue);
    *event = events().create({flags, false});
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (const cudaError_t error = cudaStreamWaitEvent(stream, event, cudaEventWaitDefault); error != cudaSuccess) return error;
    event->recorded = true;
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) { return cudaEventRecord(event, stream); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return wait_for(event); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return wait_for(event); }

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return set_last_error(events().destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!milliseconds) return set_last_error(cudaErrorInvalidValue);
    for (const cudaEvent_t event : {start, end}) {
        if (const cudaError_t error = check(event); error != cudaSuccess) return error;
        if (!event->recorded || (event->flags & cudaEventDisableTiming)) return set_last_error(cudaErrorInvalidResourceHandle);
    }
    *milliseconds = std::numeric_limits<float>::quiet_NaN();
    return kernel_error();
}

}  // extern "C"

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) { return cudaEventCreateWithFlags(event, flags); }
