// Graphs that can be launched.

#include <algorithm>
#include <cstdio>
#include <memory>

#include "calls/graphs/graphs.hpp"
#include "calls/runtime/memory.hpp"

namespace simt::calls {

namespace {

Handles<CUgraphExec_st>& executables() {
    static auto& instance = *new Handles<CUgraphExec_st>;
    return instance;
}

cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
    return call([&] {
        require(executable != nullptr);
        CUgraph_st& from = require_graph(graph);
        require(from.executable.expired() || !has_memory_nodes(from), cudaErrorNotSupported);
        *executable = executables().create({copy_of(from), flags});
        from.executable = (*executable)->life;
    });
}

/// True if two nodes depend on nodes at the same places of their graphs' orders.
bool same_dependencies(const CUgraphNode_st& of_executable, const CUgraphNode_st& of_graph, const std::vector<cudaGraphNode_t>& own,
                       const std::vector<cudaGraphNode_t>& others) {
    if (of_executable.dependencies.size() != of_graph.dependencies.size()) return false;
    const auto place = [](const std::vector<cudaGraphNode_t>& order, cudaGraphNode_t node) {
        return std::ranges::find(order, node) - order.begin();
    };
    return std::ranges::is_permutation(
        of_executable.dependencies, of_graph.dependencies,
        [&](cudaGraphNode_t mine, cudaGraphNode_t theirs) { return place(own, mine) == place(others, theirs); });
}

cudaGraphExecUpdateResult update(CUgraph_st& graph, const CUgraph_st& from, cudaGraphNode_t& culprit) {
    const auto own = in_order(graph), others = in_order(from);
    if (own.size() != others.size()) return cudaGraphExecUpdateErrorTopologyChanged;
    for (std::size_t i = 0; i < own.size(); ++i) {
        culprit = others[i];
        if (own[i]->work.index() != others[i]->work.index()) return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (!same_dependencies(*own[i], *others[i], own, others)) return cudaGraphExecUpdateErrorTopologyChanged;
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
        const auto parts = parts_of(own[i]->work), from_parts = parts_of(others[i]->work);
        if (parts.size() != from_parts.size()) return cudaGraphExecUpdateErrorAttributesChanged;
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const auto result = update(*parts[part], *from_parts[part], culprit);
            if (result != cudaGraphExecUpdateSuccess) return result;
        }
        if (parts.empty()) own[i]->work = others[i]->work;
        own[i]->original = others[i];
    }
    culprit = nullptr;
    return cudaGraphExecUpdateSuccess;
}

/// Frees memory that an earlier launch allocated and nothing has freed. Fails instead if `frees` is false.
void reuse_memory(const CUgraph_st& graph, bool frees) {
    for (const auto& node : graph.nodes) {
        if (const auto* allocation = std::get_if<AllocateWork>(&node->work)) {
            const auto memory = Allocations::instance().find(allocation->parameters.dptr);
            require(memory && (frees || !memory->in_use));
            if (memory->in_use) run(FreeWork{allocation->parameters.dptr});
        }
        for (const cudaGraph_t part : parts_of(node->work)) reuse_memory(*part, frees);
    }
}

}  // namespace

CUgraphExec_st& require_executable(cudaGraphExec_t executable) {
    require(executables().holds(executable));
    return *executable;
}

CUgraphNode_st& node_in(cudaGraphExec_t executable, cudaGraphNode_t node) {
    for (const auto& copy : require_executable(executable).graph->nodes)
        if (copy->original == node) return *copy;
    fail(cudaErrorInvalidValue);
}

void run_graph(cudaGraph_t graph) {
    for (const cudaGraphNode_t node : in_order(*graph))
        if (node->enabled) run(node->work);
}

}  // namespace simt::calls

using namespace simt::calls;

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
    return instantiate(executable, graph, flags);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
    return instantiate(executable, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphInstantiateParams* parameters) {
    if (!parameters) return remember(cudaErrorInvalidValue);
    const cudaError_t error = instantiate(executable, graph, parameters->flags);
    parameters->errNode_out = nullptr;
    parameters->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    return error;
}

SIMT_ANSWER(cudaGraphExecGetFlags, (cudaGraphExec_t executable, unsigned long long* flags), flags, require_executable(executable).flags)

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return call([&] {
        delete_graph(require_executable(executable).graph);
        executables().destroy(executable);
    });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
    return call([&] {
        require_executable(executable);
        require_stream(stream);
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    return call([&] {
        const CUgraphExec_st& launched = require_executable(executable);
        if (join_capture(require_stream(stream), ChildGraphWork{launched.graph})) return;
        reuse_memory(*launched.graph, launched.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
        set_conditions(*launched.graph);
        run_graph(launched.graph);
    });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result) {
    return call([&] {
        cudaGraphExecUpdateResultInfo info{};
        info.result = update(*require_executable(executable).graph, require_graph(graph), info.errorNode);
        if (result) *result = info;
        require(info.result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
    });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraph_t child) {
    return call([&] {
        auto* work = std::get_if<ChildGraphWork>(&node_in(executable, node).work);
        require(work != nullptr);
        cudaGraphNode_t culprit = nullptr;
        require(update(*work->graph, require_graph(child), culprit) == cudaGraphExecUpdateSuccess);
    });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned enabled) {
    return call([&] { node_in(executable, node).enabled = enabled != 0; });
}

SIMT_ANSWER(cudaGraphNodeGetEnabled, (cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* enabled), enabled,
            node_in(executable, node).enabled)

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
    return call([&] {
        const auto order = in_order(require_graph(graph));
        struct Close {
            void operator()(std::FILE* open) const { std::fclose(open); }
        };
        const std::unique_ptr<std::FILE, Close> file(std::fopen(path, "w"));
        require(file != nullptr, cudaErrorOperatingSystem);
        const auto number = [&](cudaGraphNode_t node) { return static_cast<long>(std::ranges::find(order, node) - order.begin()); };
        std::fprintf(file.get(), "digraph graph_of_%zu_nodes {\n", order.size());
        for (const cudaGraphNode_t node : order) {
            std::fprintf(file.get(), "  node%ld;\n", number(node));
            for (const cudaGraphNode_t dependency : node->dependencies)
                std::fprintf(file.get(), "  node%ld -> node%ld;\n", number(dependency), number(node));
        }
        std::fprintf(file.get(), "}\n");
    });
}

}  // extern "C"
