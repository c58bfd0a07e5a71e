// Adds nodes to graphs, and changes their work in graphs and in executable graphs.

#include "calls/graphs/graphs.hpp"
#include "calls/runtime/copies.hpp"
#include "calls/runtime/launches.hpp"
#include "calls/runtime/memory.hpp"

namespace {

using namespace simt::calls;

/// Adds a node to a graph.
template <class Describe>
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, std::size_t count,
                const Describe& describe) {
    return call([&] {
        require(node != nullptr && (dependencies != nullptr || count == 0));
        *node = add_node(require_graph(graph), dependencies, count, describe());
    });
}

/// Changes the work of a node, which stays of its kind.
template <class Describe> cudaError_t change(cudaGraphNode_t node, const Describe& describe) {
    return call([&] {
        Work work = describe();
        CUgraphNode_st& changed = require_node(node);
        require(changed.work.index() == work.index());
        changed.work = std::move(work);
    });
}

/// Changes the copy of a node in an executable graph.
template <class Describe> cudaError_t change_in(cudaGraphExec_t executable, cudaGraphNode_t node, const Describe& describe) {
    return call([&] {
        Work work = describe();
        CUgraphNode_st& changed = node_in(executable, node);
        require(changed.work.index() == work.index());
        changed.work = std::move(work);
    });
}

Work kernel(const void* function, dim3 grid, dim3 block, unsigned shared_bytes, void** arguments, void** extra) {
    require(extra == nullptr, cudaErrorNotSupported);
    return kernel_work(function, grid, block, shared_bytes, arguments);
}

Work kernel(const cudaKernelNodeParams* parameters) {
    require(parameters != nullptr);
    return kernel(parameters->func, parameters->gridDim, parameters->blockDim, parameters->sharedMemBytes, parameters->kernelParams,
                  parameters->extra);
}

/// A kernel node keeps its attributes when its parameters change.
Work changed_kernel(CUgraphNode_st& node, const cudaKernelNodeParams* parameters) {
    Work work = kernel(parameters);
    const KernelWork& before = work_of<KernelWork>(node);
    auto& after = std::get<KernelWork>(work);
    after.cluster = before.cluster;
    after.cooperative = before.cooperative;
    after.attributes = before.attributes;
    return work;
}

Work copy(const cudaMemcpy3DParms* parameters) {
    require(parameters != nullptr);
    return CopyWork{*parameters};
}

Work set(const cudaMemsetParams* parameters) {
    require(parameters != nullptr);
    SetWork work;
    work.parameters = *parameters;
    check_set(work);
    return work;
}

Work host(const cudaHostNodeParams* parameters) {
    require(parameters && parameters->fn);
    return HostWork{parameters->fn, parameters->userData, {}};
}

Work allocation(cudaMemAllocNodeParams* parameters) {
    require(parameters && parameters->bytesize > 0);
    AllocateWork work{.parameters = {}, .memory = Allocations::instance().allocate_for_graph(parameters->bytesize)};
    parameters->dptr = work.memory.get();
    work.parameters = *parameters;
    return work;
}

Work event_record(cudaEvent_t event) { return EventRecordWork{&require_event(event)}; }
Work event_wait(cudaEvent_t event) { return EventWaitWork{&require_event(event)}; }

/// The work that the parameters of any kind of node describe.
Work described(const CUgraph_st& graph, cudaGraphNodeParams* parameters) {
    require(parameters != nullptr);
    switch (parameters->type) {
        case cudaGraphNodeTypeKernel: {
            const auto& of = parameters->kernel;
            return kernel(of.func, of.gridDim, of.blockDim, of.sharedMemBytes, of.kernelParams, of.extra);
        }
        case cudaGraphNodeTypeMemcpy: return copy(&parameters->memcpy.copyParams);
        case cudaGraphNodeTypeMemset: {
            const auto& of = parameters->memset;
            const cudaMemsetParams params{of.dst, of.pitch, of.value, of.elementSize, of.width, of.height};
            return set(&params);
        }
        case cudaGraphNodeTypeHost: {
            const cudaHostNodeParams params{parameters->host.fn, parameters->host.userData};
            return host(&params);
        }
        case cudaGraphNodeTypeGraph: return ChildGraphWork{parameters->graph.graph};
        case cudaGraphNodeTypeEmpty: return EmptyWork{};
        case cudaGraphNodeTypeWaitEvent: return event_wait(parameters->eventWait.event);
        case cudaGraphNodeTypeEventRecord: return event_record(parameters->eventRecord.event);
        case cudaGraphNodeTypeMemAlloc: {
            auto& of = parameters->alloc;
            cudaMemAllocNodeParams params{of.poolProps, of.accessDescs, of.accessDescCount, of.bytesize, nullptr};
            Work work = allocation(&params);
            of.dptr = params.dptr;
            return work;
        }
        case cudaGraphNodeTypeMemFree: return FreeWork{parameters->free.dptr};
        case cudaGraphNodeTypeConditional: return conditional(graph, parameters->conditional);
        default: fail(cudaErrorNotSupported);
    }
}

/// The new work of a node. Conditional nodes cannot be changed.
Work changed(const CUgraphNode_st& node, cudaGraphNodeParams* parameters) {
    require(parameters && parameters->type != cudaGraphNodeTypeConditional);
    return described(*node.graph, parameters);
}

}  // namespace

/// Defines the functions that add a node to a graph, change the node, and change its copy in an executable graph.
/// @param parameters those that describe the work, which all three functions have
/// @param ...        the work, an expression of the parameters
#define SIMT_NODE(add_function, change_function, change_in_function, parameters, ...)                                                     \
    extern "C" cudaError_t add_function(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, std::size_t count, \
                                        SIMT_LISTED parameters) {                                                                         \
        return add(node, graph, dependencies, count, [&]() -> Work { return __VA_ARGS__; });                                              \
    }                                                                                                                                     \
    extern "C" cudaError_t change_function(cudaGraphNode_t node, SIMT_LISTED parameters) {                                                \
        return change(node, [&]() -> Work { return __VA_ARGS__; });                                                                       \
    }                                                                                                                                     \
    extern "C" cudaError_t change_in_function(cudaGraphExec_t executable, cudaGraphNode_t node, SIMT_LISTED parameters) {                 \
        return change_in(executable, node, [&]() -> Work { return __VA_ARGS__; });                                                        \
    }

SIMT_NODE(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams, (const cudaMemcpy3DParms* parameters),
          copy(parameters))
SIMT_NODE(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
          (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind), CopyWork{bytes_in_row(to, from, bytes, kind)})
SIMT_NODE(cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol, cudaGraphExecMemcpyNodeSetParamsToSymbol,
          (const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind),
          CopyWork{to_symbol(symbol, from, bytes, offset, kind)})
SIMT_NODE(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol, cudaGraphExecMemcpyNodeSetParamsFromSymbol,
          (void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind),
          CopyWork{from_symbol(to, symbol, bytes, offset, kind)})
SIMT_NODE(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, (const cudaMemsetParams* parameters),
          set(parameters))
SIMT_NODE(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, (const cudaHostNodeParams* parameters),
          host(parameters))
SIMT_NODE(cudaGraphAddEventRecordNode, cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent, (cudaEvent_t event),
          event_record(event))
SIMT_NODE(cudaGraphAddEventWaitNode, cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent, (cudaEvent_t event),
          event_wait(event))

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, std::size_t count) {
    return add(node, graph, dependencies, count, [&]() -> Work { return EmptyWork{}; });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* parameters) {
    return add(node, graph, dependencies, count, [&] { return kernel(parameters); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child) {
    return add(node, graph, dependencies, count, [&]() -> Work { return ChildGraphWork{child}; });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, std::size_t count,
                                     cudaMemAllocNodeParams* parameters) {
    return add(node, graph, dependencies, count, [&]() -> Work { return allocation(parameters); });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, std::size_t count,
                                    void* pointer) {
    return add(node, graph, dependencies, count, [&]() -> Work { return FreeWork{pointer}; });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                             std::size_t count, cudaGraphNodeParams* parameters) {
    return add(node, graph, dependencies, count, [&] { return described(require_graph(graph), parameters); });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters) {
    return change(node, [&]() -> Work { return changed(require_node(node), parameters); });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
    return change(node, [&]() -> Work { return changed_kernel(require_node(node), parameters); });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraphNodeParams* parameters) {
    return change_in(executable, node, [&]() -> Work { return changed(node_in(executable, node), parameters); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
    return change_in(executable, node, [&]() -> Work { return changed_kernel(node_in(executable, node), parameters); });
}

}  // extern "C"
