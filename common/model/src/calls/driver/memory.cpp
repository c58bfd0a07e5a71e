// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Memory of the driver, whose addresses are the runtime's pointers.

#include "calls/runtime/memory.hpp"
#include "calls/driver/driver.hpp"

namespace {

using namespace simt::calls;

template <class Value>
void give(void* data, const Value& value)
{
    *static_cast<Value*>(data) = value;
}

void give_attribute(void* data, CUpointer_attribute attribute, CUdeviceptr address)
{
    const auto allocation = Allocations::instance().find(pointer_of(address));
    const simt::Device::Range range = current_device().range_of(address);
    require(allocation || range.bytes != 0);
    const bool on_host =
        allocation ? allocation->kind == Allocation::Kind::pinned || allocation->kind == Allocation::Kind::registered : range.host;
    const int owner = allocation ? allocation->device : thread_state().device;
    switch (attribute) {
        case CU_POINTER_ATTRIBUTE_CONTEXT: return give(data, primary_context(owner));
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return give(data, on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return give(data, address);
        case CU_POINTER_ATTRIBUTE_HOST_POINTER: require(range.host); return give(data, pointer_of(address));
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            return give(data, static_cast<unsigned>(allocation && allocation->kind == Allocation::Kind::managed));
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return give(data, owner);
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: return give(data, static_cast<CUdeviceptr>(range.begin));
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: return give(data, range.bytes);
        case CU_POINTER_ATTRIBUTE_MAPPED: return give(data, true);
        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return give(data, 1U);
        case CU_POINTER_ATTRIBUTE_BUFFER_ID: return give(data, static_cast<unsigned long long>(range.begin));
        case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return give(data, allocation ? allocation->pool : nullptr);
        case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return give(data, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return give(data, false);
        case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return give(data, std::uint64_t{0});
        default: fail(cudaErrorInvalidValue);
    }
}

/// The driver has no allocation of no bytes.
CUresult allocate(CUdeviceptr* address, std::size_t bytes, Allocation::Kind kind, unsigned flags = 0)
{
    return driver_call([&] {
        require(address && bytes != 0);
        *address = device_pointer(Allocations::instance().allocate(kind, bytes, flags));
    });
}

}  // namespace

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) { return allocate(address, bytes, Allocation::Kind::device); }
CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags)
{
    return allocate(address, bytes, Allocation::Kind::managed, flags);
}

CUresult cuMemAllocPitch(CUdeviceptr* address, std::size_t* pitch, std::size_t width, std::size_t height, unsigned element_bytes)
{
    return driver_call([&] {
        require(address && (element_bytes == 4 || element_bytes == 8 || element_bytes == 16));
        void* pointer = nullptr;
        const cudaError_t error = cudaMallocPitch(&pointer, pitch, width, height);
        *address = device_pointer(pointer);
        return error;
    });
}

CUresult cuMemFree(CUdeviceptr address)
{
    return driver_call([&] { return cudaFree(pointer_of(address)); });
}

CUresult cuMemAllocHost(void** pointer, std::size_t bytes)
{
    return driver_call([&] { return cudaMallocHost(pointer, bytes); });
}

CUresult cuMemFreeHost(void* pointer)
{
    return driver_call([&] { return cudaFreeHost(pointer); });
}

CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags)
{
    return driver_call([&] { return cudaHostAlloc(pointer, bytes, flags); });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* pointer)
{
    return driver_call([&] { return cudaHostGetFlags(flags, pointer); });
}

CUresult cuMemHostRegister(void* pointer, std::size_t bytes, unsigned flags)
{
    return driver_call([&] { return cudaHostRegister(pointer, bytes, flags); });
}

CUresult cuMemHostUnregister(void* pointer)
{
    return driver_call([&] { return cudaHostUnregister(pointer); });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* pointer, unsigned flags)
{
    return driver_call([&] {
        require(address != nullptr);
        void* on_device = nullptr;
        const cudaError_t error = cudaHostGetDevicePointer(&on_device, pointer, flags);
        *address = device_pointer(on_device);
        return error;
    });
}

CUresult cuMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes)
{
    return driver_call([&] { return cudaMemGetInfo(free_bytes, total_bytes); });
}

CUresult cuMemGetAddressRange(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address)
{
    return driver_call([&] {
        const simt::Device::Range range = current_device().range_of(address);
        require(range.bytes != 0, cudaErrorSymbolNotFound);
        if (begin) *begin = range.begin;
        if (bytes) *bytes = range.bytes;
    });
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address)
{
    return driver_call([&] {
        require(data != nullptr);
        give_attribute(data, attribute, address);
    });
}

/// What is not known of an address is left as it is.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr address)
{
    for (unsigned i = 0; i < count; ++i) cuPointerGetAttribute(data[i], attributes[i], address);
    return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream)
{
    return driver_call([&] {
        require(address && bytes != 0);
        void* pointer = nullptr;
        const cudaError_t error = cudaMallocAsync(&pointer, bytes, stream);
        *address = device_pointer(pointer);
        return error;
    });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream stream)
{
    return driver_call([&] {
        require(address && bytes != 0);
        void* pointer = nullptr;
        const cudaError_t error = cudaMallocFromPoolAsync(&pointer, bytes, pool, stream);
        *address = device_pointer(pointer);
        return error;
    });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    return driver_call([&] { return cudaFreeAsync(pointer_of(address), stream); });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties)
{
    static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));
    return driver_call([&] { return cudaMemPoolCreate(pool, reinterpret_cast<const cudaMemPoolProps*>(properties)); });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    return driver_call([&] { return cudaMemPoolDestroy(pool); });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t bytes)
{
    return driver_call([&] { return cudaMemPoolTrimTo(pool, bytes); });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value)
{
    return driver_call([&] { return cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value); });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value)
{
    return driver_call([&] { return cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value); });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device)
{
    return driver_call([&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device)
{
    return driver_call([&] { return cudaDeviceGetMemPool(pool, device); });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    return driver_call([&] { return cudaDeviceSetMemPool(device, pool); });
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, std::size_t bytes, CUmemLocation location, unsigned flags, CUstream stream)
{
    return driver_call([&] {
        return cudaMemPrefetchAsync(pointer_of(address), bytes, {static_cast<cudaMemLocationType>(location.type), location.id}, flags,
                                    stream);
    });
}

CUresult cuMemAdvise(CUdeviceptr address, std::size_t bytes, CUmem_advise advice, CUmemLocation location)
{
    return driver_call([&] {
        return cudaMemAdvise(pointer_of(address), bytes, static_cast<cudaMemoryAdvise>(advice),
                             {static_cast<cudaMemLocationType>(location.type), location.id});
    });
}

CUresult cuMemRangeGetAttribute(void* data, std::size_t data_bytes, CUmem_range_attribute attribute, CUdeviceptr address, std::size_t bytes)
{
    return driver_call([&] {
        return cudaMemRangeGetAttribute(data, data_bytes, static_cast<cudaMemRangeAttribute>(attribute), pointer_of(address), bytes);
    });
}

}  // extern "C"
