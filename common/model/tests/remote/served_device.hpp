// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

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
#include <map>

#include "device/printed_message.hpp"
#include "remote/channel.hpp"
#include "remote/fields.hpp"
#include "remote/judge/server.hpp"
#include "remote/remote_device.hpp"

namespace {

using namespace simt;
using namespace simt::remote;

/// Keeps memory, and records the other calls.
class FakeDevice final : public Device {
public:
    int load_module(const std::vector<std::string>& texts) override {
        if (texts.empty() || texts[0] == "broken")
            throw DeviceError(218, {MessageCode::unreadable_ptx, {{"ptx_line", 1}, {"problem", "no such instruction"}}});
        loaded = texts;
        return 7;
    }
    void unload_module(int module) override { unloaded = module; }
    int find_function(int, const std::string& name) override { return name == "kernel" ? 3 : -1; }
    FunctionInfo function(int) override {
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

    DeviceAddress allocate(std::size_t bytes) override {
        if (bytes > 1 << 24) return 0;
        const DeviceAddress address = next;
        next += (bytes + 4096) & ~std::size_t{255};
        memory[address].resize(bytes);
        return address;
    }
    bool release(DeviceAddress address) override { return memory.erase(address) == 1; }
    void map_host(void*, std::size_t) override {}
    bool unmap_host(void*) override { return false; }
    Range range_of(DeviceAddress address) override {
        for (const auto& [begin, data] : memory)
            if (address >= begin && address < begin + data.size()) return {begin, data.size(), false};
        return {};
    }
    void memory_info(std::size_t& free, std::size_t& total) override { free = 5, total = 6; }
    void copy_in(DeviceAddress to, const void* from, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(at(to, bytes), from, bytes);
    }
    void copy_out(void* to, DeviceAddress from, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(to, at(from, bytes), bytes);
    }
    void copy_rows(const RowCopy& copy) override {
        for (std::size_t row = 0; row < copy.rows; ++row)
            std::memmove(at(copy.to + row * copy.to_pitch, copy.width), at(copy.from + row * copy.from_pitch, copy.width), copy.width);
    }
    void fill(DeviceAddress to, std::uint32_t value, int width, std::size_t count) override {
        std::memset(at(to, count * static_cast<std::size_t>(width)), static_cast<int>(value), count * static_cast<std::size_t>(width));
    }

    int create_array(const ArrayShape& shape) override {
        texels.assign(shape.width * shape.height * static_cast<std::size_t>(shape.format.bytes()), 0);
        pitch_of_array = shape.width * static_cast<std::size_t>(shape.format.bytes());
        return 11;
    }
    bool destroy_array(int) override { return true; }
    void copy_to_array(int, const ArrayBox& box, const void* from, std::size_t pitch, std::size_t) override {
        for (std::size_t y = 0; y < box.height; ++y)
            std::memcpy(&texels[(box.y + y) * pitch_of_array + box.x_bytes], static_cast<const char*>(from) + y * pitch, box.width_bytes);
    }
    void copy_from_array(int, const ArrayBox& box, void* to, std::size_t pitch, std::size_t) override {
        for (std::size_t y = 0; y < box.height; ++y)
            std::memcpy(static_cast<char*>(to) + y * pitch, &texels[(box.y + y) * pitch_of_array + box.x_bytes], box.width_bytes);
    }
    std::uint64_t create_texture(const TextureRequest& request) override {
        texture = request;
        return 99;
    }
    bool destroy_texture(std::uint64_t handle) override { return handle == 99; }
    int launch(const LaunchRequest& request) override {
        launched = request;
        return request.grid.x == 0 ? 9 : 0;
    }
    int occupancy(int, int block_threads, std::size_t) override { return 2048 / block_threads; }
    const Machine& machine() const override { return machines().front(); }
    void set_heap_bytes(std::size_t bytes) override { heap = bytes; }
    void set_printer(std::function<void(std::string_view)>) override {}
    void note_error(const Message&) override {}
    void reset() override { was_reset = true; }

    std::uint8_t* at(DeviceAddress address, std::size_t bytes) {
        const Range range = range_of(address);
        if (range.bytes == 0 || bytes > range.bytes - (address - range.begin))
            throw DeviceError(1, {MessageCode::not_one_allocation, {{"call", "copy"}, {"bytes", bytes}}});
        return memory[range.begin].data() + (address - range.begin);
    }

    std::vector<std::string> loaded;
    int unloaded = -1;
    DeviceAddress next = DeviceAddress{1} << 40;
    std::map<DeviceAddress, std::vector<std::uint8_t>> memory;
    std::vector<char> texels;
    std::size_t pitch_of_array = 0, heap = 0;
    TextureRequest texture;
    LaunchRequest launched;
    bool was_reset = false;
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
