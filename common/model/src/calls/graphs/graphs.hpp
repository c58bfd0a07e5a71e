// Graphs, and the capture of streams into them.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "calls/runtime/streams.hpp"

/// A node of a graph.
struct CUgraphNode_st {
    CUgraph_st* graph = nullptr;
    simt::calls::Work work;
    /// The nodes that this one depends on, in the order in which they were added.
    std::vector<CUgraphNode_st*> dependencies;
    bool enabled = true;
    /// The node that this one is a copy of, in a clone or an executable graph.
    CUgraphNode_st* original = nullptr;
};

/// A graph. It owns its nodes, and the graphs of its child nodes.
struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
    /// The graph that this one is a copy of.
    CUgraph_st* original = nullptr;
    /// True for the graph of a child node.
    bool is_child = false;
    std::vector<cudaUserObject_t> user_objects;
    std::vector<std::shared_ptr<const simt::calls::Condition>> conditions;
    /// Expires with the executable graph that was made of this one.
    std::weak_ptr<const void> executable;

    CUgraph_st() = default;
    CUgraph_st(const CUgraph_st&) = delete;
    CUgraph_st& operator=(const CUgraph_st&) = delete;
    ~CUgraph_st();
};

/// A graph that can be launched: a copy of the graph from which it was instantiated.
struct CUgraphExec_st {
    cudaGraph_t graph = nullptr;
    unsigned long long flags = 0;
    std::shared_ptr<const void> life = std::make_shared<char>();
};

struct CUuserObject_st {
    void* object = nullptr;
    cudaHostFn_t destroy = nullptr;
    unsigned references = 0;
};

namespace simt::calls {

/// The condition that cudaGraphSetConditional sets: a number in device memory, whose address is the handle.
struct Condition {
    DeviceAddress handle = 0;
    int device = 0;
    /// The value at the start of each launch of the graph, if is_set_by_launch.
    unsigned initial = 0;
    bool is_set_by_launch = false;

    explicit Condition(unsigned initial_value, bool set_by_launch);
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;
    ~Condition();
    unsigned value() const;
    void set(unsigned value) const;
};

/// The condition of a handle that was created for a graph. Fails with cudaErrorInvalidValue if there is none.
std::shared_ptr<const Condition> require_condition(const CUgraph_st& graph, cudaGraphConditionalHandle handle);
/// Sets the conditions that a launch of the graph sets, also in the graphs inside it.
void set_conditions(const CUgraph_st& graph);
/// The work of a conditional node with empty bodies. Hands the bodies out in `parameters`.
Work conditional(const CUgraph_st& graph, cudaConditionalNodeParams& parameters);

/// The graph or node of a handle. Fails with cudaErrorInvalidValue if there is none.
CUgraph_st& require_graph(cudaGraph_t graph);
CUgraphNode_st& require_node(cudaGraphNode_t node);
CUgraphExec_st& require_executable(cudaGraphExec_t executable);

cudaGraph_t new_graph();
void delete_graph(cudaGraph_t graph);
/// True if a node of the graph, or of a graph inside it, allocates or frees memory. Such a graph cannot be cloned, and can have
/// only one executable graph at a time.
bool has_memory_nodes(const CUgraph_st& graph);
/// A copy of a graph. Each copied node has its `original`.
cudaGraph_t copy_of(const CUgraph_st& graph);
cudaGraphNode_t add_node(CUgraph_st& graph, const cudaGraphNode_t* dependencies, std::size_t count, Work work);
/// The nodes in the order in which they were added, but each behind those that it depends on.
std::vector<cudaGraphNode_t> in_order(const CUgraph_st& graph);
/// The node of an executable graph that is a copy of `node`. Fails if there is none.
CUgraphNode_st& node_in(cudaGraphExec_t executable, cudaGraphNode_t node);

/// The work of a node that must be of one kind. Fails with cudaErrorInvalidValue if it is of another.
template <class Kind> Kind& work_of(CUgraphNode_st& node) {
    auto* work = std::get_if<Kind>(&node.work);
    require(work != nullptr);
    return *work;
}

/// If the stream is captured, makes the work a node of its graph and returns true. A stream that waits for an event of a captured
/// stream joins that capture.
bool join_capture(CUstream_st& stream, const Work& work);

/// Gives a program the handles of a list, or their number if `list` is null.
template <class Handle> void hand_out(const std::vector<Handle>& from, Handle* list, std::size_t* count) {
    require(count != nullptr);
    if (list) {
        for (std::size_t i = 0; i < *count; ++i) list[i] = i < from.size() ? from[i] : Handle{};
        *count = std::min(*count, from.size());
    } else {
        *count = from.size();
    }
}

}  // namespace simt::calls
