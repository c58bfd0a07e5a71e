// A device that lives in another process.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "remote/channel.hpp"
#include "remote/wire.hpp"

namespace simt::remote {

/// Sends each call to the process that owns the device, and waits for its answer. If that process has ended, this one ends with
/// one line.
class RemoteDevice final : public Device {
public:
    /// Connects. @param descriptor of a connected stream socket
    explicit RemoteDevice(int descriptor);
    ~RemoteDevice() override;

    int load_module(const std::vector<std::string>& texts) override;
    void unload_module(int module) override;
    int find_function(int module, const std::string& name) override;
    FunctionInfo function(int function) override;
    bool find_variable(int module, const std::string& name, VariableInfo& info) override;
    std::vector<std::string> function_names(int module) override;

    DeviceAddress allocate(std::size_t bytes) override;
    bool release(DeviceAddress address) override;
    /// Always a DeviceError: the other process does not see this one's memory.
    void map_host(void* memory, std::size_t bytes) override;
    bool unmap_host(void* memory) override;
    Range range_of(DeviceAddress address) override;
    void memory_info(std::size_t& free, std::size_t& total) override;
    void copy_in(DeviceAddress to, const void* from, std::size_t bytes) override;
    void copy_out(void* to, DeviceAddress from, std::size_t bytes) override;
    void copy_rows(const RowCopy& copy) override;
    void fill(DeviceAddress to, std::uint32_t value, int width, std::size_t count) override;

    int create_array(const ArrayShape& shape) override;
    bool destroy_array(int array) override;
    void copy_to_array(int array, const ArrayBox& box, const void* from, std::size_t pitch, std::size_t slice_pitch) override;
    void copy_from_array(int array, const ArrayBox& box, void* to, std::size_t pitch, std::size_t slice_pitch) override;
    std::uint64_t create_texture(const TextureRequest& request) override;
    bool destroy_texture(std::uint64_t handle) override;

    int launch(const LaunchRequest& request) override;
    int occupancy(int function, int block_threads, std::size_t dynamic_shared_bytes) override;
    const Machine& machine() const override { return *machine_; }
    void set_limit(DeviceLimit limit, std::size_t bytes) override;
    /// Does nothing: kernels print to the standard output of the process that owns the device.
    void set_printer(std::function<void(std::string_view)> printer) override;
    void reset() override;

    /// @name The case of an assignment; see simt/trial.h
    /// @{
    std::optional<int> trial_integer(const std::string& name);
    struct Placed {
        DeviceAddress address = 0;
        std::size_t bytes = 0;
    };
    std::optional<Placed> trial_buffer(const std::string& name);
    /// Ends the current case. False if it was the last: then every other call is a DeviceError.
    bool trial_finish(const std::string& failure);
    /// @}

    /// Adds an error to the report of the device's process.
    void note_error(const Message& message) override;

    /// Tells the device's process which address ended this one by a fault, unless another packet is being sent. May be called from
    /// the handler of a signal.
    void tell_fault(DeviceAddress address);

private:
    /// Sends a request and returns the answer. DeviceError if the device reports one.
    std::vector<std::uint8_t> call(Call call, const Writer& request, std::span<const std::uint8_t> data = {});

    void remember(DeviceAddress begin, std::size_t bytes);
    void forget(DeviceAddress begin);
    void forget_all();

    Channel channel_;
    std::mutex mutex_;
    /// The allocations of this process: copies find their range without a request.
    std::map<DeviceAddress, std::size_t> bytes_by_begin_;
    /// By number: each launch asks several times, and a request takes longer than all else of a small launch.
    std::map<int, FunctionInfo> functions_;
    std::mutex known_mutex_;
    std::atomic<bool> busy_ = false, finished_ = false;
    const Machine* machine_ = nullptr;
};

/// The device that SIMT_REMOTE names, connected on the first call; null without that variable. A variable that is not the
/// descriptor of a connected socket ends the program with one line.
RemoteDevice* remote_device();

}  // namespace simt::remote
