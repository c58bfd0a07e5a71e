// Conditional nodes, which run their graphs or not as a kernel says with cudaGraphSetConditional.

#include <algorithm>

#include "calls/graphs/graphs.hpp"

namespace simt::calls {

Condition::Condition(unsigned initial_value, bool set_by_launch)
    : handle(current_device().allocate(sizeof(unsigned))),
      device(thread_state().device),
      initial(initial_value),
      is_set_by_launch(set_by_launch) {
    require(handle != 0, cudaErrorMemoryAllocation);
    set(initial);
}

Condition::~Condition() { simt::device(device).release(handle); }

unsigned Condition::value() const {
    unsigned value = 0;
    simt::device(device).copy_out(&value, handle, sizeof value);
    return value;
}

void Condition::set(unsigned value) const { simt::device(device).copy_in(handle, &value, sizeof value); }

std::shared_ptr<const Condition> require_condition(const CUgraph_st& graph, cudaGraphConditionalHandle handle) {
    const auto found = std::ranges::find(graph.conditions, handle, [](const auto& condition) { return condition->handle; });
    require(found != graph.conditions.end());
    return *found;
}

void set_conditions(const CUgraph_st& graph) {
    for (const auto& condition : graph.conditions)
        if (condition->is_set_by_launch) condition->set(condition->initial);
    for (const auto& node : graph.nodes)
        for (const cudaGraph_t part : parts_of(node->work)) set_conditions(*part);
}

Work conditional(const CUgraph_st& graph, cudaConditionalNodeParams& parameters) {
    const bool is_switch = parameters.type == cudaGraphCondTypeSwitch, is_if = parameters.type == cudaGraphCondTypeIf;
    require(is_switch || is_if || parameters.type == cudaGraphCondTypeWhile);
    require(parameters.size >= 1 && (is_switch || parameters.size <= (is_if ? 2 : 1)));
    ConditionalWork work{require_condition(graph, parameters.handle), parameters.type, {}};
    for (unsigned body = 0; body < parameters.size; ++body) {
        work.bodies.push_back(new_graph());
        work.bodies.back()->is_child = true;
    }
    parameters.phGraph_out = work.bodies.data();
    return work;
}

void run_conditional(const ConditionalWork& work) {
    switch (work.type) {
        case cudaGraphCondTypeWhile:
            while (work.condition->value() != 0) run_graph(work.bodies[0]);
            break;
        case cudaGraphCondTypeIf:
            if (work.condition->value() != 0) run_graph(work.bodies[0]);
            else if (work.bodies.size() == 2) run_graph(work.bodies[1]);
            break;
        case cudaGraphCondTypeSwitch:
            if (const unsigned value = work.condition->value(); value < work.bodies.size()) run_graph(work.bodies[value]);
            break;
    }
}

}  // namespace simt::calls

using namespace simt::calls;

extern "C" cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, unsigned initial,
                                                        unsigned flags) {
    return call([&] {
        require(handle && (flags & ~static_cast<unsigned>(cudaGraphCondAssignDefault)) == 0);
        CUgraph_st& owner = require_graph(graph);
        owner.conditions.push_back(std::make_shared<Condition>(initial, flags != 0));
        *handle = owner.conditions.back()->handle;
    });
}
