#include "calls/runtime/streams.hpp"

#include <algorithm>
#include <atomic>

namespace simt::calls {

namespace {

bool is_per_thread(cudaStream_t stream) { return stream == cudaStreamPerThread; }
bool is_default(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy || is_per_thread(stream); }

constexpr unsigned long long legacy_id = 1, per_thread_id = 2;

unsigned long long next_stream_id() {
    static std::atomic<unsigned long long> last{per_thread_id};
    return ++last;
}

}  // namespace

Handles<CUstream_st>& streams() {
    static auto& instance = *new Handles<CUstream_st>;
    return instance;
}

CUstream_st& require_stream(cudaStream_t stream) {
    static CUstream_st& legacy = *new CUstream_st{.id = legacy_id};
    thread_local CUstream_st per_thread{.id = per_thread_id};
    if (is_per_thread(stream)) return per_thread;
    if (is_default(stream)) return legacy;
    require(streams().holds(stream), cudaErrorInvalidResourceHandle);
    return *stream;
}

}  // namespace simt::calls

using namespace simt::calls;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return call([&] {
        require(stream && flags <= cudaStreamNonBlocking);
        int least = 0, greatest = 0;
        cudaDeviceGetStreamPriorityRange(&least, &greatest);
        *stream = streams().create({.flags = flags,
                                    .priority = std::min(least, std::max(greatest, priority)),
                                    .device = thread_state().device,
                                    .id = next_stream_id()});
    });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return call([&] {
        require(streams().holds(stream), cudaErrorInvalidResourceHandle);
        leave_capture(*stream);
        streams().destroy(stream);
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return call([&] {
        CUstream_st& waited = require_stream(stream);
        if (waited.capture) {
            waited.capture->invalidated = true;
            fail(cudaErrorStreamCaptureUnsupported);
        }
        report_kernel_error();
    });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

SIMT_ANSWER(cudaStreamGetFlags, (cudaStream_t stream, unsigned* flags), flags, require_stream(stream).flags)
SIMT_ANSWER(cudaStreamGetPriority, (cudaStream_t stream, int* priority), priority, require_stream(stream).priority)
SIMT_ANSWER(cudaStreamGetId, (cudaStream_t stream, unsigned long long* id), id, require_stream(stream).id)

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    return call([&] {
        const CUstream_st& asked = require_stream(stream);
        *device = streams().holds(stream) ? asked.device : thread_state().device;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return call([&] {
        require_stream(stream);
        require_event(event);
        enqueue(stream, EventWaitWork{event});
    });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags) {
    return call([&] {
        require(callback != nullptr && flags == 0);
        require(!require_stream(stream).capture, cudaErrorStreamCaptureUnsupported);
        enqueue(stream, HostWork{nullptr, nullptr, [=] { callback(stream, kernel_error(), data); }});
    });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, std::size_t, unsigned) {
    return call([&] { require_stream(stream); });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return call([&] {
        const CUstream_st& source = require_stream(from);
        CUstream_st& target = require_stream(to);
        target.access_policy = source.access_policy;
        target.synchronization_policy = source.synchronization_policy;
    });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
    return call([&] {
        require(value != nullptr);
        const CUstream_st& asked = require_stream(stream);
        if (attribute == cudaStreamAttributeAccessPolicyWindow) *value = asked.access_policy;
        else if (attribute == cudaStreamAttributeSynchronizationPolicy) *value = asked.synchronization_policy;
        else if (attribute == cudaLaunchAttributePriority) value->priority = asked.priority;
        else fail(cudaErrorInvalidValue);
    });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value) {
    return call([&] {
        require(value != nullptr);
        CUstream_st& asked = require_stream(stream);
        if (attribute == cudaStreamAttributeAccessPolicyWindow) asked.access_policy = *value;
        else if (attribute == cudaStreamAttributeSynchronizationPolicy) asked.synchronization_policy = *value;
        else if (attribute == cudaLaunchAttributePriority) asked.priority = value->priority;
        else fail(cudaErrorInvalidValue);
    });
}

}  // extern "C"
