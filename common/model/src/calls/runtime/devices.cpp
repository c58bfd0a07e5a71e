#include "calls/runtime/devices.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "calls/runtime/memory.hpp"
#include "calls/runtime/modules.hpp"

namespace simt::calls {

namespace {

/// The settings of a device that a program makes and may query.
struct Settings {
    std::map<cudaLimit, std::size_t> limits{{cudaLimitStackSize, 1024},
                                            {cudaLimitPrintfFifoSize, std::size_t{8} << 20},
                                            {cudaLimitMallocHeapSize, std::size_t{8} << 20},
                                            {cudaLimitDevRuntimeSyncDepth, 2},
                                            {cudaLimitDevRuntimePendingLaunchCount, 2048},
                                            {cudaLimitMaxL2FetchGranularity, 64},
                                            {cudaLimitPersistingL2CacheSize, 0}};
    cudaFuncCache cache = cudaFuncCachePreferNone;
    unsigned flags = cudaDeviceMapHost;
    std::set<int> peers;
};

std::mutex& settings_mutex() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

std::map<int, Settings>& all_settings() {
    static auto& all = *new std::map<int, Settings>;
    return all;
}

/// Reads or changes the settings of this thread's device.
template <class Body> cudaError_t with_settings(const Body& body) {
    return call([&] {
        const std::scoped_lock lock(settings_mutex());
        body(all_settings()[thread_state().device]);
    });
}

}  // namespace

int carveout_of(cudaFuncCache config) {
    constexpr int equal = 50;
    switch (config) {
        case cudaFuncCachePreferShared: return cudaSharedmemCarveoutMaxShared;
        case cudaFuncCachePreferL1: return cudaSharedmemCarveoutMaxL1;
        case cudaFuncCachePreferEqual: return equal;
        default: return cudaSharedmemCarveoutDefault;
    }
}

int device_carveout() {
    const std::scoped_lock lock(settings_mutex());
    return carveout_of(all_settings()[thread_state().device].cache);
}

}  // namespace simt::calls

using namespace simt::calls;

extern "C" {

SIMT_ANSWER(cudaGetDeviceCount, (int* count), count, simt::device_count())
SIMT_ANSWER(cudaGetDevice, (int* device), device, thread_state().device)

cudaError_t cudaSetDevice(int device) {
    return call([&] {
        require_device(device);
        thread_state().device = device;
    });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return call([&] { require_device(device); });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
    return call([&] {
        for (int i = 0; i < count; ++i) require_device(devices[i]);
    });
}

SIMT_ANSWER(cudaGetDeviceProperties, (cudaDeviceProp * properties, int device), properties, properties_of(device))

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return call([&] {
        require(value != nullptr);
        require_device(device);
        require(attribute_of(device, attribute, *value));
    });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
    return call([&] {
        require(device && wanted);
        *device = 0;
    });
}

cudaError_t cudaDriverGetVersion(int* version) {
    if (!version) return remember(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaDeviceSynchronize() {
    return call([] { report_kernel_error(); });
}

cudaError_t cudaDeviceReset() {
    return call([] {
        Allocations::instance().release_all();
        current_device().reset();
        Registry::instance().forget_loaded(thread_state().device);
        thread_state().last_error = cudaSuccess;
        clear_kernel_error();
        const std::scoped_lock lock(settings_mutex());
        all_settings().erase(thread_state().device);
    });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    return with_settings([&](Settings& settings) {
        require(settings.limits.contains(limit), cudaErrorUnsupportedLimit);
        if (limit == cudaLimitMallocHeapSize) current_device().set_limit(simt::DeviceLimit::heap, value);
        if (limit == cudaLimitPersistingL2CacheSize) current_device().set_limit(simt::DeviceLimit::kept_l2, value);
        settings.limits[limit] = value;
    });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    return with_settings([&](Settings& settings) {
        require(value != nullptr);
        require(settings.limits.contains(limit), cudaErrorUnsupportedLimit);
        *value = settings.limits[limit];
    });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
    return with_settings([&](Settings& settings) { settings.cache = config; });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    return with_settings([&](Settings& settings) {
        require(config != nullptr);
        *config = settings.cache;
    });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    if (!config) return remember(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return with_settings([&](Settings& settings) {
        require((flags & ~static_cast<unsigned>(cudaDeviceMask)) == 0);
        settings.flags = flags | cudaDeviceMapHost;
    });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return with_settings([&](Settings& settings) {
        require(flags != nullptr);
        *flags = settings.flags;
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    constexpr int greatest_priority = -5;
    if (least) *least = 0;
    if (greatest) *greatest = greatest_priority;
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    return call([&] {
        constexpr int longest = 13;
        require(text && length >= longest);
        const cudaDeviceProp properties = properties_of(device);
        std::snprintf(text, static_cast<std::size_t>(length), "%04x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID) & 0xFFFFU,
                      static_cast<unsigned>(properties.pciBusID) & 0xFFU, static_cast<unsigned>(properties.pciDeviceID) & 0xFFU);
    });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
    return call([&] {
        require(device && text);
        for (int i = 0; i < simt::device_count(); ++i) {
            std::array<char, 32> own{};
            cudaDeviceGetPCIBusId(own.data(), static_cast<int>(own.size()), i);
            if (std::strcmp(own.data(), text) == 0) {
                *device = i;
                return;
            }
        }
        fail(cudaErrorInvalidDevice);
    });
}

SIMT_ANSWER(cudaDeviceCanAccessPeer, (int* can_access, int device, int peer), can_access, require_device(device) != require_device(peer))

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return with_settings([&](Settings& settings) {
        require_device(peer);
        require(peer != thread_state().device, cudaErrorInvalidDevice);
        require(flags == 0);
        require(settings.peers.insert(peer).second, cudaErrorPeerAccessAlreadyEnabled);
    });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return with_settings([&](Settings& settings) {
        require_device(peer);
        require(settings.peers.erase(peer) == 1, cudaErrorPeerAccessNotEnabled);
    });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
    return call([&] {
        require(value && device != peer);
        require_device(device);
        require_device(peer);
        *value = attribute == cudaDevP2PAttrPerformanceRank ? 0 : 1;
    });
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
