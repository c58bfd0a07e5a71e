// Graphs and how their nodes depend on each other.

#include "calls/graphs/graphs.hpp"

#include <algorithm>
#include <set>

namespace simt::calls {

namespace {

struct LiveGraphs {
    std::recursive_mutex mutex;
    std::set<const void*> graphs, nodes;
};

LiveGraphs& live() {
    static LiveGraphs& instance = *new LiveGraphs;
    return instance;
}

void release(cudaUserObject_t object, unsigned count) {
    require(object != nullptr && count > 0 && count <= object->references);
    object->references -= count;
    if (object->references != 0) return;
    object->destroy(object->object);
    delete object;
}

bool depends_on(const CUgraphNode_st& node, const CUgraphNode_st& other) {
    return std::ranges::any_of(node.dependencies,
                               [&](const CUgraphNode_st* dependency) { return dependency == &other || depends_on(*dependency, other); });
}

std::vector<cudaGraphNode_t> dependents_of(const CUgraphNode_st& node) {
    std::vector<cudaGraphNode_t> dependents;
    for (const auto& other : node.graph->nodes)
        if (std::ranges::find(other->dependencies, &node) != other->dependencies.end()) dependents.push_back(other.get());
    return dependents;
}

/// A copy of a graph for a node that owns it.
cudaGraph_t part_of(const CUgraph_st& graph) {
    const cudaGraph_t copy = copy_of(graph);
    copy->is_child = true;
    return copy;
}

void clear_edges(cudaGraphEdgeData* edges, const std::size_t* count) {
    if (edges && count) std::fill_n(edges, *count, cudaGraphEdgeData{});
}

}  // namespace

CUgraph_st& require_graph(cudaGraph_t graph) {
    const std::scoped_lock lock(live().mutex);
    require(live().graphs.contains(graph));
    return *graph;
}

CUgraphNode_st& require_node(cudaGraphNode_t node) {
    const std::scoped_lock lock(live().mutex);
    require(live().nodes.contains(node));
    return *node;
}

cudaGraph_t new_graph() {
    const std::scoped_lock lock(live().mutex);
    auto* graph = new CUgraph_st;
    live().graphs.insert(graph);
    return graph;
}

void delete_graph(cudaGraph_t graph) {
    const std::scoped_lock lock(live().mutex);
    if (live().graphs.erase(graph) == 1) delete graph;
}

bool has_memory_nodes(const CUgraph_st& graph) {
    return std::ranges::any_of(graph.nodes, [](const auto& node) {
        if (std::holds_alternative<AllocateWork>(node->work) || std::holds_alternative<FreeWork>(node->work)) return true;
        return std::ranges::any_of(parts_of(node->work), [](const cudaGraph_t part) { return has_memory_nodes(*part); });
    });
}

cudaGraph_t copy_of(const CUgraph_st& graph) {
    cudaGraph_t copy = new_graph();
    copy->original = const_cast<cudaGraph_t>(&graph);
    std::map<const CUgraphNode_st*, CUgraphNode_st*> copies;
    for (const cudaGraphNode_t node : in_order(graph)) {
        std::vector<cudaGraphNode_t> dependencies;
        for (const CUgraphNode_st* dependency : node->dependencies) dependencies.push_back(copies.at(dependency));
        Work work = node->work;
        if (auto* conditional = std::get_if<ConditionalWork>(&work))
            for (cudaGraph_t& body : conditional->bodies) body = part_of(*body);
        CUgraphNode_st& copied = *add_node(*copy, dependencies.data(), dependencies.size(), std::move(work));
        copied.enabled = node->enabled;
        copied.original = node;
        copies[node] = &copied;
    }
    copy->conditions = graph.conditions;
    copy->user_objects = graph.user_objects;
    for (const cudaUserObject_t object : copy->user_objects) ++object->references;
    return copy;
}

cudaGraphNode_t add_node(CUgraph_st& graph, const cudaGraphNode_t* dependencies, std::size_t count, Work work) {
    const std::scoped_lock lock(live().mutex);
    auto node = std::make_unique<CUgraphNode_st>();
    node->graph = &graph;
    for (std::size_t i = 0; i < count; ++i) {
        require(require_node(dependencies[i]).graph == &graph);
        node->dependencies.push_back(dependencies[i]);
    }
    if (auto* child = std::get_if<ChildGraphWork>(&work)) child->graph = part_of(require_graph(child->graph));
    node->work = std::move(work);
    live().nodes.insert(node.get());
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back().get();
}

std::vector<cudaGraphNode_t> in_order(const CUgraph_st& graph) {
    std::vector<cudaGraphNode_t> order;
    std::set<const CUgraphNode_st*> done;
    while (order.size() < graph.nodes.size()) {
        const std::size_t before = order.size();
        for (const auto& node : graph.nodes) {
            const bool ready =
                std::ranges::all_of(node->dependencies, [&](const CUgraphNode_st* dependency) { return done.contains(dependency); });
            if (!ready || !done.insert(node.get()).second) continue;
            order.push_back(node.get());
        }
        require(order.size() > before);  // a circle
    }
    return order;
}

}  // namespace simt::calls

using namespace simt::calls;

CUgraph_st::~CUgraph_st() {
    for (const auto& node : nodes) {
        live().nodes.erase(node.get());
        for (const cudaGraph_t part : parts_of(node->work)) delete_graph(part);
    }
    for (const cudaUserObject_t object : user_objects) release(object, 1);
}

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
    return call([&] {
        require(graph && flags == 0);
        *graph = new_graph();
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return call([&] {
        require(!require_graph(graph).is_child);
        delete_graph(graph);
    });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
    return call([&] {
        require(clone != nullptr);
        require(!has_memory_nodes(require_graph(graph)), cudaErrorNotSupported);
        *clone = copy_of(require_graph(graph));
    });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original, cudaGraph_t clone) {
    return call([&] {
        require(found != nullptr);
        const CUgraph_st& graph = require_graph(clone);
        const auto is_copy = [&](const auto& node) { return node->original == original; };
        const auto node = std::ranges::find_if(graph.nodes, is_copy);
        require(node != graph.nodes.end());
        *found = node->get();
    });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    return call([&] {
        std::vector<cudaGraphNode_t> all;
        for (const auto& node : require_graph(graph).nodes) all.push_back(node.get());
        hand_out(all, nodes, count);
    });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    return call([&] {
        std::vector<cudaGraphNode_t> roots;
        for (const auto& node : require_graph(graph).nodes)
            if (node->dependencies.empty()) roots.push_back(node.get());
        hand_out(roots, nodes, count);
    });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges, std::size_t* count) {
    return call([&] {
        std::vector<cudaGraphNode_t> sources, targets;
        for (const auto& node : require_graph(graph).nodes) {
            for (const cudaGraphNode_t dependency : node->dependencies) {
                sources.push_back(dependency);
                targets.push_back(node.get());
            }
        }
        require(count != nullptr);
        std::size_t asked = *count;
        hand_out(sources, from, count);
        if (to) hand_out(targets, to, &asked);
        clear_edges(edges, count);
    });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies, cudaGraphEdgeData* edges,
                                         std::size_t* count) {
    return call([&] {
        hand_out(require_node(node).dependencies, dependencies, count);
        if (dependencies) clear_edges(edges, count);
    });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependents, cudaGraphEdgeData* edges,
                                           std::size_t* count) {
    return call([&] {
        hand_out(dependents_of(require_node(node)), dependents, count);
        if (dependents) clear_edges(edges, count);
    });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t count) {
    return call([&] {
        const CUgraph_st& changed = require_graph(graph);
        for (std::size_t i = 0; i < count; ++i) {
            CUgraphNode_st &source = require_node(from[i]), &target = require_node(to[i]);
            require(source.graph == &changed && target.graph == &changed && &source != &target && !depends_on(source, target));
            require(std::ranges::find(target.dependencies, &source) == target.dependencies.end());
            target.dependencies.push_back(&source);
        }
    });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count) {
    return call([&] {
        require_graph(graph);
        for (std::size_t i = 0; i < count; ++i) require(std::erase(require_node(to[i]).dependencies, from[i]) == 1);
    });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
    return call([&] {
        CUgraphNode_st& node = require_node(handle);
        for (const cudaGraphNode_t dependent : dependents_of(node)) std::erase(dependent->dependencies, &node);
        const std::scoped_lock lock(live().mutex);
        live().nodes.erase(handle);
        for (const cudaGraph_t part : parts_of(node.work)) delete_graph(part);
        std::erase_if(node.graph->nodes, [&](const auto& other) { return other.get() == handle; });
    });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy, unsigned references, unsigned) {
    return call([&] {
        require(object && destroy && references > 0);
        *object = new CUuserObject_st{pointer, destroy, references};
    });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
    return call([&] {
        require(object != nullptr);
        object->references += count;
    });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
    return call([&] { release(object, count); });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags) {
    return call([&] {
        require(object != nullptr);
        CUgraph_st& owner = require_graph(graph);
        owner.user_objects.insert(owner.user_objects.end(), count, object);
        if (!(flags & cudaGraphUserObjectMove)) object->references += count;
    });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
    return call([&] {
        CUgraph_st& owner = require_graph(graph);
        for (unsigned i = 0; i < count; ++i) {
            const auto held = std::ranges::find(owner.user_objects, object);
            require(held != owner.user_objects.end());
            owner.user_objects.erase(held);
        }
        release(object, count);
    });
}

}  // extern "C"
