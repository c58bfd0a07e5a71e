// The objects behind the handles of streams and events.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "calls/runtime/work.hpp"

namespace simt::calls {

/// A capture: the work of its streams becomes nodes of a graph instead of being done.
struct Capture {
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    unsigned long long id = 0;
    cudaStream_t origin = nullptr;
    bool invalidated = false;
    /// True if the program gave the graph; false if the capture made it.
    bool into_given_graph = false;
    /// Streams that take part.
    std::vector<cudaStream_t> streams;
    /// The last nodes of streams that took part and were destroyed.
    std::vector<cudaGraphNode_t> left;
};

}  // namespace simt::calls

/// A stream. All work is done when its call returns, so a stream holds no work.
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
    /// The capture of the stream that the event was recorded in; null if there was none.
    std::shared_ptr<simt::calls::Capture> capture;
    std::vector<cudaGraphNode_t> captured_last;
};

namespace simt::calls {

/// The live objects of one kind. A handle that it does not hold was destroyed or never created.
template <class Object> class Handles {
public:
    Object* create(Object object) {
        auto owner = std::make_unique<Object>(std::move(object));
        Object* handle = owner.get();
        const std::scoped_lock lock(mutex_);
        objects_[handle] = std::move(owner);
        return handle;
    }
    bool holds(const Object* handle) const {
        const std::scoped_lock lock(mutex_);
        return objects_.contains(const_cast<Object*>(handle));
    }
    bool destroy(Object* handle) {
        const std::scoped_lock lock(mutex_);
        return objects_.erase(handle) == 1;
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<Object*, std::unique_ptr<Object>> objects_;
};

Handles<CUstream_st>& streams();
Handles<CUevent_st>& events();

/// The stream of a handle; each default stream has an object too. Fails with cudaErrorInvalidResourceHandle if there is none.
CUstream_st& require_stream(cudaStream_t stream);
CUevent_st& require_event(cudaEvent_t event);

/// Removes a stream that is being destroyed from its capture, which continues.
void leave_capture(CUstream_st& stream);
/// Marks an event as reached.
void record(CUevent_st& event);

}  // namespace simt::calls
