// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// CUDA's keywords and predefined macros.
///
/// nvcc compiles a file once for the host and once for each device; the model compiles it once for both. `__CUDACC__` and
/// `__NVCC__` are defined as under nvcc. `__CUDA_ARCH__` is defined, too, because kernels choose their code by it: it is
/// that of the default machine whatever machine is counted for. A function for both sides that tells them apart by
/// `#ifdef __CUDA_ARCH__` therefore takes its device branch when the host calls it.
///
/// `CONFLICT_FREE_SIMT` is the model's own: a program may have a branch for it where it holds what the model does not know.
#pragma once

#define CONFLICT_FREE_SIMT 1
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0

// A kernel takes in the functions that it calls, as nvcc does it. For the model it is more than a matter of speed: the
// compiler does not instrument what a call reads of memory to pass a structure by value.
#define __global__ __attribute__((flatten))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(n) alignas(n)
#define __builtin_align__(n) alignas(n)
