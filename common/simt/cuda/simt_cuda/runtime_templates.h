// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The parts of the CUDA runtime API that take pointers, variables and kernels of any type.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"
#include "simt/execution.hpp"

/// @name Allocation
/// @{
template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}

template <class T>
cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width, std::size_t height)
{
    return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}

template <class T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}

template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned flags = cudaHostAllocDefault)
{
    return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}

template <class T>
cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned flags)
{
    return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}

template <class T>
cudaError_t cudaHostGetDevicePointer(T** device_pointer, void* host_pointer, unsigned flags)
{
    return cudaHostGetDevicePointer(reinterpret_cast<void**>(device_pointer), host_pointer, flags);
}

template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}
/// @}

/// @name Symbols
/// A symbol is the name of a `__device__`, `__constant__` or `__managed__` variable.
/// @{
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* source, std::size_t bytes, std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return simt::detail::copy_symbol(const_cast<std::remove_const_t<T>*>(&symbol), sizeof(T), const_cast<void*>(source), bytes, offset,
                                     kind, true);
}

template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* source, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t = nullptr)
{
    return cudaMemcpyToSymbol(symbol, source, bytes, offset, kind);
}

template <class T>
cudaError_t cudaMemcpyFromSymbol(void* destination, const T& symbol, std::size_t bytes, std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return simt::detail::copy_symbol(const_cast<std::remove_const_t<T>*>(&symbol), sizeof(T), destination, bytes, offset, kind, false);
}

template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const T& symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t = nullptr)
{
    return cudaMemcpyFromSymbol(destination, symbol, bytes, offset, kind);
}

template <class T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol)
{
    *pointer = const_cast<std::remove_const_t<T>*>(&symbol);
    return cudaSuccess;
}

template <class Pointee, class T>
cudaError_t cudaGetSymbolAddress(Pointee** pointer, const T& symbol)
{
    return cudaGetSymbolAddress(reinterpret_cast<void**>(pointer), symbol);
}

template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T&)
{
    *bytes = sizeof(T);
    return cudaSuccess;
}
/// @}

/// @name Kernels
/// The model does not see registers and the static shared memory of a kernel that has not run: occupancy follows from
/// threads, blocks and dynamic shared memory alone.
/// @{
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute attribute, int value)
{
    return simt::detail::set_function_attribute(attribute, value);
}

template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel*)
{
    return simt::detail::function_attributes(attributes);
}

template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache)
{
    return cudaSuccess;
}

template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel*, cudaSharedMemConfig)
{
    return cudaSuccess;
}

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel*, int block_size, std::size_t dynamic_shared_bytes)
{
    return simt::detail::resident_blocks(blocks, block_size, dynamic_shared_bytes);
}

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel, int block_size,
                                                                   std::size_t dynamic_shared_bytes, unsigned)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block_size, dynamic_shared_bytes);
}

template <class Kernel, class SharedBytes>
    requires std::is_invocable_r_v<std::size_t, SharedBytes, int>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minimum_grid, int* block_size, Kernel*, SharedBytes shared_bytes_of,
                                                           int limit = 0)
{
    return simt::detail::best_block_size(
        minimum_grid, block_size,
        [](int size, const void* function) { return static_cast<std::size_t>((*static_cast<const SharedBytes*>(function))(size)); },
        &shared_bytes_of, limit);
}

template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minimum_grid, int* block_size, Kernel* kernel, std::size_t dynamic_shared_bytes = 0,
                                               int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        minimum_grid, block_size, kernel, [dynamic_shared_bytes](int) { return dynamic_shared_bytes; }, limit);
}

/// Launches a kernel whose type is known. `arguments` points to one pointer for each parameter.
template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments, std::size_t dynamic_shared_bytes = 0,
                             cudaStream_t stream = nullptr)
{
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        simt::Launch("kernel", kernel, grid, block, dynamic_shared_bytes,
                     stream)(*static_cast<std::remove_reference_t<Parameters>*>(arguments[i])...);
    }(std::index_sequence_for<Parameters...>{});
    return cudaPeekAtLastError();
}

/// A kernel as a pointer without a type: its parameters are lost, so the model cannot launch it. Gives
/// cudaErrorNotSupported.
inline cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t = 0, cudaStream_t = nullptr)
{
    return simt::detail::reject_launch(cudaErrorNotSupported);
}

namespace simt::detail {

/// True for what the model can leave out of a launch: no count and no result depends on it, because kernels run one after
/// another, and time, caches and other GPUs are not modelled.
inline bool may_ignore(const cudaLaunchAttribute& attribute)
{
    switch (attribute.id) {
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
    case cudaLaunchAttributeNvlinkUtilCentricScheduling: return true;
    case cudaLaunchAttributeCooperative: return attribute.val.cooperative == 0;
    default: return false;
    }
}

/// cudaSuccess if the model can launch as `config` says.
inline cudaError_t check_launch_config(const cudaLaunchConfig_t* config)
{
    if (!config || (config->numAttrs > 0 && !config->attrs)) return set_last_error(cudaErrorInvalidValue);
    for (unsigned i = 0; i < config->numAttrs; ++i)
        if (!may_ignore(config->attrs[i])) return reject_launch_attribute(config->attrs[i].id);
    return cudaSuccess;
}

}  // namespace simt::detail

/// Launches a kernel as `config` says; `arguments` become what its parameters are. Returns what became of this launch,
/// whatever the last error was before. Attributes that the model has no use for, such as
/// cudaLaunchAttributeProgrammaticStreamSerialization, are left out; others give cudaErrorNotSupported.
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Arguments&&... arguments)
{
    if (const cudaError_t error = simt::detail::check_launch_config(config); error != cudaSuccess) return error;
    const cudaError_t error_before = cudaGetLastError();
    [&](Parameters... parameters) {
        // A kernel that starts is reported under its own name; this one stands in the message about one that does not.
        simt::Launch("of cudaLaunchKernelEx()", kernel, config->simt_gridDim, config->simt_blockDim, config->dynamicSmemBytes,
                     config->stream)(parameters...);
    }(std::forward<Arguments>(arguments)...);
    const cudaError_t error = cudaPeekAtLastError();
    if (error == cudaSuccess) simt::detail::set_last_error(error_before);
    return error;
}
/// @}
