// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The CUDA runtime's names, for source that runs under the counting model. Operations run at once and in order, so that
/// synchronising is already done when it is asked for. Meaning and arguments are those of the CUDA runtime API.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cmath>

#include "simt/execution.hpp"
#include "simt/runtime_errors.hpp"
#include "vector_types.h"

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) alignas(n)

#define threadIdx (::simt::thread_index())
#define blockIdx (::simt::block_index())
#define blockDim (::simt::block_extent())
#define gridDim (::simt::grid_extent())
inline constexpr int warpSize = ::simt::warp_size;

[[gnu::noinline]] inline void __syncthreads() { ::simt::block_barrier(__builtin_return_address(0)); }

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};

/// Properties of the modelled device: those a program may size its work by.
struct cudaDeviceProp {
    char name[256];
    std::size_t totalGlobalMem;
    std::size_t sharedMemPerBlock;
    int warpSize;
    int maxThreadsPerBlock;
    int major, minor;
    int multiProcessorCount;
    int l2CacheSize;
};

using cudaStream_t = struct CUstream_st*;

cudaError_t cudaMalloc(void** pointer, std::size_t bytes);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset(void* destination, int value, std::size_t bytes);
cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);

template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
