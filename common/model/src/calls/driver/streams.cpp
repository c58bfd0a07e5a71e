// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Streams, events and graphs of the driver, whose handles are the runtime's.

#include "calls/driver/driver.hpp"
#include "calls/runtime/work.hpp"

using namespace simt::calls;

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned flags)
{
    return driver_call([&] { return cudaStreamCreateWithFlags(stream, flags); });
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority)
{
    return driver_call([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}

CUresult cuStreamDestroy(CUstream stream)
{
    return driver_call([&] { return cudaStreamDestroy(stream); });
}

CUresult cuStreamSynchronize(CUstream stream)
{
    return driver_call([&] { return cudaStreamSynchronize(stream); });
}

CUresult cuStreamQuery(CUstream stream)
{
    return driver_call([&] { return cudaStreamQuery(stream); });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned* flags)
{
    return driver_call([&] { return cudaStreamGetFlags(stream, flags); });
}

CUresult cuStreamGetPriority(CUstream stream, int* priority)
{
    return driver_call([&] { return cudaStreamGetPriority(stream, priority); });
}

CUresult cuStreamGetId(CUstream stream, unsigned long long* id)
{
    return driver_call([&] { return cudaStreamGetId(stream, id); });
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice* device)
{
    return driver_call([&] { return cudaStreamGetDevice(stream, device); });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    return driver_call([&] { return cudaStreamWaitEvent(stream, event, flags); });
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, std::size_t bytes, unsigned flags)
{
    return driver_call([&] { return cudaStreamAttachMemAsync(stream, pointer_of(address), bytes, flags); });
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    return driver_call([&] { return cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)); });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph)
{
    return driver_call([&] { return cudaStreamEndCapture(stream, graph); });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status)
{
    return driver_call([&] { return cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)); });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode)
{
    return driver_call([&] { return cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode)); });
}

CUresult cuEventCreate(CUevent* event, unsigned flags)
{
    return driver_call([&] { return cudaEventCreateWithFlags(event, flags); });
}

CUresult cuEventDestroy(CUevent event)
{
    return driver_call([&] { return cudaEventDestroy(event); });
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return driver_call([&] { return cudaEventRecord(event, stream); });
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    return driver_call([&] { return cudaEventRecordWithFlags(event, stream, flags); });
}

CUresult cuEventSynchronize(CUevent event)
{
    return driver_call([&] { return cudaEventSynchronize(event); });
}

CUresult cuEventQuery(CUevent event)
{
    return driver_call([&] { return cudaEventQuery(event); });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end)
{
    return driver_call([&] { return cudaEventElapsedTime(milliseconds, start, end); });
}

CUresult cuGraphCreate(CUgraph* graph, unsigned flags)
{
    return driver_call([&] { return cudaGraphCreate(graph, flags); });
}

CUresult cuGraphDestroy(CUgraph graph)
{
    return driver_call([&] { return cudaGraphDestroy(graph); });
}

CUresult cuGraphClone(CUgraph* clone, CUgraph graph)
{
    return driver_call([&] { return cudaGraphClone(clone, graph); });
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count)
{
    return driver_call([&] { return cudaGraphGetNodes(graph, nodes, count); });
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count)
{
    return driver_call([&] { return cudaGraphGetRootNodes(graph, nodes, count); });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count)
{
    return driver_call([&] { return cudaGraphAddEmptyNode(node, graph, dependencies, count); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count, CUgraph child)
{
    return driver_call([&] { return cudaGraphAddChildGraphNode(node, graph, dependencies, count, child); });
}

CUresult cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, unsigned long long flags)
{
    return driver_call([&] { return cudaGraphInstantiate(executable, graph, flags); });
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
    return driver_call([&] { return cudaGraphLaunch(executable, stream); });
}

CUresult cuGraphUpload(CUgraphExec executable, CUstream stream)
{
    return driver_call([&] { return cudaGraphUpload(executable, stream); });
}

CUresult cuGraphExecDestroy(CUgraphExec executable)
{
    return driver_call([&] { return cudaGraphExecDestroy(executable); });
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned)
{
    return driver_call([&] {
        require(callback != nullptr);
        enqueue(stream, HostWork{nullptr, nullptr, [=] { callback(stream, driver_result(kernel_error()), data); }});
    });
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context)
{
    return driver_call([&] {
        require(context != nullptr);
        int device = 0;
        const cudaError_t error = cudaStreamGetDevice(stream, &device);
        *context = primary_context(device);
        return error;
    });
}

}  // extern "C"
