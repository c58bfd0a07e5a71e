// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "streams.hpp"

#include <algorithm>

namespace simt::runtime {

Handles<CUevent_st>& events()
{
    static auto& instance = *new Handles<CUevent_st>;
    return instance;
}

CUevent_st& require_event(cudaEvent_t event)
{
    require(events().holds(event), cudaErrorInvalidResourceHandle);
    return *event;
}

void record(CUevent_st& event)
{
    event.recorded = true;
    event.time = std::chrono::steady_clock::now();
}

}  // namespace simt::runtime

using namespace simt::runtime;

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags)
{
    return call([&] {
        require(event && flags <= (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess));
        require(!(flags & cudaEventInterprocess) || (flags & cudaEventDisableTiming));
        *event = events().create({.flags = flags, .device = thread_state().device});
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return call([&] {
        require_event(event);
        enqueue(stream, EventRecordWork{event});
    });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) { return cudaEventRecord(event, stream); }

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return call([&] {
        require(!require_event(event).capture, cudaErrorCapturedEvent);
        report_kernel_error();
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return call([&] { require(events().destroy(event), cudaErrorInvalidResourceHandle); });
}

/// The time that the model took, which tells nothing of a GPU. Above 0, so that a program can divide by it.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return call([&] {
        require(milliseconds != nullptr);
        const CUevent_st &from = require_event(start), &to = require_event(end);
        for (const CUevent_st* event : {&from, &to}) require(event->recorded && !(event->flags & cudaEventDisableTiming), cudaErrorInvalidResourceHandle);
        constexpr float shortest = 1e-6F;
        const float elapsed = std::chrono::duration<float, std::milli>(to.time - from.time).count();
        *milliseconds = elapsed >= 0 ? std::max(elapsed, shortest) : elapsed;
        report_kernel_error();
    });
}

}  // extern "C"

SIMT_PER_THREAD_STREAM(cudaEventRecord);
SIMT_PER_THREAD_STREAM(cudaEventRecordWithFlags);
