// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Graphs, and the capture of streams into them.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "calls/runtime/streams.hpp"

/// A node of a graph.
struct CUgraphNode_st {
    CUgraph_st* graph = nullptr;
    simt::calls::Work work;
    /// In the order in which they were added.
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
    /// Lives as long as an executable graph that was made of this one.
    std::weak_ptr<const void> executable;

    CUgraph_st() = default;
    CUgraph_st(const CUgraph_st&) = delete;
    CUgraph_st& operator=(const CUgraph_st&) = delete;
    ~CUgraph_st();
};

/// A graph that can be launched: a copy of the one that it was made of.
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

/// What cudaGraphSetConditional sets: a number in device memory, whose address is the handle.
struct Condition {
    DeviceAddress handle = 0;
    int device = 0;
    /// The value at the begin of each launch of the graph, where it is set by that.
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
/// Sets the conditions that a launch of the graph sets, in the graphs inside of it too.
void set_conditions(const CUgraph_st& graph);
/// A node that has bodies, which are empty, for the condition of `parameters`. Hands the bodies out.
Work conditional(const CUgraph_st& graph, cudaConditionalNodeParams& parameters);

/// The graph or node of a handle. Fails with cudaErrorInvalidValue if there is none.
CUgraph_st& require_graph(cudaGraph_t graph);
CUgraphNode_st& require_node(cudaGraphNode_t node);
CUgraphExec_st& require_executable(cudaGraphExec_t executable);

cudaGraph_t new_graph();
void delete_graph(cudaGraph_t graph);
/// Whether a node of the graph, or of a graph inside of it, allocates or frees memory. Such a graph cannot be cloned, and no
/// more than one executable graph may be made of it at a time.
bool has_memory_nodes(const CUgraph_st& graph);
/// A copy with copies of all nodes, whose `original` they know.
cudaGraph_t copy_of(const CUgraph_st& graph);
cudaGraphNode_t add_node(CUgraph_st& graph, const cudaGraphNode_t* dependencies, std::size_t count, Work work);
/// Each node after those that it depends on, and else in the order in which they were added.
std::vector<cudaGraphNode_t> in_order(const CUgraph_st& graph);
/// The node of an executable graph that is a copy of `node`. Fails if there is none.
CUgraphNode_st& node_in(cudaGraphExec_t executable, cudaGraphNode_t node);

/// What a node does, of the kind that it has to be. Fails with cudaErrorInvalidValue if it does something else.
template <class Kind>
Kind& work_of(CUgraphNode_st& node)
{
    auto* work = std::get_if<Kind>(&node.work);
    require(work != nullptr);
    return *work;
}

/// If the stream is captured, makes the work a node of its graph and returns true. Waiting for an event that was recorded in
/// a captured stream makes the stream join that capture.
bool join_capture(CUstream_st& stream, const Work& work);

/// What a list of handles is asked for: all of them, or their number where `list` is null.
template <class Handle>
void hand_out(const std::vector<Handle>& from, Handle* list, std::size_t* count)
{
    require(count != nullptr);
    if (list) {
        for (std::size_t i = 0; i < *count; ++i) list[i] = i < from.size() ? from[i] : Handle{};
        *count = std::min(*count, from.size());
    } else {
        *count = from.size();
    }
}

}  // namespace simt::calls
