// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Graphs, and the capture of streams into them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "streams.hpp"

/// A node of a graph.
struct CUgraphNode_st {
    CUgraph_st* graph = nullptr;
    simt::runtime::Work work;
    /// In the order in which they were added.
    std::vector<CUgraphNode_st*> dependencies;
    bool enabled = true;
    /// The node that this one is a copy of, in a clone or an executable graph.
    CUgraphNode_st* original = nullptr;
};

/// A graph.
struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
    /// The graph that this one is a part of, as a child.
    CUgraph_st* owner = nullptr;
    CUgraph_st* original = nullptr;
    unsigned flags = 0;
    std::map<cudaUserObject_t, unsigned> user_objects;

    ~CUgraph_st();
};

struct CUgraphExec_st {
    std::unique_ptr<CUgraph_st> graph;
    unsigned long long flags = 0;
};

namespace simt::runtime {

/// If the stream is captured, makes the work a node of its graph and returns true. Waiting for an event that was recorded in
/// a captured stream makes the stream join that capture.
bool join_capture(CUstream_st& stream, Work& work);

}  // namespace simt::runtime
