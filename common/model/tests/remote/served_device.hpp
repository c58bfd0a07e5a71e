// A device that is served to another process, for tests of the packets between them.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>

#include "device/printed_message.hpp"
#include "engine/engine.hpp"
#include "remote/channel.hpp"
#include "remote/fields.hpp"
#include "remote/judge/server.hpp"
#include "remote/remote_device.hpp"

namespace {

using namespace simt;
using namespace simt::remote;

/// Keeps memory and arrays as the engine does, and records the other calls.
class FakeDevice final : public EngineDevice {
public:
    FakeDevice() : EngineDevice(0) {}
    ~FakeDevice() override { EngineDevice::reset(); }

    int load_module(const std::vector<std::string>& texts) override {
        if (texts.empty() || texts[0] == "broken")
            throw DeviceError(218, {MessageCode::unreadable_ptx, {{"ptx_line", 1}, {"problem", "no such instruction"}}});
        loaded = texts;
        return 7;
    }
    void unload_module(int module) override { unloaded = module; }
    int find_function(int, const std::string& name) override { return name == "kernel" ? 3 : -1; }
    FunctionInfo function(int) override {
        ++functions_asked;
        FunctionInfo info;
        info.name = "kernel";
        info.parameters = {{0, 8}, {8, 4}};
        info.parameter_bytes = 12;
        info.required_cluster = {2, 1, 1};
        info.registers = 40;
        return info;
    }
    bool find_variable(int, const std::string& name, VariableInfo& info) override {
        info = {0x500, 16, true, name == "managed"};
        return name != "none";
    }
    std::vector<std::string> function_names(int) override { return {"kernel", "other"}; }

    std::uint64_t create_texture(const TextureRequest& request) override {
        texture = request;
        return EngineDevice::create_texture(request);
    }
    int launch(const LaunchRequest& request) override {
        launched = request;
        return request.grid.x == 0 ? 9 : request.grid.x == 999 ? 702 : 0;
    }
    int occupancy(int, int block_threads, std::size_t) override { return 2048 / block_threads; }
    void note_error(const Message&) override {}
    void reset() override { was_reset = true; }

    std::vector<std::string> loaded;
    int unloaded = -1;
    TextureRequest texture;
    LaunchRequest launched;
    bool was_reset = false;
    int functions_asked = 0;
};

inline std::filesystem::path made_case() {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("case" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "case.txt") << "integer width 4\ninput given\noutput wanted\n";
    std::ofstream(folder / "given.bin") << "12345678";
    std::ofstream(folder / "wanted.bin") << "........";
    return folder;
}

/// A device that is served in another thread, with a case.
class Remote : public testing::Test {
protected:
    Remote() {
        std::array<int, 2> ends{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        end_ = ends[1];
        served_ = std::async(std::launch::async, [this, end = ends[0]] { return Server(fake, end).run(trial, log, true); });
    }
    ~Remote() override {
        if (served_.valid()) leave();
    }

    RemoteDevice& device() {
        if (!device_) device_ = std::make_unique<RemoteDevice>(std::exchange(end_, -1));
        return *device_;
    }
    int raw() { return end_; }
    CaseEnding leave() {
        device_.reset();
        // The server reads all that was sent, and needs an open end for its answers.
        if (end_ >= 0) shutdown(end_, SHUT_WR);
        const CaseEnding served = served_.get();
        if (end_ >= 0) close(std::exchange(end_, -1));
        return served;
    }

    FakeDevice fake;
    TrialCase trial{made_case(), fake};
    CallLog log;

private:
    int end_ = -1;
    std::future<CaseEnding> served_;
    std::unique_ptr<RemoteDevice> device_;
};

}  // namespace
