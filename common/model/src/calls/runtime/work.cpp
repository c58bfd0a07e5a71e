#include "calls/runtime/work.hpp"

#include "calls/graphs/graphs.hpp"
#include "calls/runtime/memory.hpp"
#include "calls/runtime/streams.hpp"

namespace simt::calls {

namespace {

/// Does the work of each kind.
struct Runner {
    void operator()(const EmptyWork&) const {}
    void operator()(const KernelWork& work) const { run_kernel(work); }
    void operator()(const CopyWork& work) const { run_copy(work.parameters); }
    void operator()(const SetWork& work) const { run_set(work); }
    void operator()(const HostWork& work) const {
        if (work.callback) work.callback();
        else work.function(work.data);
    }
    void operator()(const EventRecordWork& work) const { record(require_event(work.event)); }
    void operator()(const EventWaitWork& work) const { require_event(work.event); }
    void operator()(const ChildGraphWork& work) const { run_graph(work.graph); }
    void operator()(const AllocateWork& work) const { Allocations::instance().use(work.parameters.dptr); }
    void operator()(const FreeWork& work) const {
        using Kind = ProgramAllocation::Kind;
        Allocations::instance().release(work.pointer, {Kind::device, Kind::graph, Kind::managed}, cudaErrorInvalidValue);
    }
    void operator()(const ConditionalWork& work) const { run_conditional(work); }
};

}  // namespace

std::vector<cudaGraph_t> parts_of(const Work& work) {
    if (const auto* child = std::get_if<ChildGraphWork>(&work)) return {child->graph};
    if (const auto* conditional = std::get_if<ConditionalWork>(&work)) return conditional->bodies;
    return {};
}

void run(const Work& work) { std::visit(Runner{}, work); }

void enqueue(cudaStream_t handle, Work work) {
    CUstream_st& stream = require_stream(handle);
    if (join_capture(stream, work)) return;
    if (const auto* recorded = std::get_if<EventRecordWork>(&work)) require_event(recorded->event).capture.reset();
    run(work);
}

}  // namespace simt::calls
