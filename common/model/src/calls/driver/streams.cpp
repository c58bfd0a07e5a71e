// Streams, events and graphs of the driver, whose handles are the runtime's.

#include "calls/driver/forward.hpp"
#include "calls/runtime/work.hpp"

using namespace simt::calls;

extern "C" {

SIMT_FORWARD(2, cuStreamCreate, cudaStreamCreateWithFlags)
SIMT_FORWARD(3, cuStreamCreateWithPriority, cudaStreamCreateWithPriority)
SIMT_FORWARD(1, cuStreamDestroy, cudaStreamDestroy)
SIMT_FORWARD(1, cuStreamSynchronize, cudaStreamSynchronize)
SIMT_FORWARD(1, cuStreamQuery, cudaStreamQuery)
SIMT_FORWARD(2, cuStreamGetFlags, cudaStreamGetFlags)
SIMT_FORWARD(2, cuStreamGetPriority, cudaStreamGetPriority)
SIMT_FORWARD(2, cuStreamGetId, cudaStreamGetId)
SIMT_FORWARD(2, cuStreamGetDevice, cudaStreamGetDevice)
SIMT_FORWARD(3, cuStreamWaitEvent, cudaStreamWaitEvent)
SIMT_FORWARD(4, cuStreamAttachMemAsync, cudaStreamAttachMemAsync)
SIMT_FORWARD(2, cuStreamBeginCapture, cudaStreamBeginCapture)
SIMT_FORWARD(2, cuStreamEndCapture, cudaStreamEndCapture)
SIMT_FORWARD(2, cuStreamIsCapturing, cudaStreamIsCapturing)
SIMT_FORWARD(1, cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode)
SIMT_FORWARD(2, cuEventCreate, cudaEventCreateWithFlags)
SIMT_FORWARD(1, cuEventDestroy, cudaEventDestroy)
SIMT_FORWARD(2, cuEventRecord, cudaEventRecord)
SIMT_FORWARD(3, cuEventRecordWithFlags, cudaEventRecordWithFlags)
SIMT_FORWARD(1, cuEventSynchronize, cudaEventSynchronize)
SIMT_FORWARD(1, cuEventQuery, cudaEventQuery)
SIMT_FORWARD(3, cuEventElapsedTime, cudaEventElapsedTime)
SIMT_FORWARD(2, cuGraphCreate, cudaGraphCreate)
SIMT_FORWARD(1, cuGraphDestroy, cudaGraphDestroy)
SIMT_FORWARD(2, cuGraphClone, cudaGraphClone)
SIMT_FORWARD(3, cuGraphGetNodes, cudaGraphGetNodes)
SIMT_FORWARD(3, cuGraphGetRootNodes, cudaGraphGetRootNodes)
SIMT_FORWARD(4, cuGraphAddEmptyNode, cudaGraphAddEmptyNode)
SIMT_FORWARD(5, cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode)
SIMT_FORWARD(3, cuGraphInstantiate, cudaGraphInstantiate)
SIMT_FORWARD(2, cuGraphLaunch, cudaGraphLaunch)
SIMT_FORWARD(2, cuGraphUpload, cudaGraphUpload)
SIMT_FORWARD(1, cuGraphExecDestroy, cudaGraphExecDestroy)

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned) {
    return driver_call([&] {
        require(callback != nullptr);
        enqueue(stream, HostWork{nullptr, nullptr, [=] { callback(stream, driver_result(kernel_error()), data); }});
    });
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
    return driver_call([&] {
        require(context != nullptr);
        int device = 0;
        const cudaError_t error = cudaStreamGetDevice(stream, &device);
        *context = primary_context(device);
        return error;
    });
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green) {
    if (green) *green = nullptr;
    return cuStreamGetCtx(stream, context);
}

}  // extern "C"
