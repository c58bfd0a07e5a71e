// Queries of the nodes of graphs, and the attributes of kernel nodes.

#include <vector>

#include "calls/graphs/graphs.hpp"
#include "calls/runtime/launches.hpp"

namespace {

using namespace simt::calls;

struct TypeOf {
    cudaGraphNodeType operator()(const EmptyWork&) const { return cudaGraphNodeTypeEmpty; }
    cudaGraphNodeType operator()(const KernelWork&) const { return cudaGraphNodeTypeKernel; }
    cudaGraphNodeType operator()(const CopyWork&) const { return cudaGraphNodeTypeMemcpy; }
    cudaGraphNodeType operator()(const SetWork&) const { return cudaGraphNodeTypeMemset; }
    cudaGraphNodeType operator()(const HostWork&) const { return cudaGraphNodeTypeHost; }
    cudaGraphNodeType operator()(const EventRecordWork&) const { return cudaGraphNodeTypeEventRecord; }
    cudaGraphNodeType operator()(const EventWaitWork&) const { return cudaGraphNodeTypeWaitEvent; }
    cudaGraphNodeType operator()(const ChildGraphWork&) const { return cudaGraphNodeTypeGraph; }
    cudaGraphNodeType operator()(const AllocateWork&) const { return cudaGraphNodeTypeMemAlloc; }
    cudaGraphNodeType operator()(const FreeWork&) const { return cudaGraphNodeTypeMemFree; }
    cudaGraphNodeType operator()(const ConditionalWork&) const { return cudaGraphNodeTypeConditional; }
};

void describe(KernelWork& work, cudaKernelNodeParams& parameters) {
    const simt::FunctionInfo info = work.kernel->info();
    work.parameter_pointers.clear();
    for (const simt::FunctionParameter& parameter : info.parameters)
        work.parameter_pointers.push_back(work.parameters.data() + parameter.offset);
    parameters = {};
    parameters.func = const_cast<void*>(work.function);
    parameters.gridDim = work.grid;
    parameters.blockDim = work.block;
    parameters.sharedMemBytes = static_cast<unsigned>(work.dynamic_shared_bytes);
    parameters.kernelParams = work.parameter_pointers.data();
}

}  // namespace

extern "C" {

SIMT_ANSWER(cudaGraphNodeGetType, (cudaGraphNode_t node, cudaGraphNodeType* type), type, std::visit(TypeOf{}, require_node(node).work))

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
    return call([&] { describe(work_of<KernelWork>(require_node(node)), *parameters); });
}

SIMT_ANSWER(cudaGraphMemcpyNodeGetParams, (cudaGraphNode_t node, cudaMemcpy3DParms* parameters), parameters,
            work_of<CopyWork>(require_node(node)).parameters)

SIMT_ANSWER(cudaGraphMemsetNodeGetParams, (cudaGraphNode_t node, cudaMemsetParams* parameters), parameters,
            work_of<SetWork>(require_node(node)).parameters)

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
    return call([&] {
        const auto& work = work_of<HostWork>(require_node(node));
        *parameters = {work.function, work.data};
    });
}

SIMT_ANSWER(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t* graph), graph,
            work_of<ChildGraphWork>(require_node(node)).graph)

SIMT_ANSWER(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t* event), event,
            work_of<EventRecordWork>(require_node(node)).event)

SIMT_ANSWER(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t* event), event,
            work_of<EventWaitWork>(require_node(node)).event)

SIMT_ANSWER(cudaGraphMemAllocNodeGetParams, (cudaGraphNode_t node, cudaMemAllocNodeParams* parameters), parameters,
            work_of<AllocateWork>(require_node(node)).parameters)

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
    return call([&] { *static_cast<void**>(pointer) = work_of<FreeWork>(require_node(node)).pointer; });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute, const cudaKernelNodeAttrValue* value) {
    return call([&] {
        require(value != nullptr);
        auto& work = work_of<KernelWork>(require_node(node));
        std::erase_if(work.attributes, [&](const cudaLaunchAttribute& other) { return other.id == attribute; });
        cudaLaunchAttribute added{};
        added.id = attribute;
        added.val = *value;
        apply_attributes(work, &added, 1);
    });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute, cudaKernelNodeAttrValue* value) {
    return call([&] {
        require(value != nullptr);
        *value = {};
        for (const cudaLaunchAttribute& held : work_of<KernelWork>(require_node(node)).attributes)
            if (held.id == attribute) *value = held.val;
    });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    return call([&] {
        const std::vector<cudaLaunchAttribute> attributes = work_of<KernelWork>(require_node(from)).attributes;
        auto& work = work_of<KernelWork>(require_node(to));
        work.attributes.clear();
        apply_attributes(work, attributes.data(), static_cast<unsigned>(attributes.size()));
    });
}

}  // extern "C"
