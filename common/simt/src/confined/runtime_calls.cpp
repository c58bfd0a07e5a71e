// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The functions of the CUDA runtime API that take pointers, as confined code calls them.

#include <cuda_runtime_api.h>

#include "confinement.hpp"
#include "../grid_runner.hpp"

using simt::detail::Asking;
using simt::detail::check_argument;
using simt::detail::check_copied;
using simt::detail::check_function;
using simt::detail::Direction;

namespace {

std::size_t extent(std::size_t pitch, std::size_t width, std::size_t height) { return height == 0 ? 0 : (height - 1) * pitch + width; }

void check_host(const Asking& asking)
{
    if (simt::detail::GridRunner::instance().on_thread()) simt::detail::refuse("calls the CUDA runtime from a kernel", asking.site);
}

}  // namespace

/// A function that stores a result at its first pointer, or at its first two.
#define SIMT_STORES(name, parameters, arguments, pointer) SIMT_STORES_NAMED(#name, name, name, parameters, arguments, pointer)
#define SIMT_STORES_NAMED(symbol, own, name, parameters, arguments, pointer)     \
    cudaError_t confined_##own parameters asm("simt_confined_" symbol);          \
    cudaError_t confined_##own parameters                                        \
    {                                                                            \
        const Asking asking = SIMT_ASKING;                                       \
        check_host(asking);                                                      \
        check_argument(pointer, sizeof *pointer, Direction::store, asking);      \
        return name arguments;                                                   \
    }

SIMT_STORES(cudaGetDeviceCount, (int* count), (count), count)
SIMT_STORES(cudaGetDevice, (int* device), (device), device)
SIMT_STORES(cudaGetDeviceProperties, (cudaDeviceProp * properties, int device), (properties, device), properties)
SIMT_STORES(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int device), (value, attribute, device), value)
SIMT_STORES(cudaDriverGetVersion, (int* version), (version), version)
SIMT_STORES(cudaRuntimeGetVersion, (int* version), (version), version)
SIMT_STORES(cudaMalloc, (void** pointer, std::size_t bytes), (pointer, bytes), pointer)
SIMT_STORES(cudaMallocHost, (void** pointer, std::size_t bytes), (pointer, bytes), pointer)
SIMT_STORES(cudaHostAlloc, (void** pointer, std::size_t bytes, unsigned flags), (pointer, bytes, flags), pointer)
SIMT_STORES(cudaHostGetDevicePointer, (void** pointer, void* host, unsigned flags), (pointer, host, flags), pointer)
SIMT_STORES(cudaMallocManaged, (void** pointer, std::size_t bytes, unsigned flags), (pointer, bytes, flags), pointer)
SIMT_STORES(cudaMallocAsync, (void** pointer, std::size_t bytes, cudaStream_t stream), (pointer, bytes, stream), pointer)
SIMT_STORES(cudaPointerGetAttributes, (cudaPointerAttributes * attributes, const void* pointer), (attributes, pointer), attributes)
SIMT_STORES(cudaStreamCreate, (cudaStream_t * stream), (stream), stream)
SIMT_STORES(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags), stream)
SIMT_STORES(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority), (stream, flags, priority), stream)
SIMT_STORES(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags), event)
SIMT_STORES(cudaEventElapsedTime, (float* milliseconds, cudaEvent_t start, cudaEvent_t end), (milliseconds, start, end), milliseconds)
SIMT_STORES_NAMED("_Z15cudaEventCreatePP10CUevent_st", event_create, cudaEventCreate, (cudaEvent_t * event), (event), event)
SIMT_STORES_NAMED("_Z15cudaEventCreatePP10CUevent_stj", event_create_with_flags, cudaEventCreate, (cudaEvent_t * event, unsigned flags), (event, flags), event)
SIMT_STORES_NAMED("_ZN4simt6detail19function_attributesEP18cudaFuncAttributes", function_attributes, simt::detail::function_attributes,
                  (cudaFuncAttributes * attributes), (attributes), attributes)
SIMT_STORES_NAMED("_ZN4simt6detail15resident_blocksEPiim", resident_blocks, simt::detail::resident_blocks,
                  (int* blocks, int block_size, std::size_t shared_bytes), (blocks, block_size, shared_bytes), blocks)

extern "C" {

cudaError_t simt_confined_cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height)
{
    const Asking asking = SIMT_ASKING;
    check_host(asking);
    check_argument(pointer, sizeof *pointer, Direction::store, asking);
    check_argument(pitch, sizeof *pitch, Direction::store, asking);
    return cudaMallocPitch(pointer, pitch, width, height);
}

cudaError_t simt_confined_cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes)
{
    const Asking asking = SIMT_ASKING;
    check_host(asking);
    check_argument(free_bytes, sizeof *free_bytes, Direction::store, asking);
    check_argument(total_bytes, sizeof *total_bytes, Direction::store, asking);
    return cudaMemGetInfo(free_bytes, total_bytes);
}

cudaError_t simt_confined_cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind)
{
    const Asking asking = SIMT_ASKING;
    check_host(asking);
    check_copied(from, bytes, Direction::load, asking);
    check_copied(to, bytes, Direction::store, asking);
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t simt_confined_cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
    const Asking asking = SIMT_ASKING;
    check_host(asking);
    check_copied(from, bytes, Direction::load, asking);
    check_copied(to, bytes, Direction::store, asking);
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t simt_confined_cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind)
{
    const Asking asking = SIMT_ASKING;
    check_host(asking);
    check_copied(from, extent(from_pitch, width, height), Direction::load, asking);
    check_copied(to, extent(to_pitch, width, height), Direction::store, asking);
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t simt_confined_cudaMemset(void* to, int value, std::size_t bytes)
{
    const Asking asking = SIMT_ASKING;
    check_host(asking);
    check_copied(to, bytes, Direction::store, asking);
    return cudaMemset(to, value, bytes);
}

cudaError_t simt_confined_cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t)
{
    const Asking asking = SIMT_ASKING;
    check_host(asking);
    check_copied(to, bytes, Direction::store, asking);
    return cudaMemset(to, value, bytes);
}

cudaError_t simt_confined_cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height)
{
    const Asking asking = SIMT_ASKING;
    check_host(asking);
    check_copied(to, extent(pitch, width, height), Direction::store, asking);
    return cudaMemset2D(to, pitch, value, width, height);
}

}  // extern "C"

namespace simt::detail {

cudaError_t confined_copy_symbol(void* symbol, std::size_t symbol_bytes, void* other, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                 bool to_symbol) asm("simt_confined__ZN4simt6detail11copy_symbolEPvmS1_mm14cudaMemcpyKindb");
cudaError_t confined_copy_symbol(void* symbol, std::size_t symbol_bytes, void* other, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                 bool to_symbol)
{
    const Asking asking = SIMT_ASKING;
    check_host(asking);
    if (offset <= symbol_bytes && bytes <= symbol_bytes - offset) {
        check_argument(static_cast<char*>(symbol) + offset, bytes, to_symbol ? Direction::store : Direction::load, asking);
        check_copied(other, bytes, to_symbol ? Direction::load : Direction::store, asking);
    }
    return copy_symbol(symbol, symbol_bytes, other, bytes, offset, kind, to_symbol);
}

cudaError_t confined_best_block_size(int* minimum_grid, int* block_size, std::size_t (*shared_bytes_of)(int, const void*), const void* function,
                                     int limit) asm("simt_confined__ZN4simt6detail15best_block_sizeEPiS1_PFmiPKvES3_i");
cudaError_t confined_best_block_size(int* minimum_grid, int* block_size, std::size_t (*shared_bytes_of)(int, const void*), const void* function,
                                     int limit)
{
    const Asking asking = SIMT_ASKING;
    check_host(asking);
    check_argument(minimum_grid, sizeof *minimum_grid, Direction::store, asking);
    check_argument(block_size, sizeof *block_size, Direction::store, asking);
    check_function(reinterpret_cast<const void*>(shared_bytes_of), asking);
    return best_block_size(minimum_grid, block_size, shared_bytes_of, function, limit);
}

}  // namespace simt::detail
