#include "power.hpp"

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <array>

#include "conflict_free/error.hpp"

namespace conflict_free {

namespace {

// The part of NVML's ABI that is needed: the wheels of the toolkit do not have its header.
constexpr int success = 0;
constexpr unsigned power_in_this_moment = 186;

struct FieldValue {
    unsigned field, scope;
    long long timestamp, latency;
    int type, status;
    union {
        unsigned number;
        unsigned long long widest;
    };
};

/// NVML, opened for the current device.
class Nvml {
public:
    Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
        int current = 0;
        CUDA_CHECK(cudaGetDevice(&current));
        std::array<char, 32> bus_id{};
        CUDA_CHECK(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), current));
        is_there_ = call("nvmlInit_v2") && call("nvmlDeviceGetHandleByPciBusId_v2", bus_id.data(), &device_);
    }

    std::optional<double> watts() const {
        if (!is_there_) return {};
        FieldValue value{.field = power_in_this_moment};
        if (call("nvmlDeviceGetFieldValues", device_, 1, &value) && value.status == success) return value.number / 1e3;
        unsigned milliwatts = 0;
        if (call("nvmlDeviceGetPowerUsage", device_, &milliwatts)) return milliwatts / 1e3;
        return {};
    }

private:
    /// False if NVML does not have the function, or the function fails.
    template <class... Parameters> bool call(const char* name, Parameters... arguments) const {
        const auto function = library_ ? reinterpret_cast<int (*)(Parameters...)>(dlsym(library_, name)) : nullptr;
        return function && function(arguments...) == success;
    }

    void* library_;
    void* device_ = nullptr;
    bool is_there_ = false;
};

}  // namespace

std::optional<double> read_watts() {
    static const Nvml nvml;
    return nvml.watts();
}

}  // namespace conflict_free
