// Advice on managed memory. The model keeps one copy of the memory and moves nothing.

#include <map>

#include "calls/runtime/memory.hpp"
#include "calls/runtime/streams.hpp"

namespace {

using namespace simt::calls;

/// The advice for an allocation, which a program may query.
struct Advice {
    bool read_mostly = false;
    cudaMemLocation preferred{cudaMemLocationTypeInvalid, 0}, prefetched{cudaMemLocationTypeInvalid, 0};
    std::map<int, bool> accessed_by;
};

std::mutex& advice_mutex() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

std::map<simt::DeviceAddress, Advice>& all_advice() {
    static auto& all = *new std::map<simt::DeviceAddress, Advice>;
    return all;
}

void check_location(const cudaMemLocation& location) {
    if (location.type == cudaMemLocationTypeDevice) require_device(location.id);
    else
        require(location.type == cudaMemLocationTypeHost || location.type == cudaMemLocationTypeHostNuma ||
                    location.type == cudaMemLocationTypeHostNumaCurrent,
                cudaErrorInvalidDevice);
}

simt::DeviceAddress require_managed(const void* pointer, std::size_t bytes) {
    const auto allocation = Allocations::instance().find(pointer);
    const bool variable = !allocation && on_device(pointer, bytes) && on_host(pointer, bytes);
    require(variable || (allocation && allocation->kind == ProgramAllocation::Kind::managed && bytes != 0 &&
                         bytes <= allocation->bytes - (address_of(pointer) - allocation->begin)));
    return allocation ? allocation->begin : address_of(pointer);
}

/// The number of a location in the older attributes: a device's, cudaCpuDeviceId or cudaInvalidDeviceId.
int as_number(const cudaMemLocation& location) {
    if (location.type == cudaMemLocationTypeDevice) return location.id;
    return location.type == cudaMemLocationTypeInvalid ? cudaInvalidDeviceId : cudaCpuDeviceId;
}

int attribute_of(const Advice& advice, cudaMemRangeAttribute attribute) {
    switch (attribute) {
        case cudaMemRangeAttributeReadMostly: return advice.read_mostly;
        case cudaMemRangeAttributePreferredLocation: return as_number(advice.preferred);
        case cudaMemRangeAttributeLastPrefetchLocation: return as_number(advice.prefetched);
        case cudaMemRangeAttributePreferredLocationType: return advice.preferred.type;
        case cudaMemRangeAttributePreferredLocationId: return advice.preferred.id;
        case cudaMemRangeAttributeLastPrefetchLocationType: return advice.prefetched.type;
        case cudaMemRangeAttributeLastPrefetchLocationId: return advice.prefetched.id;
        default: fail(cudaErrorInvalidValue);
    }
}

void list_accessed_by(const Advice& advice, int* list, std::size_t count) {
    std::size_t filled = 0;
    for (const auto& [device, accesses] : advice.accessed_by)
        if (accesses && filled < count) list[filled++] = device;
    while (filled < count) list[filled++] = cudaInvalidDeviceId;
}

}  // namespace

extern "C" {

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location, unsigned flags, cudaStream_t stream) {
    return call([&] {
        require(flags == 0);
        check_location(location);
        require_stream(stream);
        const simt::DeviceAddress begin = require_managed(pointer, bytes);
        const std::scoped_lock lock(advice_mutex());
        all_advice()[begin].prefetched = location;
    });
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, cudaMemLocation location) {
    return call([&] {
        const simt::DeviceAddress begin = require_managed(pointer, bytes);
        const bool has_location =
            advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy || advice == cudaMemAdviseUnsetAccessedBy;
        if (has_location) check_location(location);
        const std::scoped_lock lock(advice_mutex());
        Advice& held = all_advice()[begin];
        switch (advice) {
            case cudaMemAdviseSetReadMostly: held.read_mostly = true; break;
            case cudaMemAdviseUnsetReadMostly: held.read_mostly = false; break;
            case cudaMemAdviseSetPreferredLocation: held.preferred = location; break;
            case cudaMemAdviseUnsetPreferredLocation: held.preferred = {cudaMemLocationTypeInvalid, 0}; break;
            case cudaMemAdviseSetAccessedBy: held.accessed_by[as_number(location)] = true; break;
            case cudaMemAdviseUnsetAccessedBy: held.accessed_by[as_number(location)] = false; break;
            default: fail(cudaErrorInvalidValue);
        }
    });
}

cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t data_bytes, cudaMemRangeAttribute attribute, const void* pointer,
                                     std::size_t bytes) {
    return call([&] {
        require(data && data_bytes >= sizeof(int) && data_bytes % sizeof(int) == 0);
        const simt::DeviceAddress begin = require_managed(pointer, bytes);
        const std::scoped_lock lock(advice_mutex());
        const Advice& advice = all_advice()[begin];
        if (attribute == cudaMemRangeAttributeAccessedBy) list_accessed_by(advice, static_cast<int*>(data), data_bytes / sizeof(int));
        else *static_cast<int*>(data) = attribute_of(advice, attribute);
    });
}

cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* data_bytes, cudaMemRangeAttribute* attributes, std::size_t count,
                                      const void* pointer, std::size_t bytes) {
    for (std::size_t i = 0; i < count; ++i)
        if (const cudaError_t error = cudaMemRangeGetAttribute(data[i], data_bytes[i], attributes[i], pointer, bytes); error != cudaSuccess)
            return error;
    return cudaSuccess;
}

}  // extern "C"
