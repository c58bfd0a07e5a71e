// Programs reserve addresses first and map memory to them later. In the model a reserved range has its memory from the start, and
// creating and mapping are only checked. So memory cannot be mapped at two places, and bytes that are mapped again keep their values.

#include <map>
#include <mutex>

#include "calls/driver/driver.hpp"
#include "calls/runtime/memory.hpp"

namespace {

using namespace simt::calls;

constexpr std::size_t granularity = std::size_t{2} << 20;

struct Created {
    std::size_t bytes = 0;
    CUmemAllocationProp properties{};
    bool is_mapped = false;
    /// The program has released the memory, which lives until it is unmapped.
    bool is_released = false;
};

struct Mapping {
    std::size_t bytes = 0;
    CUmemGenericAllocationHandle handle = 0;
    bool has_access = false;
};

struct VirtualMemory {
    std::mutex mutex;
    std::map<CUmemGenericAllocationHandle, Created> created;
    std::map<CUdeviceptr, std::size_t> reserved;
    std::map<CUdeviceptr, Mapping> mappings;
    CUmemGenericAllocationHandle next_handle = 1;
};

VirtualMemory& memory() {
    static VirtualMemory& instance = *new VirtualMemory;
    return instance;
}

Created& require_created(CUmemGenericAllocationHandle handle) {
    const auto found = memory().created.find(handle);
    require(found != memory().created.end() && !found->second.is_released);
    return found->second;
}

bool lies_in_reserved(CUdeviceptr address, std::size_t bytes) {
    const auto after = memory().reserved.upper_bound(address);
    if (after == memory().reserved.begin()) return false;
    const auto& [begin, size] = *std::prev(after);
    return address - begin <= size && bytes <= size - (address - begin);
}

/// Calls `visit` for the mappings that fill a range without gaps.
template <class Visit> void for_each_mapping(CUdeviceptr address, std::size_t bytes, const Visit& visit) {
    const CUdeviceptr end = address + bytes;
    while (address < end) {
        const auto found = memory().mappings.find(address);
        require(found != memory().mappings.end() && found->second.bytes <= end - address);
        address += found->second.bytes;
        visit(found);
    }
}

template <class Body> CUresult locked_call(const Body& body) {
    return driver_call([&] {
        const std::scoped_lock lock(memory().mutex);
        body();
    });
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* properties, CUmemAllocationGranularity_flags) {
    return driver_call([&] {
        require(bytes && properties);
        *bytes = granularity;
    });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* properties,
                     unsigned long long flags) {
    return locked_call([&] {
        require(handle && properties && flags == 0 && bytes > 0 && bytes % granularity == 0 &&
                properties->type == CU_MEM_ALLOCATION_TYPE_PINNED);
        // No other process could open a shared handle.
        require(properties->requestedHandleTypes == CU_MEM_HANDLE_TYPE_NONE, cudaErrorNotSupported);
        *handle = memory().next_handle++;
        memory().created[*handle] = {bytes, *properties};
    });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    return locked_call([&] {
        Created& created = require_created(handle);
        created.is_released = true;
        if (!created.is_mapped) memory().created.erase(handle);
    });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
    return locked_call([&] {
        require(properties != nullptr);
        *properties = require_created(handle).properties;
    });
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr, unsigned long long flags) {
    return locked_call([&] {
        require(address && flags == 0 && bytes > 0 && bytes % granularity == 0 && (alignment & (alignment - 1)) == 0);
        *address = device_pointer(Allocations::instance().allocate(ProgramAllocation::Kind::device, bytes));
        memory().reserved[*address] = bytes;
    });
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
    return locked_call([&] {
        const auto found = memory().reserved.find(address);
        require(found != memory().reserved.end() && found->second == bytes);
        const auto first = memory().mappings.lower_bound(address);
        require(first == memory().mappings.end() || first->first >= address + bytes);
        memory().reserved.erase(found);
        Allocations::instance().release(pointer_of(address), {ProgramAllocation::Kind::device}, cudaErrorInvalidValue);
    });
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
    return locked_call([&] {
        Created& created = require_created(handle);
        require(flags == 0 && offset == 0 && bytes == created.bytes && lies_in_reserved(address, bytes));
        require(!created.is_mapped, cudaErrorNotSupported);
        created.is_mapped = true;
        memory().mappings[address] = {bytes, handle};
    });
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
    return locked_call([&] {
        for_each_mapping(address, bytes, [](auto mapping) {
            const auto created = memory().created.find(mapping->second.handle);
            created->second.is_mapped = false;
            if (created->second.is_released) memory().created.erase(created);
            memory().mappings.erase(mapping);
        });
    });
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* descriptions, std::size_t count) {
    return locked_call([&] {
        require(descriptions && count > 0);
        for_each_mapping(address, bytes, [](auto mapping) { mapping->second.has_access = true; });
    });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr address) {
    return locked_call([&] {
        require(flags && location);
        const auto after = memory().mappings.upper_bound(address);
        require(after != memory().mappings.begin());
        const auto& [begin, mapping] = *std::prev(after);
        require(address - begin < mapping.bytes);
        *flags = mapping.has_access ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    });
}

}  // extern "C"
