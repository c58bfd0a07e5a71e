// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "work.hpp"

#include "graphs.hpp"
#include "streams.hpp"

namespace simt::runtime {

namespace {

/// What a stream can be given to do, done.
struct Runner {
    void operator()(const EmptyWork&) const {}
    void operator()(const KernelWork& work) const { run_kernel(work); }
    void operator()(const CopyWork& work) const { run_copy(work.parameters); }
    void operator()(const SetWork& work) const { run_set(work); }
    void operator()(const HostWork& work) const
    {
        if (work.callback) work.callback();
        else work.function(work.data);
    }
    void operator()(const EventRecordWork& work) const { record(require_event(work.event)); }
    void operator()(const EventWaitWork& work) const { require_event(work.event); }
    void operator()(const ChildGraphWork& work) const { run_graph(work.graph); }
    /// The memory of a graph stays where it is between launches: its address stands in the graph's other nodes.
    void operator()(const AllocateWork&) const {}
    void operator()(const FreeWork&) const {}
};

}  // namespace

void run(const Work& work) { std::visit(Runner{}, work); }

void enqueue(cudaStream_t handle, Work work)
{
    CUstream_st& stream = require_stream(handle);
    if (join_capture(stream, work)) return;
    if (const auto* recorded = std::get_if<EventRecordWork>(&work)) require_event(recorded->event).capture.reset();
    run(work);
}

}  // namespace simt::runtime
