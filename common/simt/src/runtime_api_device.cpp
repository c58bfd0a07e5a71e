// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <cuda_runtime_api.h>

#include <algorithm>
#include <climits>
#include <cstdio>

#include "device_heap.hpp"
#include "runtime_api.hpp"
#include "session.hpp"

namespace {

using simt::Machine;
using simt::detail::kernel_error;
using simt::detail::set_last_error;

std::size_t limit_raised_to = 0;

std::size_t shared_bytes_of_block(const Machine& machine) { return static_cast<std::size_t>(machine.max_shared_bytes); }
std::size_t default_shared_bytes(const Machine& machine) { return static_cast<std::size_t>(machine.default_shared_bytes); }
std::size_t shared_bytes_of_multiprocessor(const Machine& machine) { return static_cast<std::size_t>(machine.multiprocessor_shared_bytes); }

/// What the driver keeps of each block's shared memory: the part of a multiprocessor's that no block can have.
std::size_t reserved_bytes(const Machine& machine) { return shared_bytes_of_multiprocessor(machine) - shared_bytes_of_block(machine); }

cudaDeviceProp properties_of(const Machine& machine)
{
    cudaDeviceProp properties{};
    std::snprintf(properties.name, sizeof properties.name, "counting model of %s", machine.name.c_str());
    properties.totalGlobalMem = simt::detail::DeviceHeap::instance().total_bytes();
    properties.sharedMemPerBlock = default_shared_bytes(machine);
    properties.sharedMemPerBlockOptin = shared_bytes_of_block(machine);
    properties.reservedSharedMemPerBlock = reserved_bytes(machine);
    properties.sharedMemPerMultiprocessor = shared_bytes_of_multiprocessor(machine);
    properties.warpSize = simt::warp_size;
    properties.memPitch = INT_MAX;
    properties.maxThreadsPerBlock = machine.max_block_threads;
    properties.maxThreadsDim[0] = properties.maxThreadsDim[1] = machine.max_block_threads;
    properties.maxThreadsDim[2] = 64;
    properties.maxGridSize[0] = machine.compute_major < 3 ? 65535 : INT_MAX;
    properties.maxGridSize[1] = properties.maxGridSize[2] = 65535;
    properties.totalConstMem = 64 << 10;
    properties.major = machine.compute_major;
    properties.minor = machine.compute_minor;
    properties.multiProcessorCount = machine.multiprocessors;
    properties.canMapHostMemory = 1;
    properties.concurrentKernels = 1;
    properties.unifiedAddressing = 1;
    properties.l2CacheSize = machine.l2_bytes;
    properties.maxThreadsPerMultiProcessor = machine.multiprocessor_threads;
    properties.maxBlocksPerMultiProcessor = machine.multiprocessor_blocks;
    properties.managedMemory = 1;
    properties.memoryPoolsSupported = 1;
    return properties;
}

cudaError_t check_device(int device) { return set_last_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }

}  // namespace

namespace simt::detail {

unsigned long dynamic_shared_limit()
{
    const Machine& machine = current_machine();
    return std::min(shared_bytes_of_block(machine), std::max(default_shared_bytes(machine), limit_raised_to));
}

void reset_dynamic_shared_limit() { limit_raised_to = 0; }

cudaError_t set_function_attribute(cudaFuncAttribute attribute, int value)
{
    switch (attribute) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize:
            if (value < 0 || static_cast<std::size_t>(value) > shared_bytes_of_block(current_machine()))
                return set_last_error(cudaErrorInvalidValue);
            limit_raised_to = std::max(limit_raised_to, static_cast<std::size_t>(value));
            return cudaSuccess;
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            return set_last_error(value < -1 || value > 100 ? cudaErrorInvalidValue : cudaSuccess);
    }
    return set_last_error(cudaErrorInvalidValue);
}

cudaError_t function_attributes(cudaFuncAttributes* attributes)
{
    const Machine& machine = current_machine();
    *attributes = {};
    attributes->maxThreadsPerBlock = machine.max_block_threads;
    attributes->ptxVersion = attributes->binaryVersion = 10 * machine.compute_major + machine.compute_minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit());
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
}

cudaError_t resident_blocks(int* blocks, int block_size, std::size_t dynamic_shared_bytes)
{
    const Machine& machine = current_machine();
    if (!blocks || block_size <= 0) return set_last_error(cudaErrorInvalidValue);
    *blocks = 0;
    if (block_size > machine.max_block_threads || dynamic_shared_bytes > dynamic_shared_limit()) return cudaSuccess;
    // Threads become resident warp by warp.
    const int threads = (block_size + warp_size - 1) / warp_size * warp_size;
    const std::size_t shared = dynamic_shared_bytes + reserved_bytes(machine);
    const std::size_t by_shared = shared ? shared_bytes_of_multiprocessor(machine) / shared : INT_MAX;
    *blocks = std::min({machine.multiprocessor_threads / threads, machine.multiprocessor_blocks, static_cast<int>(std::min<std::size_t>(by_shared, INT_MAX))});
    return cudaSuccess;
}

cudaError_t best_block_size(int* minimum_grid, int* block_size, std::size_t (*shared_bytes_of)(int, const void*), const void* function,
                            int limit)
{
    if (!minimum_grid || !block_size || limit < 0) return set_last_error(cudaErrorInvalidValue);
    const Machine& machine = current_machine();
    const int largest = limit == 0 ? machine.max_block_threads : std::min(limit, machine.max_block_threads);
    int best = 0, best_blocks = 0;
    for (int size = largest; size > 0; size = (size - 1) / warp_size * warp_size) {
        int blocks = 0;
        resident_blocks(&blocks, size, shared_bytes_of(size, function));
        if (blocks * size > best_blocks * best) best = size, best_blocks = blocks;
    }
    *block_size = best;
    *minimum_grid = best_blocks * machine.multiprocessors;
    return cudaSuccess;
}

}  // namespace simt::detail

extern "C" {

cudaError_t cudaGetDeviceCount(int* count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return check_device(device); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device)
{
    if (check_device(device) != cudaSuccess) return cudaErrorInvalidDevice;
    *properties = properties_of(simt::current_machine());
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device)
{
    if (check_device(device) != cudaSuccess) return cudaErrorInvalidDevice;
    const cudaDeviceProp properties = properties_of(simt::current_machine());
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock: *value = properties.maxThreadsPerBlock; break;
        case cudaDevAttrMaxBlockDimX: *value = properties.maxThreadsDim[0]; break;
        case cudaDevAttrMaxBlockDimY: *value = properties.maxThreadsDim[1]; break;
        case cudaDevAttrMaxBlockDimZ: *value = properties.maxThreadsDim[2]; break;
        case cudaDevAttrMaxGridDimX: *value = properties.maxGridSize[0]; break;
        case cudaDevAttrMaxGridDimY: *value = properties.maxGridSize[1]; break;
        case cudaDevAttrMaxGridDimZ: *value = properties.maxGridSize[2]; break;
        case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(properties.sharedMemPerBlock); break;
        case cudaDevAttrTotalConstantMemory: *value = static_cast<int>(properties.totalConstMem); break;
        case cudaDevAttrWarpSize: *value = properties.warpSize; break;
        case cudaDevAttrMaxRegistersPerBlock: *value = properties.regsPerBlock; break;
        case cudaDevAttrClockRate: *value = properties.clockRate; break;
        case cudaDevAttrMultiProcessorCount: *value = properties.multiProcessorCount; break;
        case cudaDevAttrKernelExecTimeout: *value = properties.kernelExecTimeoutEnabled; break;
        case cudaDevAttrIntegrated: *value = properties.integrated; break;
        case cudaDevAttrCanMapHostMemory: *value = properties.canMapHostMemory; break;
        case cudaDevAttrComputeMode: *value = properties.computeMode; break;
        case cudaDevAttrConcurrentKernels: *value = properties.concurrentKernels; break;
        case cudaDevAttrEccEnabled: *value = properties.ECCEnabled; break;
        case cudaDevAttrMemoryClockRate: *value = properties.memoryClockRate; break;
        case cudaDevAttrGlobalMemoryBusWidth: *value = properties.memoryBusWidth; break;
        case cudaDevAttrL2CacheSize: *value = properties.l2CacheSize; break;
        case cudaDevAttrMaxThreadsPerMultiProcessor: *value = properties.maxThreadsPerMultiProcessor; break;
        case cudaDevAttrAsyncEngineCount: *value = properties.asyncEngineCount; break;
        case cudaDevAttrUnifiedAddressing: *value = properties.unifiedAddressing; break;
        case cudaDevAttrComputeCapabilityMajor: *value = properties.major; break;
        case cudaDevAttrComputeCapabilityMinor: *value = properties.minor; break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = static_cast<int>(properties.sharedMemPerMultiprocessor); break;
        case cudaDevAttrMaxRegistersPerMultiprocessor: *value = properties.regsPerMultiprocessor; break;
        case cudaDevAttrManagedMemory: *value = properties.managedMemory; break;
        case cudaDevAttrPageableMemoryAccess: *value = properties.pageableMemoryAccess; break;
        case cudaDevAttrConcurrentManagedAccess: *value = properties.concurrentManagedAccess; break;
        case cudaDevAttrCooperativeLaunch: *value = properties.cooperativeLaunch; break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = static_cast<int>(properties.sharedMemPerBlockOptin); break;
        case cudaDevAttrMaxBlocksPerMultiprocessor: *value = properties.maxBlocksPerMultiProcessor; break;
        case cudaDevAttrReservedSharedMemoryPerBlock: *value = static_cast<int>(properties.reservedSharedMemPerBlock); break;
        case cudaDevAttrMemoryPoolsSupported: *value = properties.memoryPoolsSupported; break;
        default: return set_last_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }

cudaError_t cudaDriverGetVersion(int* version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() { return kernel_error(); }

cudaError_t cudaDeviceReset()
{
    simt::detail::free_all_memory();
    simt::detail::reset_dynamic_shared_limit();
    cudaGetLastError();
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int)
{
    *can_access = 0;
    return check_device(device);
}

cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return cudaSuccess; }

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit)
{
    *value = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config)
{
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config)
{
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    if (least) *least = 0;
    if (greatest) *greatest = 0;
    return cudaSuccess;
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
