// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <cuda_runtime_api.h>

#include <cstring>
#include <map>

#include "device_heap.hpp"
#include "runtime_api.hpp"
#include "symbols.hpp"

namespace {

using simt::detail::DeviceHeap;
using simt::detail::kernel_error;
using simt::detail::set_last_error;

constexpr std::size_t pitch_alignment = 512;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// Who may use an allocation.
enum class Kind { device, managed, pinned };

/// Live allocations by their first address. The heap knows their extents, this what they were made for.
std::map<std::uint64_t, Kind>& allocations()
{
    static std::map<std::uint64_t, Kind> instance;
    return instance;
}

const Kind* kind_of(const void* pointer)
{
    const auto* allocation = DeviceHeap::instance().find(address_of(pointer));
    if (!allocation || allocation->freed) return nullptr;
    const auto found = allocations().find(allocation->begin);
    return found == allocations().end() ? nullptr : &found->second;
}

cudaError_t allocate(void** pointer, std::size_t bytes, Kind kind)
{
    if (!pointer) return set_last_error(cudaErrorInvalidValue);
    *pointer = bytes == 0 ? nullptr : DeviceHeap::instance().allocate(bytes);
    if (bytes != 0 && !*pointer) return set_last_error(cudaErrorMemoryAllocation);
    if (*pointer) allocations()[address_of(*pointer)] = kind;
    return cudaSuccess;
}

cudaError_t release(void* pointer, bool pinned)
{
    if (!pointer) return kernel_error();
    const auto found = allocations().find(address_of(pointer));
    if (found == allocations().end() || (found->second == Kind::pinned) != pinned) return set_last_error(cudaErrorInvalidValue);
    DeviceHeap::instance().release(pointer);
    allocations().erase(found);
    return kernel_error();
}

/// True if all `bytes` bytes at `pointer` lie in one live allocation or one variable that the device reaches.
bool on_device(const void* pointer, std::size_t bytes)
{
    const std::uint64_t address = address_of(pointer);
    if (const auto* allocation = DeviceHeap::instance().find(address))
        return !allocation->freed && bytes <= allocation->bytes - (address - allocation->begin);
    const auto* symbol = simt::detail::Symbols::instance().find(address);
    return symbol && bytes <= symbol->bytes - (address - symbol->begin);
}

/// True if the host may use `bytes` bytes at `pointer`.
bool on_host(const void* pointer, std::size_t bytes)
{
    if (!pointer) return false;
    if (!DeviceHeap::instance().owns(address_of(pointer))) return !simt::detail::Symbols::instance().find(address_of(pointer));
    const Kind* kind = kind_of(pointer);
    return kind && *kind != Kind::device && on_device(pointer, bytes);
}

/// Bytes from the first to the last of `height` rows.
std::size_t extent(std::size_t pitch, std::size_t width, std::size_t height) { return (height - 1) * pitch + width; }

cudaError_t check_copy(const void* destination, std::size_t destination_bytes, const void* source, std::size_t source_bytes, cudaMemcpyKind kind)
{
    const bool to_host = on_host(destination, destination_bytes), to_device = on_device(destination, destination_bytes);
    const bool from_host = on_host(source, source_bytes), from_device = on_device(source, source_bytes);
    bool possible = false;
    switch (kind) {
        case cudaMemcpyHostToHost: possible = to_host && from_host; break;
        case cudaMemcpyHostToDevice: possible = to_device && from_host; break;
        case cudaMemcpyDeviceToHost: possible = to_host && from_device; break;
        case cudaMemcpyDeviceToDevice: possible = to_device && from_device; break;
        case cudaMemcpyDefault: possible = (to_host || to_device) && (from_host || from_device); break;
        default: return set_last_error(cudaErrorInvalidMemcpyDirection);
    }
    return set_last_error(possible ? kernel_error() : cudaErrorInvalidValue);
}

}  // namespace

namespace simt::detail {

bool host_may_use(const void* pointer, std::size_t bytes) { return on_host(pointer, bytes); }

void free_all_memory()
{
    for (const auto& [begin, kind] : allocations()) DeviceHeap::instance().release(reinterpret_cast<void*>(begin));
    allocations().clear();
}

cudaError_t copy_symbol(void* symbol, std::size_t symbol_bytes, void* other, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                        bool to_symbol)
{
    if (!Symbols::instance().find(address_of(symbol))) return set_last_error(cudaErrorInvalidSymbol);
    if (offset > symbol_bytes || bytes > symbol_bytes - offset) return set_last_error(cudaErrorInvalidValue);
    const cudaMemcpyKind across = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (kind != across && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return set_last_error(cudaErrorInvalidMemcpyDirection);
    void* part = static_cast<char*>(symbol) + offset;
    return to_symbol ? cudaMemcpy(part, other, bytes, kind) : cudaMemcpy(other, part, bytes, kind);
}

}  // namespace simt::detail

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) { return allocate(pointer, bytes, Kind::device); }
cudaError_t cudaFree(void* pointer) { return release(pointer, false); }

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height)
{
    if (!pitch) return set_last_error(cudaErrorInvalidValue);
    *pitch = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
    if (*pitch < width || (height != 0 && *pitch > SIZE_MAX / height)) return set_last_error(cudaErrorMemoryAllocation);
    return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) { return allocate(pointer, bytes, Kind::pinned); }

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags)
{
    if (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) return set_last_error(cudaErrorInvalidValue);
    return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFreeHost(void* pointer) { return release(pointer, true); }

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned)
{
    const Kind* kind = kind_of(host_pointer);
    if (!device_pointer || !kind || *kind != Kind::pinned) return set_last_error(cudaErrorInvalidValue);
    *device_pointer = host_pointer;
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void*, std::size_t, unsigned) { return set_last_error(cudaErrorNotSupported); }
cudaError_t cudaHostUnregister(void*) { return set_last_error(cudaErrorHostMemoryNotRegistered); }

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags)
{
    if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return set_last_error(cudaErrorInvalidValue);
    return allocate(pointer, bytes, Kind::managed);
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) { return cudaMalloc(pointer, bytes); }

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t)
{
    return pointer ? cudaFree(pointer) : set_last_error(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes)
{
    if (free_bytes) *free_bytes = DeviceHeap::instance().free_bytes();
    if (total_bytes) *total_bytes = DeviceHeap::instance().total_bytes();
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device, cudaStream_t)
{
    if (device != 0 && device != cudaCpuDeviceId) return set_last_error(cudaErrorInvalidDevice);
    const Kind* kind = kind_of(pointer);
    return set_last_error(kind && *kind == Kind::managed && on_device(pointer, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise, int device)
{
    return cudaMemPrefetchAsync(pointer, bytes, device, nullptr);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer)
{
    if (!attributes) return set_last_error(cudaErrorInvalidValue);
    *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, const_cast<void*>(pointer)};
    const Kind* kind = kind_of(pointer);
    if (!kind && !on_device(pointer, 1)) return cudaSuccess;
    const bool device_only = !kind || *kind == Kind::device;
    attributes->type = device_only ? cudaMemoryTypeDevice : *kind == Kind::managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
    attributes->device = 0;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (device_only) attributes->hostPointer = nullptr;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind)
{
    if (bytes == 0) return kernel_error();
    if (const cudaError_t error = check_copy(destination, bytes, source, bytes, kind); error != cudaSuccess) return error;
    std::memmove(destination, source, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy(destination, source, bytes, kind);
}

cudaError_t cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source, std::size_t source_pitch, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind)
{
    if (width > destination_pitch || width > source_pitch) return set_last_error(cudaErrorInvalidPitchValue);
    if (width == 0 || height == 0) return kernel_error();
    const cudaError_t error =
        check_copy(destination, extent(destination_pitch, width, height), source, extent(source_pitch, width, height), kind);
    if (error != cudaSuccess) return error;
    for (std::size_t row = 0; row < height; ++row)
        std::memmove(static_cast<char*>(destination) + row * destination_pitch, static_cast<const char*>(source) + row * source_pitch, width);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source, std::size_t source_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy2D(destination, destination_pitch, source, source_pitch, width, height, kind);
}

cudaError_t cudaMemset(void* destination, int value, std::size_t bytes) { return cudaMemset2D(destination, bytes, value, bytes, 1); }

cudaError_t cudaMemsetAsync(void* destination, int value, std::size_t bytes, cudaStream_t) { return cudaMemset(destination, value, bytes); }

cudaError_t cudaMemset2D(void* destination, std::size_t pitch, int value, std::size_t width, std::size_t height)
{
    if (width > pitch) return set_last_error(cudaErrorInvalidPitchValue);
    if (width == 0 || height == 0) return kernel_error();
    if (!on_device(destination, extent(pitch, width, height))) return set_last_error(cudaErrorInvalidValue);
    for (std::size_t row = 0; row < height; ++row) std::memset(static_cast<char*>(destination) + row * pitch, value, width);
    return kernel_error();
}

cudaError_t cudaMemset2DAsync(void* destination, std::size_t pitch, int value, std::size_t width, std::size_t height, cudaStream_t)
{
    return cudaMemset2D(destination, pitch, value, width, height);
}

}  // extern "C"
