// Memory of the driver, whose addresses are the runtime's pointers.

#include "calls/runtime/memory.hpp"
#include "calls/driver/forward.hpp"

namespace {

using namespace simt::calls;

template <class Value> void give(void* data, const Value& value) { *static_cast<Value*>(data) = value; }

void give_attribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
    const auto allocation = Allocations::instance().find(pointer_of(address));
    const simt::Device::Range range = current_device().range_of(address);
    require(allocation || range.bytes != 0);
    const bool on_host =
        allocation ? allocation->kind == ProgramAllocation::Kind::pinned || allocation->kind == ProgramAllocation::Kind::registered
                   : range.host;
    const int owner = allocation ? allocation->device : thread_state().device;
    switch (attribute) {
        case CU_POINTER_ATTRIBUTE_CONTEXT: return give(data, primary_context(owner));
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return give(data, on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return give(data, address);
        case CU_POINTER_ATTRIBUTE_HOST_POINTER: require(range.host); return give(data, pointer_of(address));
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            return give(data, static_cast<unsigned>(allocation && allocation->kind == ProgramAllocation::Kind::managed));
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

/// Allocates memory. Unlike the runtime, the driver refuses 0 bytes.
CUresult allocate(CUdeviceptr* address, std::size_t bytes, ProgramAllocation::Kind kind, unsigned flags = 0) {
    return driver_call([&] {
        require(address && bytes != 0);
        *address = device_pointer(Allocations::instance().allocate(kind, bytes, flags));
    });
}

}  // namespace

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) { return allocate(address, bytes, ProgramAllocation::Kind::device); }
CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
    return allocate(address, bytes, ProgramAllocation::Kind::managed, flags);
}

CUresult cuMemAllocPitch(CUdeviceptr* address, std::size_t* pitch, std::size_t width, std::size_t height, unsigned element_bytes) {
    return driver_call([&] {
        require(address && (element_bytes == 4 || element_bytes == 8 || element_bytes == 16));
        void* pointer = nullptr;
        const cudaError_t error = cudaMallocPitch(&pointer, pitch, width, height);
        *address = device_pointer(pointer);
        return error;
    });
}

SIMT_FORWARD(1, cuMemFree, cudaFree)
SIMT_FORWARD(2, cuMemAllocHost, cudaMallocHost)
SIMT_FORWARD(1, cuMemFreeHost, cudaFreeHost)
SIMT_FORWARD(3, cuMemHostAlloc, cudaHostAlloc)
SIMT_FORWARD(2, cuMemHostGetFlags, cudaHostGetFlags)
SIMT_FORWARD(3, cuMemHostRegister, cudaHostRegister)
SIMT_FORWARD(1, cuMemHostUnregister, cudaHostUnregister)
SIMT_FORWARD(3, cuMemHostGetDevicePointer, cudaHostGetDevicePointer)
SIMT_FORWARD(2, cuMemGetInfo, cudaMemGetInfo)

CUresult cuMemGetAddressRange(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address) {
    return driver_call([&] {
        const simt::Device::Range range = current_device().range_of(address);
        require(range.bytes != 0, cudaErrorSymbolNotFound);
        if (begin) *begin = range.begin;
        if (bytes) *bytes = range.bytes;
    });
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
    return driver_call([&] {
        require(data != nullptr);
        give_attribute(data, attribute, address);
    });
}

/// Leaves the data as they are if the address does not have the attribute.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr address) {
    for (unsigned i = 0; i < count; ++i) cuPointerGetAttribute(data[i], attributes[i], address);
    return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
    return bytes == 0 ? CUDA_ERROR_INVALID_VALUE : forward(&cudaMallocAsync, address, bytes, stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
    return bytes == 0 ? CUDA_ERROR_INVALID_VALUE : forward(&cudaMallocFromPoolAsync, address, bytes, pool, stream);
}

SIMT_FORWARD(2, cuMemFreeAsync, cudaFreeAsync)
static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));
SIMT_FORWARD(2, cuMemPoolCreate, cudaMemPoolCreate)
SIMT_FORWARD(1, cuMemPoolDestroy, cudaMemPoolDestroy)
SIMT_FORWARD(2, cuMemPoolTrimTo, cudaMemPoolTrimTo)
SIMT_FORWARD(3, cuMemPoolSetAttribute, cudaMemPoolSetAttribute)
SIMT_FORWARD(3, cuMemPoolGetAttribute, cudaMemPoolGetAttribute)
SIMT_FORWARD(2, cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool)
SIMT_FORWARD(2, cuDeviceGetMemPool, cudaDeviceGetMemPool)
SIMT_FORWARD(2, cuDeviceSetMemPool, cudaDeviceSetMemPool)
SIMT_FORWARD(5, cuMemPrefetchAsync, cudaMemPrefetchAsync)
SIMT_FORWARD(4, cuMemAdvise, cudaMemAdvise)
SIMT_FORWARD(5, cuMemRangeGetAttribute, cudaMemRangeGetAttribute)

}  // extern "C"
