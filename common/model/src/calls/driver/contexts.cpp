// Devices and contexts of the driver.

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "calls/driver/forward.hpp"
#include "calls/runtime/devices.hpp"
#include "calls/runtime/streams.hpp"

namespace simt::calls {

namespace {

Handles<CUctx_st>& contexts() {
    static auto& instance = *new Handles<CUctx_st>;
    return instance;
}

unsigned long long next_context_id() {
    static std::atomic<unsigned long long> last{0};
    return ++last;
}

std::vector<CUcontext>& context_stack() {
    thread_local std::vector<CUcontext> stack;
    return stack;
}

void use(CUcontext context) {
    if (context) thread_state().device = context->device;
}

}  // namespace

CUcontext require_context(CUcontext context) {
    require(contexts().holds(context), static_cast<cudaError_t>(CUDA_ERROR_INVALID_CONTEXT));
    return context;
}

CUcontext primary_context(int ordinal) {
    static auto& primary = *new std::map<int, CUcontext>;
    static std::mutex& mutex = *new std::mutex;
    require_device(ordinal);
    const std::scoped_lock lock(mutex);
    CUcontext& context = primary[ordinal];
    if (!context) context = contexts().create({.device = ordinal, .id = next_context_id(), .is_primary = true});
    return context;
}

CUcontext current_context() { return context_stack().empty() ? primary_context(thread_state().device) : context_stack().back(); }

}  // namespace simt::calls

using namespace simt::calls;

namespace {

constexpr unsigned api_version = 3020;

/// The context that a call names, or the current one where it names none.
CUcontext asked_or_current(CUcontext context) { return context ? require_context(context) : current_context(); }

}  // namespace

extern "C" {

CUresult cuInit(unsigned flags) {
    return driver_call([&] { require(flags == 0); });
}

SIMT_FORWARD(1, cuDriverGetVersion, cudaDriverGetVersion)

SIMT_DRIVER_ANSWER(cuDeviceGet, (CUdevice * device, int ordinal), device, require_device(ordinal))
SIMT_FORWARD(1, cuDeviceGetCount, cudaGetDeviceCount)

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    return driver_call([&] {
        require(name && length > 0);
        std::snprintf(name, static_cast<std::size_t>(length), "%s", properties_of(device).name);
    });
}

SIMT_DRIVER_ANSWER(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), uuid, properties_of(device).uuid)
SIMT_DRIVER_ANSWER(cuDeviceTotalMem, (std::size_t* bytes, CUdevice device), bytes, properties_of(device).totalGlobalMem)

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return driver_call([&] {
        require(value != nullptr);
        require_device(device);
        switch (attribute) {
            case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED: *value = 1; return;
            case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: *value = 1; return;
            default: break;
        }
        // Both libraries number the runtime's attributes alike.
        if (!attribute_of(device, static_cast<cudaDeviceAttr>(attribute), *value)) *value = 0;
    });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    return driver_call([&] {
        require(major && minor);
        const cudaDeviceProp properties = properties_of(device);
        *major = properties.major;
        *minor = properties.minor;
    });
}

SIMT_FORWARD(3, cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId)
SIMT_FORWARD(2, cuDeviceGetByPCIBusId, cudaDeviceGetByPCIBusId)
SIMT_FORWARD(3, cuDeviceCanAccessPeer, cudaDeviceCanAccessPeer)
SIMT_DRIVER_ANSWER(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device), context, primary_context(device))

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    return driver_call([&] { require_device(device); });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    return driver_call([&] {
        require_device(device);
        const int before = std::exchange(thread_state().device, device);
        const cudaError_t error = cudaDeviceReset();
        thread_state().device = before;
        return error;
    });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    return driver_call([&] { primary_context(device)->flags = flags; });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    return driver_call([&] {
        require(flags && active);
        *flags = primary_context(device)->flags;
        *active = 1;
    });
}

CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned flags, CUdevice device) {
    return driver_call([&] {
        require(context != nullptr);
        require_device(device);
        *context = contexts().create({.device = device, .flags = flags, .id = next_context_id()});
        context_stack().push_back(*context);
        use(*context);
    });
}

CUresult cuCtxDestroy(CUcontext context) {
    return driver_call([&] {
        require_context(context);
        require(!context->is_primary, static_cast<cudaError_t>(CUDA_ERROR_INVALID_CONTEXT));
        std::erase(context_stack(), context);
        contexts().destroy(context);
        use(current_context());
    });
}

// PyCUDA detaches only from contexts that no one else has attached to.
CUresult cuCtxDetach(CUcontext context) { return cuCtxDestroy(context); }

CUresult cuCtxPushCurrent(CUcontext context) {
    return driver_call([&] {
        require_context(context);
        context_stack().push_back(context);
        use(context);
    });
}

CUresult cuCtxPopCurrent(CUcontext* context) {
    return driver_call([&] {
        require(!context_stack().empty(), static_cast<cudaError_t>(CUDA_ERROR_INVALID_CONTEXT));
        if (context) *context = context_stack().back();
        context_stack().pop_back();
        if (!context_stack().empty()) use(context_stack().back());
    });
}

CUresult cuCtxSetCurrent(CUcontext context) {
    return driver_call([&] {
        if (!context_stack().empty()) context_stack().pop_back();
        if (!context) return;
        require_context(context);
        context_stack().push_back(context);
        use(context);
    });
}

SIMT_DRIVER_ANSWER(cuCtxGetCurrent, (CUcontext * context), context, current_context())
SIMT_DRIVER_ANSWER(cuCtxGetDevice, (CUdevice * device), device, current_context()->device)
SIMT_DRIVER_ANSWER(cuCtxGetDevice_v2, (CUdevice * device, CUcontext context), device, asked_or_current(context)->device)
SIMT_DRIVER_ANSWER(cuCtxGetFlags, (unsigned* flags), flags, current_context()->flags)

SIMT_DRIVER_ANSWER(cuCtxGetId, (CUcontext context, unsigned long long* id), id, asked_or_current(context)->id)
SIMT_DRIVER_ANSWER(cuCtxGetApiVersion, (CUcontext, unsigned* version), version, api_version)

CUresult cuCtxSynchronize() { return forward(&cudaDeviceSynchronize); }
CUresult cuCtxSynchronize_v2(CUcontext context) {
    return driver_call([&] {
        asked_or_current(context);
        return cudaDeviceSynchronize();
    });
}

SIMT_FORWARD(2, cuCtxGetLimit, cudaDeviceGetLimit)
SIMT_FORWARD(2, cuCtxSetLimit, cudaDeviceSetLimit)
SIMT_FORWARD(1, cuCtxGetCacheConfig, cudaDeviceGetCacheConfig)
SIMT_FORWARD(1, cuCtxSetCacheConfig, cudaDeviceSetCacheConfig)
SIMT_FORWARD(2, cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange)

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    return driver_call([&] { return cudaDeviceEnablePeerAccess(require_context(peer)->device, flags); });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    return driver_call([&] { return cudaDeviceDisablePeerAccess(require_context(peer)->device); });
}

CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }

}  // extern "C"
