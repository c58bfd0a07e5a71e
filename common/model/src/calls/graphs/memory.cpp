// Memory that the nodes of graphs allocate.

#include <algorithm>

#include "calls/runtime/memory.hpp"

namespace simt::calls {

std::shared_ptr<void> Allocations::allocate_for_graph(std::size_t bytes) {
    require(bytes > 0);
    return {allocate(ProgramAllocation::Kind::graph, bytes), [](void* memory) { instance().leave_to_launches(memory); }};
}

void Allocations::leave_to_launches(void* memory) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_begin_.find(address_of(memory));
    // cudaDeviceReset has freed the memory.
    if (found == by_begin_.end() || found->second.kind != ProgramAllocation::Kind::graph) return;
    found->second.is_orphan = true;
    if (found->second.in_use) return;
    give_back(found->second);
    by_begin_.erase(found);
}

void Allocations::use(void* memory) {
    const std::scoped_lock lock(mutex_);
    ProgramAllocation& allocation = by_begin_.at(address_of(memory));
    require(!allocation.in_use);
    allocation.in_use = true;
    GraphBytes& bytes = graph_bytes_[allocation.device];
    bytes.in_use += allocation.bytes;
    bytes.kept = std::max(bytes.kept, bytes.in_use);
    bytes.highest = std::max(bytes.highest, bytes.kept);
}

void Allocations::end_use(ProgramAllocation& allocation) {
    allocation.in_use = false;
    graph_bytes_[allocation.device].in_use -= allocation.bytes;
}

GraphBytes& Allocations::graph_bytes(int device) {
    const std::scoped_lock lock(mutex_);
    require_device(device);
    return graph_bytes_[device];
}

}  // namespace simt::calls

using namespace simt::calls;

extern "C" {

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
    return call([&] {
        require(value != nullptr);
        const GraphBytes& bytes = Allocations::instance().graph_bytes(device);
        auto& number = *static_cast<std::uint64_t*>(value);
        switch (attribute) {
            case cudaGraphMemAttrUsedMemCurrent:
            case cudaGraphMemAttrReservedMemCurrent: number = bytes.kept; break;
            case cudaGraphMemAttrUsedMemHigh:
            case cudaGraphMemAttrReservedMemHigh: number = bytes.highest; break;
            default: fail(cudaErrorInvalidValue);
        }
    });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
    return call([&] {
        require(value && *static_cast<std::uint64_t*>(value) == 0);
        require(attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh);
        GraphBytes& bytes = Allocations::instance().graph_bytes(device);
        bytes.highest = bytes.kept;
    });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    return call([&] {
        GraphBytes& bytes = Allocations::instance().graph_bytes(device);
        bytes.kept = bytes.in_use;
    });
}

}  // extern "C"
