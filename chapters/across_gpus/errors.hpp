// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Checks of calls of CUDA and NCCL, which throw.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <stdexcept>
#include <string>

inline void check(cudaError_t error, const char* call)
{
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(error));
}

inline void check(ncclResult_t result, const char* call)
{
    if (result != ncclSuccess)
        throw std::runtime_error(std::string(call) + ": " + ncclGetErrorString(result));
}

// Fails with the text of the call.
#define CHECK(call) check(call, #call)
