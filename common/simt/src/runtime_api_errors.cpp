// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <cuda_runtime_api.h>

#include "runtime_api.hpp"
#include "session.hpp"

namespace {

cudaError_t last_error = cudaSuccess;

}  // namespace

namespace simt::detail {

cudaError_t set_last_error(cudaError_t error)
{
    if (error != cudaSuccess) last_error = error;
    return error;
}

cudaError_t kernel_error()
{
    // CUDA's codes from 700 to 799 tell what went wrong on the device.
    return last_error >= 700 && last_error < 800 ? last_error : cudaSuccess;
}

cudaError_t reject_launch(cudaError_t error)
{
    session().errors.push_back("cudaLaunchKernel: a kernel that is cast to a pointer without a type cannot be launched under the model; "
                               "leave out the cast, or write kernel<<<grid, block>>>(arguments)");
    return set_last_error(error);
}

}  // namespace simt::detail

extern "C" {

cudaError_t cudaGetLastError()
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError() { return last_error; }

const char* cudaGetErrorName(cudaError_t error)
{
    switch (error) {
#define SIMT_CASE(name, number, text) \
    case name: return #name;
        SIMT_CUDA_ERRORS(SIMT_CASE)
#undef SIMT_CASE
    }
    return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error)
{
    switch (error) {
#define SIMT_CASE(name, number, text) \
    case name: return text;
        SIMT_CUDA_ERRORS(SIMT_CASE)
#undef SIMT_CASE
    }
    return "unrecognized error code";
}

}  // extern "C"
