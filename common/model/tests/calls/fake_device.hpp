// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A device that runs nothing: it keeps memory and records its calls. Its modules are texts, in which it finds kernels and variables
// by the directives of PTX.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace simt::test {

class FakeDevice : public Device {
public:
    explicit FakeDevice(int ordinal);

    int load_module(const std::vector<std::string>& texts) override;
    void unload_module(int module) override { modules_.erase(module); }
    int find_function(int module, const std::string& name) override;
    FunctionInfo function(int function) override { return functions_.at(static_cast<std::size_t>(function)); }
    bool find_variable(int module, const std::string& name, VariableInfo& info) override;
    std::vector<std::string> function_names(int module) override;

    DeviceAddress allocate(std::size_t bytes) override;
    bool release(DeviceAddress address) override;
    void map_host(void* memory, std::size_t bytes) override;
    bool unmap_host(void* memory) override;
    Range range_of(DeviceAddress address) override;
    void memory_info(std::size_t& free, std::size_t& total) override;
    void copy_in(DeviceAddress to, const void* from, std::size_t bytes) override;
    void copy_out(void* to, DeviceAddress from, std::size_t bytes) override;
    void copy_rows(const RowCopy& copy) override;
    void fill(DeviceAddress to, std::uint32_t value, int width, std::size_t count) override;

    int create_array(const ArrayShape& shape) override;
    bool destroy_array(int array) override { return arrays_.erase(array) == 1; }
    void copy_to_array(int array, const ArrayBox& box, const void* from, std::size_t pitch, std::size_t slice_pitch) override;
    void copy_from_array(int array, const ArrayBox& box, void* to, std::size_t pitch, std::size_t slice_pitch) override;
    std::uint64_t create_texture(const TextureRequest& request) override;
    bool destroy_texture(std::uint64_t handle) override { return textures.erase(handle) == 1; }

    int launch(const LaunchRequest& request) override;
    int occupancy(int function, int block_threads, std::size_t dynamic_shared_bytes) override;
    const Machine& machine() const override { return machines().front(); }
    void set_heap_bytes(std::size_t bytes) override { heap_bytes = bytes; }
    void set_printer(std::function<void(std::string_view)>) override {}
    void note_error(const Message& message) override { errors.push_back(message); }
    void reset() override;

    /// @name Recorded calls
    /// @{
    std::vector<LaunchRequest> launches;
    std::vector<Message> errors;
    std::map<std::uint64_t, TextureRequest> textures;
    std::size_t heap_bytes = 0;
    std::size_t modules_loaded = 0;
    /// The result of the next launches.
    int launch_result = 0;
    /// @}

private:
    struct FakeModule {
        std::map<std::string, int> functions;
        std::map<std::string, VariableInfo> variables;
    };
    struct FakeArray {
        ArrayShape shape;
        std::map<int, std::vector<char>> levels;
    };

    char* bytes_at(DeviceAddress address, std::size_t bytes);
    void find_directives(FakeModule& module, const std::string& text);
    char* row(int array, const ArrayBox& box, std::size_t y, std::size_t z);

    DeviceAddress base_, next_;
    /// The memory of all devices: each reaches the others'.
    static inline std::map<DeviceAddress, std::vector<char>> memory_;
    std::map<DeviceAddress, std::size_t> host_;
    std::map<int, FakeModule> modules_;
    std::vector<FunctionInfo> functions_;
    std::map<int, FakeArray> arrays_;
    int last_module_ = 0, last_array_ = 0;
    std::uint64_t last_texture_ = 0;
};

FakeDevice& fake_device(int ordinal = 0);

}  // namespace simt::test
