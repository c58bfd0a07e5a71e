// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The error codes of the CUDA runtime that the model gives, with CUDA's own numbers.
#pragma once

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidDevice = 101,
    cudaErrorNoDevice = 100,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchFailure = 719,
};
using cudaError = cudaError_t;

namespace simt::detail {

/// Keeps `error` for cudaGetLastError() and returns it.
cudaError_t set_last_error(cudaError_t error);

}  // namespace simt::detail
