#include "calls/runtime/streams.hpp"

#include <limits>

namespace simt::calls {

Handles<CUevent_st>& events() {
    static auto& instance = *new Handles<CUevent_st>;
    return instance;
}

CUevent_st& require_event(cudaEvent_t event) {
    require(events().holds(event), cudaErrorInvalidResourceHandle);
    return *event;
}

void record(CUevent_st& event) { event.recorded = true; }

}  // namespace simt::calls

using namespace simt::calls;

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return call([&] {
        require(event && flags <= (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess));
        require(!(flags & cudaEventInterprocess) || (flags & cudaEventDisableTiming));
        *event = events().create({.flags = flags, .device = thread_state().device});
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return call([&] {
        require_event(event);
        enqueue(stream, EventRecordWork{event});
    });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) { return cudaEventRecord(event, stream); }

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return call([&] {
        require(!require_event(event).capture, cudaErrorCapturedEvent);
        report_kernel_error();
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return call([&] { require(events().destroy(event), cudaErrorInvalidResourceHandle); });
}

/// Gives NaN: the model knows no time. A speed computed from it prints as `nan`, not as a believable number.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return call([&] {
        require(milliseconds != nullptr);
        for (const CUevent_st* event : {&require_event(start), &require_event(end)})
            require(event->recorded && !(event->flags & cudaEventDisableTiming), cudaErrorInvalidResourceHandle);
        *milliseconds = std::numeric_limits<float>::quiet_NaN();
        report_kernel_error();
    });
}

}  // extern "C"
