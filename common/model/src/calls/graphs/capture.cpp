// Streams whose work becomes a graph.

#include <algorithm>
#include <atomic>

#include "calls/graphs/graphs.hpp"

namespace simt::calls {

namespace {

std::recursive_mutex& capture_mutex() {
    static std::recursive_mutex& mutex = *new std::recursive_mutex;
    return mutex;
}

unsigned long long next_capture_id() {
    static std::atomic<unsigned long long> last{0};
    return ++last;
}

void add_missing(std::vector<cudaGraphNode_t>& to, const std::vector<cudaGraphNode_t>& from) {
    for (const cudaGraphNode_t node : from)
        if (std::ranges::find(to, node) == to.end()) to.push_back(node);
}

/// Makes a captured stream wait for an event. A stream that is not captured joins the capture in which the event was recorded.
bool wait_for(CUstream_st& stream, const CUevent_st& event) {
    if (!event.capture) {
        // An event from before the capture cannot order nodes of the graph.
        require(!stream.capture, cudaErrorStreamCaptureIsolation);
        return false;
    }
    require(!stream.capture || stream.capture == event.capture, cudaErrorStreamCaptureMerge);
    if (!stream.capture) {
        stream.capture = event.capture;
        stream.captured_last.clear();
        stream.capture->streams.push_back(&stream);
    }
    add_missing(stream.captured_last, event.captured_last);
    return true;
}

bool is_before(const CUgraphNode_st& node, const std::vector<cudaGraphNode_t>& last) {
    return std::ranges::any_of(last, [&](const CUgraphNode_st* other) { return other == &node || is_before(node, other->dependencies); });
}

/// True if the capture's first stream waits for the work of all others.
bool is_joined(const Capture& capture, const CUstream_st& origin) {
    std::vector<cudaGraphNode_t> last = capture.left;
    for (const cudaStream_t stream : capture.streams) add_missing(last, stream->captured_last);
    return std::ranges::all_of(last, [&](const CUgraphNode_st* node) { return is_before(*node, origin.captured_last); });
}

void begin(cudaStream_t handle, cudaGraph_t graph, const cudaGraphNode_t* dependencies, std::size_t count, cudaStreamCaptureMode mode) {
    CUstream_st& stream = require_stream(handle);
    // CUDA does not capture the default stream that all threads share.
    require(handle != nullptr && handle != cudaStreamLegacy, cudaErrorStreamCaptureUnsupported);
    require(!stream.capture, cudaErrorIllegalState);
    stream.capture = std::make_shared<Capture>();
    stream.capture->into_given_graph = graph != nullptr;
    stream.capture->graph = graph ? graph : new_graph();
    stream.capture->mode = mode;
    stream.capture->id = next_capture_id();
    stream.capture->origin = &stream;
    stream.capture->streams = {&stream};
    stream.captured_last.clear();
    if (count != 0) stream.captured_last.assign(dependencies, dependencies + count);
}

cudaGraph_t end(CUstream_st& stream) {
    require(stream.capture != nullptr, cudaErrorIllegalState);
    require(stream.capture->origin == &stream, cudaErrorStreamCaptureUnmatched);
    const std::shared_ptr<Capture> capture = stream.capture;
    const bool joined = is_joined(*capture, stream);
    for (const cudaStream_t taking_part : capture->streams) {
        taking_part->capture.reset();
        taking_part->captured_last.clear();
    }
    if (joined && !capture->invalidated) return capture->graph;
    if (!capture->into_given_graph) delete_graph(capture->graph);
    fail(capture->invalidated ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined);
}

}  // namespace

void leave_capture(CUstream_st& stream) {
    const std::scoped_lock lock(capture_mutex());
    if (!stream.capture) return;
    if (stream.capture->origin == &stream) stream.capture->invalidated = true;
    add_missing(stream.capture->left, stream.captured_last);
    std::erase(stream.capture->streams, &stream);
}

bool join_capture(CUstream_st& stream, const Work& work) {
    const std::scoped_lock lock(capture_mutex());
    if (const auto* wait = std::get_if<EventWaitWork>(&work)) return wait_for(stream, require_event(wait->event));
    if (!stream.capture) return false;
    require(!stream.capture->invalidated, cudaErrorStreamCaptureInvalidated);
    if (const auto* recorded = std::get_if<EventRecordWork>(&work)) {
        CUevent_st& event = require_event(recorded->event);
        event.capture = stream.capture;
        event.captured_last = stream.captured_last;
        return true;
    }
    stream.captured_last = {add_node(*stream.capture->graph, stream.captured_last.data(), stream.captured_last.size(), work)};
    return true;
}

}  // namespace simt::calls

using namespace simt::calls;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return call([&] {
        const std::scoped_lock lock(capture_mutex());
        begin(stream, nullptr, nullptr, 0, mode);
    });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, std::size_t count, cudaStreamCaptureMode mode) {
    return call([&] {
        const std::scoped_lock lock(capture_mutex());
        begin(stream, &require_graph(graph), dependencies, count, mode);
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    return call([&] {
        const std::scoped_lock lock(capture_mutex());
        if (graph) *graph = nullptr;
        const cudaGraph_t made = end(require_stream(stream));
        if (graph) *graph = made;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return cudaStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges, std::size_t* count) {
    return call([&] {
        const std::scoped_lock lock(capture_mutex());
        require(status != nullptr);
        const CUstream_st& stream = require_stream(handle);
        *status = !stream.capture               ? cudaStreamCaptureStatusNone
                  : stream.capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                                : cudaStreamCaptureStatusActive;
        if (*status != cudaStreamCaptureStatusActive) return;
        if (id) *id = stream.capture->id;
        if (graph) *graph = stream.capture->graph;
        if (dependencies) *dependencies = stream.captured_last.data();
        if (edges) *edges = nullptr;
        if (count) *count = stream.captured_last.size();
    });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                                                std::size_t count, unsigned flags) {
    return call([&] {
        const std::scoped_lock lock(capture_mutex());
        CUstream_st& stream = require_stream(handle);
        require(stream.capture != nullptr, cudaErrorIllegalState);
        if (flags == cudaStreamSetCaptureDependencies) stream.captured_last.clear();
        add_missing(stream.captured_last, {dependencies, dependencies + count});
    });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    return call([&] {
        require(mode != nullptr);
        std::swap(*mode, thread_state().capture_mode);
    });
}

}  // extern "C"
