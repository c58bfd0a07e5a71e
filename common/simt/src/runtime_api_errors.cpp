// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <cuda_runtime_api.h>

#include <string>

#include "runtime_api.hpp"
#include "session.hpp"

namespace {

cudaError_t last_error = cudaSuccess;

/// A launch attribute that the model has not, with what it asks for.
std::string described(cudaLaunchAttributeID attribute)
{
    const std::string number = " (launch attribute " + std::to_string(static_cast<int>(attribute)) + ")";
    switch (attribute) {
    case cudaLaunchAttributeCooperative: return "synchronization of the whole grid" + number;
    case cudaLaunchAttributeClusterDimension:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePreferredClusterDimension: return "a thread block cluster" + number;
    case cudaLaunchAttributeProgrammaticEvent:
    case cudaLaunchAttributeLaunchCompletionEvent: return "an event that a kernel records" + number;
    case cudaLaunchAttributeDeviceUpdatableKernelNode: return "a CUDA graph" + number;
    default: return "launch attribute " + std::to_string(static_cast<int>(attribute));
    }
}

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

cudaError_t reject_launch_attribute(cudaLaunchAttributeID attribute)
{
    session().errors.push_back("cudaLaunchKernelEx: " + described(attribute) + " is not supported by the counting model");
    return set_last_error(cudaErrorNotSupported);
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
