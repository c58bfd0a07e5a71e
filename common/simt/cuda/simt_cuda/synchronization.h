// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Barriers, fences, and what only passes time.
#pragma once

#include "simt/execution.hpp"
#include "simt_cuda/uncounted.h"

SIMT_UNCOUNTED inline void __syncthreads() { ::simt::block_barrier(__builtin_return_address(0)); }

/// A barrier that returns how many threads gave a predicate other than 0.
SIMT_UNCOUNTED inline int __syncthreads_count(int predicate)
{
    return ::simt::block_barrier_count(predicate != 0, __builtin_return_address(0));
}

/// A barrier that tells whether all threads gave a predicate other than 0.
SIMT_UNCOUNTED inline int __syncthreads_and(int predicate)
{
    return ::simt::block_barrier_count(predicate == 0, __builtin_return_address(0)) == 0;
}

/// A barrier that tells whether any thread gave a predicate other than 0.
SIMT_UNCOUNTED inline int __syncthreads_or(int predicate)
{
    return ::simt::block_barrier_count(predicate != 0, __builtin_return_address(0)) != 0;
}

SIMT_UNCOUNTED inline void __syncwarp(unsigned mask = 0xFFFFFFFFu) { ::simt::warp_exchange(mask, 0, __builtin_return_address(0)); }

// The model makes every store visible at once; what is left of a fence is that the compiler moves nothing across it.
SIMT_UNCOUNTED inline void __threadfence() { asm volatile("" ::: "memory"); }
SIMT_UNCOUNTED inline void __threadfence_block() { asm volatile("" ::: "memory"); }
SIMT_UNCOUNTED inline void __threadfence_system() { asm volatile("" ::: "memory"); }

/// Waits for the kernels before this one, and for what they wrote. They have ended already: the model runs one kernel after
/// another. What is left is that the compiler moves nothing across it.
SIMT_UNCOUNTED inline void cudaGridDependencySynchronize() { asm volatile("" ::: "memory"); }

/// Lets the kernel behind this one start early. Under the model none does.
inline void cudaTriggerProgrammaticLaunchCompletion() {}

/// A counter that grows with each call. It is no time: the model knows none. `clock()` is the host's.
SIMT_UNCOUNTED inline long long clock64()
{
    static long long calls = 0;
    ::simt::yield_thread();
    return ++calls;
}

/// Lets other threads run; how long is not modelled.
SIMT_UNCOUNTED inline void __nanosleep(unsigned) { ::simt::yield_thread(); }

/// Stops the kernel with an error.
SIMT_UNCOUNTED inline void __trap() { ::simt::stop_kernel(__builtin_return_address(0)); }

/// A place for a debugger to stop at. The model has none.
inline void __brkpt() {}

/// Promises to the compiler, as on the device.
#define __builtin_assume(condition) (static_cast<void>(0))
