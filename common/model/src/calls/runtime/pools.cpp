// Memory that is allocated and freed in the order of a stream, and the pools that it comes from.

#include <algorithm>
#include <map>

#include "calls/runtime/memory.hpp"
#include "calls/runtime/streams.hpp"

/// A pool. Freed memory returns to the device, so a pool keeps none.
struct CUmemPoolHandle_st {
    cudaMemPoolProps properties{};
    int device = 0;
    bool is_default = false;
    std::map<cudaMemPoolAttr, std::uint64_t> values{{cudaMemPoolReuseFollowEventDependencies, 1},
                                                    {cudaMemPoolReuseAllowOpportunistic, 1},
                                                    {cudaMemPoolReuseAllowInternalDependencies, 1},
                                                    {cudaMemPoolAttrReleaseThreshold, 0}};
    std::size_t highest = 0;
};

namespace {

using namespace simt::calls;

Handles<CUmemPoolHandle_st>& pools() {
    static auto& instance = *new Handles<CUmemPoolHandle_st>;
    return instance;
}

struct PoolsOfDevice { cudaMemPool_t standard = nullptr, current = nullptr; };

std::recursive_mutex& pool_mutex() {
    static std::recursive_mutex& mutex = *new std::recursive_mutex;
    return mutex;
}

PoolsOfDevice& pools_of(int device) {
    static auto& all = *new std::map<int, PoolsOfDevice>;
    require_device(device);
    PoolsOfDevice& of_device = all[device];
    if (!of_device.standard) {
        of_device.standard = of_device.current = pools().create({.device = device, .is_default = true});
        of_device.standard->properties.allocType = cudaMemAllocationTypePinned;
        of_device.standard->properties.location = {cudaMemLocationTypeDevice, device};
    }
    return of_device;
}

CUmemPoolHandle_st& require_pool(cudaMemPool_t pool) {
    require(pools().holds(pool));
    return *pool;
}

int device_of(const cudaMemLocation* location) {
    require(location && location->type == cudaMemLocationTypeDevice, cudaErrorNotSupported);
    return location->id;
}

bool is_switch(cudaMemPoolAttr attribute) { return attribute <= cudaMemPoolReuseAllowInternalDependencies; }

void* allocate(std::size_t bytes, cudaMemPool_t pool, cudaStream_t handle) {
    CUstream_st& stream = require_stream(handle);
    if (stream.capture) {
        AllocateWork work;
        work.memory = Allocations::instance().allocate_for_graph(bytes);
        work.parameters.poolProps = pool->properties;
        work.parameters.bytesize = bytes;
        work.parameters.dptr = work.memory.get();
        enqueue(handle, work);
        return work.parameters.dptr;
    }
    void* memory = Allocations::instance().allocate(ProgramAllocation::Kind::device, bytes, 0, pool);
    pool->highest = std::max(pool->highest, Allocations::instance().pool_bytes(pool));
    return memory;
}

/// Runs the body of a call under the lock that guards all pools.
template <class Body> cudaError_t pool_call(const Body& body) {
    return call([&] {
        const std::scoped_lock lock(pool_mutex());
        body();
    });
}

#define SIMT_POOL_ANSWER(...) SIMT_ANSWER_IN(cudaError_t, pool_call, __VA_ARGS__)

}  // namespace

extern "C" {

SIMT_POOL_ANSWER(cudaMallocAsync, (void** pointer, std::size_t bytes, cudaStream_t stream), pointer,
                 allocate(bytes, pools_of(thread_state().device).current, stream))
SIMT_POOL_ANSWER(cudaMallocFromPoolAsync, (void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream), pointer,
                 allocate(bytes, &require_pool(pool), stream))

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
    return pool_call([&] {
        require(pointer != nullptr);
        enqueue(handle, FreeWork{pointer});
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    return pool_call([&] {
        require(pool && properties && properties->allocType == cudaMemAllocationTypePinned);
        require(properties->handleTypes == cudaMemHandleTypeNone, cudaErrorNotSupported);
        const int device = device_of(&properties->location);
        require_device(device);
        *pool = pools().create({.properties = *properties, .device = device});
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return pool_call([&] {
        const CUmemPoolHandle_st& destroyed = require_pool(pool);
        require(!destroyed.is_default);
        PoolsOfDevice& of_device = pools_of(destroyed.device);
        if (of_device.current == pool) of_device.current = of_device.standard;
        pools().destroy(pool);
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
    return pool_call([&] { require_pool(pool); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return pool_call([&] {
        require(value != nullptr);
        CUmemPoolHandle_st& changed = require_pool(pool);
        const auto set_to =
            is_switch(attribute) ? static_cast<std::uint64_t>(*static_cast<int*>(value)) : *static_cast<std::uint64_t*>(value);
        if (attribute == cudaMemPoolAttrUsedMemHigh || attribute == cudaMemPoolAttrReservedMemHigh) {
            require(set_to == 0);
            changed.highest = Allocations::instance().pool_bytes(pool);
            return;
        }
        require(changed.values.contains(attribute));
        changed.values[attribute] = set_to;
    });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return pool_call([&] {
        require(value != nullptr);
        const CUmemPoolHandle_st& asked = require_pool(pool);
        if (is_switch(attribute)) {
            *static_cast<int*>(value) = static_cast<int>(asked.values.at(attribute));
            return;
        }
        auto& number = *static_cast<std::uint64_t*>(value);
        switch (attribute) {
            case cudaMemPoolAttrReleaseThreshold: number = asked.values.at(attribute); break;
            case cudaMemPoolAttrReservedMemCurrent:
            case cudaMemPoolAttrUsedMemCurrent: number = Allocations::instance().pool_bytes(pool); break;
            case cudaMemPoolAttrReservedMemHigh:
            case cudaMemPoolAttrUsedMemHigh: number = asked.highest; break;
            default: fail(cudaErrorInvalidValue);
        }
    });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* descriptions, std::size_t count) {
    return pool_call([&] {
        require_pool(pool);
        for (std::size_t i = 0; i < count; ++i) require_device(device_of(&descriptions[i].location));
    });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
    return pool_call([&] {
        require(flags != nullptr);
        require_pool(pool);
        require_device(device_of(location));
        *flags = cudaMemAccessFlagsProtReadWrite;
    });
}

SIMT_POOL_ANSWER(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device), pool, pools_of(device).standard)
SIMT_POOL_ANSWER(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device), pool, pools_of(device).current)
SIMT_POOL_ANSWER(cudaMemGetDefaultMemPool, (cudaMemPool_t * pool, cudaMemLocation* location, cudaMemAllocationType), pool,
                 pools_of(device_of(location)).standard)
SIMT_POOL_ANSWER(cudaMemGetMemPool, (cudaMemPool_t * pool, cudaMemLocation* location, cudaMemAllocationType), pool,
                 pools_of(device_of(location)).current)

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    return pool_call([&] {
        require(require_pool(pool).device == device);
        pools_of(device).current = pool;
    });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType, cudaMemPool_t pool) {
    return cudaDeviceSetMemPool(location ? location->id : -1, pool);
}

}  // extern "C"
