// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#include "device_heap.hpp"
#include "session.hpp"

namespace {

using simt::detail::DeviceHeap;
using simt::detail::set_last_error;

cudaError_t last_error = cudaSuccess;

/// True if all `bytes` bytes at `pointer` lie in one live allocation of device memory.
bool on_device(const void* pointer, std::size_t bytes)
{
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const auto* allocation = DeviceHeap::instance().find(address);
    return allocation && !allocation->freed && bytes <= allocation->bytes - (address - allocation->begin);
}

bool on_host(const void* pointer) { return pointer && !DeviceHeap::instance().owns(reinterpret_cast<std::uint64_t>(pointer)); }

bool copy_is_possible(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind)
{
    switch (kind) {
        case cudaMemcpyHostToHost: return on_host(destination) && on_host(source);
        case cudaMemcpyHostToDevice: return on_device(destination, bytes) && on_host(source);
        case cudaMemcpyDeviceToHost: return on_host(destination) && on_device(source, bytes);
        case cudaMemcpyDeviceToDevice: return on_device(destination, bytes) && on_device(source, bytes);
        case cudaMemcpyDefault:
            return (on_host(destination) || on_device(destination, bytes)) && (on_host(source) || on_device(source, bytes));
    }
    return false;
}

}  // namespace

namespace simt::detail {

cudaError_t set_last_error(cudaError_t error)
{
    if (error != cudaSuccess) last_error = error;
    return error;
}

}  // namespace simt::detail

cudaError_t cudaMalloc(void** pointer, std::size_t bytes)
{
    if (!pointer) return set_last_error(cudaErrorInvalidValue);
    *pointer = bytes == 0 ? nullptr : DeviceHeap::instance().allocate(bytes);
    return set_last_error(bytes != 0 && !*pointer ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t cudaFree(void* pointer)
{
    if (!pointer || DeviceHeap::instance().release(pointer)) return cudaSuccess;
    return set_last_error(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind)
{
    if (bytes == 0) return cudaSuccess;
    if (!copy_is_possible(destination, source, bytes, kind)) return set_last_error(cudaErrorInvalidValue);
    std::memmove(destination, source, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy(destination, source, bytes, kind);
}

cudaError_t cudaMemset(void* destination, int value, std::size_t bytes)
{
    if (bytes == 0) return cudaSuccess;
    if (!on_device(destination, bytes)) return set_last_error(cudaErrorInvalidValue);
    std::memset(destination, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes)
{
    *free_bytes = DeviceHeap::instance().free_bytes();
    *total_bytes = DeviceHeap::instance().total_bytes();
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

cudaError_t cudaGetLastError()
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError() { return last_error; }

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

cudaError_t cudaSetDevice(int device) { return set_last_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device)
{
    if (device != 0) return set_last_error(cudaErrorInvalidDevice);
    const simt::Machine& machine = simt::current_machine();
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "counting model of %s", machine.name.c_str());
    properties->totalGlobalMem = DeviceHeap::instance().total_bytes();
    properties->sharedMemPerBlock = static_cast<std::size_t>(machine.max_shared_bytes);
    properties->warpSize = simt::warp_size;
    properties->maxThreadsPerBlock = machine.max_block_threads;
    properties->major = machine.compute_major;
    properties->minor = machine.compute_minor;
    properties->multiProcessorCount = machine.multiprocessors;
    properties->l2CacheSize = machine.l2_bytes;
    return cudaSuccess;
}

const char* cudaGetErrorName(cudaError_t error)
{
    switch (error) {
        case cudaSuccess: return "cudaSuccess";
        case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
        case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
        case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
        case cudaErrorInvalidDevicePointer: return "cudaErrorInvalidDevicePointer";
        case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
        case cudaErrorNoDevice: return "cudaErrorNoDevice";
        case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
        case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    }
    return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error)
{
    switch (error) {
        case cudaSuccess: return "no error";
        case cudaErrorInvalidValue: return "invalid argument";
        case cudaErrorMemoryAllocation: return "out of memory";
        case cudaErrorInvalidConfiguration: return "invalid configuration argument";
        case cudaErrorInvalidDevicePointer: return "invalid device pointer";
        case cudaErrorInvalidDevice: return "invalid device ordinal";
        case cudaErrorNoDevice: return "no CUDA-capable device is detected";
        case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
        case cudaErrorLaunchFailure: return "unspecified launch failure";
    }
    return "unrecognized error code";
}
