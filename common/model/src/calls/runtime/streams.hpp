// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What the handles of streams and events stand for.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "calls/runtime/work.hpp"

namespace simt::calls {

/// A graph that a stream's work goes into instead of being done.
struct Capture {
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    unsigned long long id = 0;
    cudaStream_t origin = nullptr;
    bool invalidated = false;
    /// The graph is the program's own, and not made by the capture.
    bool into_given_graph = false;
    /// Streams that take part.
    std::vector<cudaStream_t> streams;
    /// The last nodes of streams that took part and were destroyed.
    std::vector<cudaGraphNode_t> left;
};

}  // namespace simt::calls

/// A stream. All work is done when its call returns, so a stream only has to exist.
struct CUstream_st {
    unsigned flags = 0;
    int priority = 0;
    int device = 0;
    unsigned long long id = 0;
    std::shared_ptr<simt::calls::Capture> capture;
    /// The nodes that the next captured work waits for.
    std::vector<cudaGraphNode_t> captured_last;
    cudaLaunchAttributeValue access_policy{}, synchronization_policy{};
};

struct CUevent_st {
    unsigned flags = 0;
    int device = 0;
    bool recorded = false;
    /// Where it was recorded in a stream that was captured.
    std::shared_ptr<simt::calls::Capture> capture;
    std::vector<cudaGraphNode_t> captured_last;
};

namespace simt::calls {

/// The live objects of one kind, so that a handle that was destroyed or never made is told from one that is good.
template <class Object>
class Handles {
public:
    Object* create(Object object)
    {
        auto owner = std::make_unique<Object>(std::move(object));
        Object* handle = owner.get();
        const std::scoped_lock lock(mutex_);
        objects_[handle] = std::move(owner);
        return handle;
    }
    bool holds(const Object* handle) const
    {
        const std::scoped_lock lock(mutex_);
        return objects_.contains(const_cast<Object*>(handle));
    }
    bool destroy(Object* handle)
    {
        const std::scoped_lock lock(mutex_);
        return objects_.erase(handle) == 1;
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<Object*, std::unique_ptr<Object>> objects_;
};

Handles<CUstream_st>& streams();
Handles<CUevent_st>& events();

/// The stream of a handle: for a default stream, one that stands for it. Fails with cudaErrorInvalidResourceHandle if there
/// is none.
CUstream_st& require_stream(cudaStream_t stream);
CUevent_st& require_event(cudaEvent_t event);

/// Takes a stream that is destroyed out of its capture, which goes on.
void leave_capture(CUstream_st& stream);
/// Notes that all before it is done.
void record(CUevent_st& event);

}  // namespace simt::calls
