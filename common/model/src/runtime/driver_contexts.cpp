// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Devices, contexts and errors of the driver.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "devices.hpp"
#include "driver.hpp"
#include "streams.hpp"
#include "unsupported.hpp"

namespace simt::runtime {

namespace {

Handles<CUctx_st>& contexts()
{
    static auto& instance = *new Handles<CUctx_st>;
    return instance;
}

unsigned long long next_id()
{
    static std::atomic<unsigned long long> last{0};
    return ++last;
}

std::vector<CUcontext>& context_stack()
{
    thread_local std::vector<CUcontext> stack;
    return stack;
}

void use(CUcontext context)
{
    if (context) thread_state().device = context->device;
}

void require_context(CUcontext context) { require(contexts().holds(context), static_cast<cudaError_t>(CUDA_ERROR_INVALID_CONTEXT)); }

}  // namespace

CUresult driver_result(cudaError_t error)
{
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
        // The others have one number in both libraries.
        default: return static_cast<CUresult>(error);
    }
}

int unsupported_in_driver(const char* function, const char* advice)
{
    print_error(std::string(function) + " is not supported by the model" + advice);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUcontext primary_context(int ordinal)
{
    static auto& primary = *new std::map<int, CUcontext>;
    static std::mutex& mutex = *new std::mutex;
    require_device(ordinal);
    const std::scoped_lock lock(mutex);
    CUcontext& context = primary[ordinal];
    if (!context) context = contexts().create({.device = ordinal, .id = next_id(), .is_primary = true});
    return context;
}

CUcontext current_context() { return context_stack().empty() ? primary_context(thread_state().device) : context_stack().back(); }

}  // namespace simt::runtime

using namespace simt::runtime;

namespace {

/// The name of an error in the driver's words: the runtime's differ.
const char* name_of(CUresult error)
{
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

CUresult cuInit(unsigned flags)
{
    return driver_call([&] { require(flags == 0); });
}

CUresult cuDriverGetVersion(int* version)
{
    return driver_call([&] { return cudaDriverGetVersion(version); });
}

CUresult cuGetErrorName(CUresult error, const char** text)
{
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = name_of(error);
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text)
{
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = name_of(error) ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal)
{
    return driver_call([&] {
        require(device != nullptr);
        require_device(ordinal);
        *device = ordinal;
    });
}

CUresult cuDeviceGetCount(int* count)
{
    return driver_call([&] { return cudaGetDeviceCount(count); });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device)
{
    return driver_call([&] {
        require(name && length > 0);
        require_device(device);
        std::snprintf(name, static_cast<std::size_t>(length), "%s", properties_of(device).name);
    });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device)
{
    return driver_call([&] {
        require(uuid != nullptr);
        require_device(device);
        const cudaDeviceProp properties = properties_of(device);
        std::memcpy(uuid, &properties.uuid, sizeof *uuid);
    });
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device)
{
    return driver_call([&] {
        require(bytes != nullptr);
        require_device(device);
        *bytes = properties_of(device).totalGlobalMem;
    });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device)
{
    return driver_call([&] {
        require(value != nullptr);
        require_device(device);
        switch (attribute) {
            case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED: *value = 1; return;
            case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: *value = 1; return;
            default: break;
        }
        // Up to the last one that the runtime knows, both have the same numbers.
        if (!attribute_of(device, static_cast<cudaDeviceAttr>(attribute), *value)) *value = 0;
    });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device)
{
    return driver_call([&] {
        require(major && minor);
        require_device(device);
        const cudaDeviceProp properties = properties_of(device);
        *major = properties.major;
        *minor = properties.minor;
    });
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device)
{
    return driver_call([&] { return cudaDeviceGetPCIBusId(text, length, device); });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text)
{
    return driver_call([&] { return cudaDeviceGetByPCIBusId(device, text); });
}

CUresult cuDeviceCanAccessPeer(int* can_access, CUdevice device, CUdevice peer)
{
    return driver_call([&] { return cudaDeviceCanAccessPeer(can_access, device, peer); });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device)
{
    return driver_call([&] {
        require(context != nullptr);
        *context = primary_context(device);
    });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    return driver_call([&] { require_device(device); });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    return driver_call([&] {
        require_device(device);
        const int before = std::exchange(thread_state().device, device);
        const cudaError_t error = cudaDeviceReset();
        thread_state().device = before;
        return error;
    });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
    return driver_call([&] { primary_context(device)->flags = flags; });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active)
{
    return driver_call([&] {
        require(flags && active);
        *flags = primary_context(device)->flags;
        *active = 1;
    });
}

CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned flags, CUdevice device)
{
    return driver_call([&] {
        require(context != nullptr);
        require_device(device);
        *context = contexts().create({.device = device, .flags = flags, .id = next_id()});
        context_stack().push_back(*context);
        use(*context);
    });
}

CUresult cuCtxDestroy(CUcontext context)
{
    return driver_call([&] {
        require_context(context);
        require(!context->is_primary, static_cast<cudaError_t>(CUDA_ERROR_INVALID_CONTEXT));
        std::erase(context_stack(), context);
        contexts().destroy(context);
        use(current_context());
    });
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    return driver_call([&] {
        require_context(context);
        context_stack().push_back(context);
        use(context);
    });
}

CUresult cuCtxPopCurrent(CUcontext* context)
{
    return driver_call([&] {
        require(!context_stack().empty(), static_cast<cudaError_t>(CUDA_ERROR_INVALID_CONTEXT));
        if (context) *context = context_stack().back();
        context_stack().pop_back();
        if (!context_stack().empty()) use(context_stack().back());
    });
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    return driver_call([&] {
        if (!context_stack().empty()) context_stack().pop_back();
        if (!context) return;
        require_context(context);
        context_stack().push_back(context);
        use(context);
    });
}

CUresult cuCtxGetCurrent(CUcontext* context)
{
    return driver_call([&] {
        require(context != nullptr);
        *context = current_context();
    });
}

CUresult cuCtxGetDevice(CUdevice* device)
{
    return driver_call([&] {
        require(device != nullptr);
        *device = current_context()->device;
    });
}

CUresult cuCtxGetFlags(unsigned* flags)
{
    return driver_call([&] {
        require(flags != nullptr);
        *flags = current_context()->flags;
    });
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id)
{
    return driver_call([&] {
        require(id != nullptr);
        if (context) require_context(context);
        *id = (context ? context : current_context())->id;
    });
}

CUresult cuCtxGetApiVersion(CUcontext, unsigned* version)
{
    constexpr unsigned api_version = 3020;
    return driver_call([&] {
        require(version != nullptr);
        *version = api_version;
    });
}

CUresult cuCtxSynchronize()
{
    return driver_call([] { return cudaDeviceSynchronize(); });
}

CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit)
{
    return driver_call([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}

CUresult cuCtxSetLimit(CUlimit limit, std::size_t value)
{
    return driver_call([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config)
{
    return driver_call([&] { return cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache*>(config)); });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    return driver_call([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest)
{
    return driver_call([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    return driver_call([&] {
        require_context(peer);
        return cudaDeviceEnablePeerAccess(peer->device, flags);
    });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    return driver_call([&] {
        require_context(peer);
        return cudaDeviceDisablePeerAccess(peer->device);
    });
}

CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }

}  // extern "C"
