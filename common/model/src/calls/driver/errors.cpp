// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The driver's codes and names of errors.

#include <string>

#include "calls/driver/driver.hpp"
#include "calls/runtime/unsupported.hpp"

namespace simt::calls {

CUresult driver_result(cudaError_t error) {
    switch (error) {
        case cudaErrorInvalidConfiguration:
        case cudaErrorInvalidPitchValue:
        case cudaErrorInvalidHostPointer:
        case cudaErrorInvalidDevicePointer:
        case cudaErrorInvalidChannelDescriptor:
        case cudaErrorInvalidMemcpyDirection:
        case cudaErrorInvalidFilterSetting:
        case cudaErrorInvalidNormSetting:
        case cudaErrorInvalidSurface:
        case cudaErrorInvalidTexture:
        case cudaErrorMissingConfiguration: return CUDA_ERROR_INVALID_VALUE;
        case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
        case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
        // Other errors have the same number in both libraries.
        default: return static_cast<CUresult>(error);
    }
}

int unsupported_export_table(const std::string& library) {
    const std::string name = library.substr(library.rfind('/') + 1);
    if (library.find("/cupy") != library.npos) print_error(MessageCode::runtime_of_cupy);
    else if (name.find(".so") == name.npos) print_error({MessageCode::static_runtime, {{"version", CUDART_VERSION / 1000}}});
    else if (name.starts_with("libcudart.so"))
        print_error({MessageCode::other_runtime, {{"library", name}, {"version", CUDART_VERSION / 1000}}});
    else print_error({MessageCode::library_of_machine_code, {{"library", name}}});
    return CUDA_ERROR_NOT_SUPPORTED;
}

int unsupported_in_driver(const char* function) {
    print_error({MessageCode::call_not_supported, {{"call", function}}});
    return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace simt::calls

namespace {

/// The driver's name of an error, which differs from the runtime's.
const char* name_of(CUresult error) {
    switch (error) {
#define SIMT_CASE(code) \
    case code: return #code;
        SIMT_CASE(CUDA_SUCCESS)
        SIMT_CASE(CUDA_ERROR_INVALID_VALUE)
        SIMT_CASE(CUDA_ERROR_OUT_OF_MEMORY)
        SIMT_CASE(CUDA_ERROR_NOT_INITIALIZED)
        SIMT_CASE(CUDA_ERROR_DEINITIALIZED)
        SIMT_CASE(CUDA_ERROR_PROFILER_DISABLED)
        SIMT_CASE(CUDA_ERROR_PROFILER_NOT_INITIALIZED)
        SIMT_CASE(CUDA_ERROR_PROFILER_ALREADY_STARTED)
        SIMT_CASE(CUDA_ERROR_PROFILER_ALREADY_STOPPED)
        SIMT_CASE(CUDA_ERROR_STUB_LIBRARY)
        SIMT_CASE(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER)
        SIMT_CASE(CUDA_ERROR_DEVICE_UNAVAILABLE)
        SIMT_CASE(CUDA_ERROR_NO_DEVICE)
        SIMT_CASE(CUDA_ERROR_INVALID_DEVICE)
        SIMT_CASE(CUDA_ERROR_DEVICE_NOT_LICENSED)
        SIMT_CASE(CUDA_ERROR_INVALID_IMAGE)
        SIMT_CASE(CUDA_ERROR_INVALID_CONTEXT)
        SIMT_CASE(CUDA_ERROR_CONTEXT_ALREADY_CURRENT)
        SIMT_CASE(CUDA_ERROR_MAP_FAILED)
        SIMT_CASE(CUDA_ERROR_UNMAP_FAILED)
        SIMT_CASE(CUDA_ERROR_ARRAY_IS_MAPPED)
        SIMT_CASE(CUDA_ERROR_ALREADY_MAPPED)
        SIMT_CASE(CUDA_ERROR_NO_BINARY_FOR_GPU)
        SIMT_CASE(CUDA_ERROR_ALREADY_ACQUIRED)
        SIMT_CASE(CUDA_ERROR_NOT_MAPPED)
        SIMT_CASE(CUDA_ERROR_NOT_MAPPED_AS_ARRAY)
        SIMT_CASE(CUDA_ERROR_NOT_MAPPED_AS_POINTER)
        SIMT_CASE(CUDA_ERROR_ECC_UNCORRECTABLE)
        SIMT_CASE(CUDA_ERROR_UNSUPPORTED_LIMIT)
        SIMT_CASE(CUDA_ERROR_CONTEXT_ALREADY_IN_USE)
        SIMT_CASE(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED)
        SIMT_CASE(CUDA_ERROR_INVALID_PTX)
        SIMT_CASE(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT)
        SIMT_CASE(CUDA_ERROR_NVLINK_UNCORRECTABLE)
        SIMT_CASE(CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
        SIMT_CASE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
        SIMT_CASE(CUDA_ERROR_JIT_COMPILATION_DISABLED)
        SIMT_CASE(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY)
        SIMT_CASE(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC)
        SIMT_CASE(CUDA_ERROR_CONTAINED)
        SIMT_CASE(CUDA_ERROR_INVALID_SOURCE)
        SIMT_CASE(CUDA_ERROR_FILE_NOT_FOUND)
        SIMT_CASE(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND)
        SIMT_CASE(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED)
        SIMT_CASE(CUDA_ERROR_OPERATING_SYSTEM)
        SIMT_CASE(CUDA_ERROR_INVALID_HANDLE)
        SIMT_CASE(CUDA_ERROR_ILLEGAL_STATE)
        SIMT_CASE(CUDA_ERROR_LOSSY_QUERY)
        SIMT_CASE(CUDA_ERROR_NOT_FOUND)
        SIMT_CASE(CUDA_ERROR_NOT_READY)
        SIMT_CASE(CUDA_ERROR_ILLEGAL_ADDRESS)
        SIMT_CASE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        SIMT_CASE(CUDA_ERROR_LAUNCH_TIMEOUT)
        SIMT_CASE(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING)
        SIMT_CASE(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
        SIMT_CASE(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
        SIMT_CASE(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE)
        SIMT_CASE(CUDA_ERROR_CONTEXT_IS_DESTROYED)
        SIMT_CASE(CUDA_ERROR_ASSERT)
        SIMT_CASE(CUDA_ERROR_TOO_MANY_PEERS)
        SIMT_CASE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
        SIMT_CASE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
        SIMT_CASE(CUDA_ERROR_HARDWARE_STACK_ERROR)
        SIMT_CASE(CUDA_ERROR_ILLEGAL_INSTRUCTION)
        SIMT_CASE(CUDA_ERROR_MISALIGNED_ADDRESS)
        SIMT_CASE(CUDA_ERROR_INVALID_ADDRESS_SPACE)
        SIMT_CASE(CUDA_ERROR_INVALID_PC)
        SIMT_CASE(CUDA_ERROR_LAUNCH_FAILED)
        SIMT_CASE(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
        SIMT_CASE(CUDA_ERROR_TENSOR_MEMORY_LEAK)
        SIMT_CASE(CUDA_ERROR_NOT_PERMITTED)
        SIMT_CASE(CUDA_ERROR_NOT_SUPPORTED)
        SIMT_CASE(CUDA_ERROR_SYSTEM_NOT_READY)
        SIMT_CASE(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
        SIMT_CASE(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)
        SIMT_CASE(CUDA_ERROR_MPS_CONNECTION_FAILED)
        SIMT_CASE(CUDA_ERROR_MPS_RPC_FAILURE)
        SIMT_CASE(CUDA_ERROR_MPS_SERVER_NOT_READY)
        SIMT_CASE(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED)
        SIMT_CASE(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED)
        SIMT_CASE(CUDA_ERROR_MPS_CLIENT_TERMINATED)
        SIMT_CASE(CUDA_ERROR_CDP_NOT_SUPPORTED)
        SIMT_CASE(CUDA_ERROR_CDP_VERSION_MISMATCH)
        SIMT_CASE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
        SIMT_CASE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
        SIMT_CASE(CUDA_ERROR_STREAM_CAPTURE_MERGE)
        SIMT_CASE(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)
        SIMT_CASE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED)
        SIMT_CASE(CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
        SIMT_CASE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
        SIMT_CASE(CUDA_ERROR_CAPTURED_EVENT)
        SIMT_CASE(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
        SIMT_CASE(CUDA_ERROR_TIMEOUT)
        SIMT_CASE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)
        SIMT_CASE(CUDA_ERROR_EXTERNAL_DEVICE)
        SIMT_CASE(CUDA_ERROR_INVALID_CLUSTER_SIZE)
        SIMT_CASE(CUDA_ERROR_FUNCTION_NOT_LOADED)
        SIMT_CASE(CUDA_ERROR_INVALID_RESOURCE_TYPE)
        SIMT_CASE(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION)
        SIMT_CASE(CUDA_ERROR_KEY_ROTATION)
        SIMT_CASE(CUDA_ERROR_UNKNOWN)
#undef SIMT_CASE
        default: return nullptr;
    }
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = name_of(error);
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = name_of(error) ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// The driver's log, of which the model writes nothing.
CUresult cuLogsRegisterCallback(CUlogsCallback, void*, CUlogsCallbackHandle* handle) {
    if (handle) *handle = nullptr;
    return CUDA_SUCCESS;
}
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle) { return CUDA_SUCCESS; }

}  // extern "C"
