// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Errors of a chapter program, and the check of every CUDA call.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace conflict_free {

/// An argument that is unknown or impossible. The message names the argument, what was given and what is accepted.
/// A chapter program prints it on one line and exits with 2.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The device has too little free memory for an allocation.
class OutOfDeviceMemory : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A call of the CUDA runtime failed. The message names the call, the place and CUDA's reason.
class CudaError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Throws for any `error` but cudaSuccess: OutOfDeviceMemory for cudaErrorMemoryAllocation, else CudaError.
/// @param error what the call returned
/// @param call text of the call, for the message
/// @param file source file of the call
/// @param line source line of the call
void check_cuda(cudaError_t error, const char* call, const char* file, int line);

}  // namespace conflict_free

/// Makes a CUDA runtime call and throws if it fails. @see conflict_free::check_cuda
#define CUDA_CHECK(call) ::conflict_free::check_cuda((call), #call, __FILE__, __LINE__)
