// Devices that record the requests of the runtime and the driver, and run no kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace simt::test {

class RecordingDevice : public EngineDevice {
public:
    using EngineDevice::EngineDevice;

    int load_module(const std::vector<std::string>& texts) override {
        ++modules_loaded;
        return EngineDevice::load_module(texts);
    }
    std::uint64_t create_texture(const TextureRequest& request) override {
        const std::uint64_t handle = EngineDevice::create_texture(request);
        textures[handle] = request;
        return handle;
    }
    int launch(const LaunchRequest& request) override {
        launches.push_back(request);
        return launch_result;
    }
    void set_limit(DeviceLimit limit, std::size_t bytes) override {
        if (limit == DeviceLimit::heap) heap_bytes = bytes;
    }
    void note_error(const Message& message) override { errors.push_back(message); }

    std::vector<LaunchRequest> launches;
    std::vector<Message> errors;
    std::map<std::uint64_t, TextureRequest> textures;
    std::size_t heap_bytes = 0, modules_loaded = 0;
    /// The result of the next launches.
    int launch_result = 0;
};

/// The device number `ordinal` of this process.
RecordingDevice& recording_device(int ordinal = 0);

}  // namespace simt::test
