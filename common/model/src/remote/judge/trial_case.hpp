// A case of an assignment in the judge: parameters, and inputs and outputs in device memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "remote/judge/data_use.hpp"

namespace simt::remote {

/// The data of one case. conflict_free/trial.hpp describes the folder of a case.
class TrialCase {
public:
    struct Placed {
        DeviceAddress address = 0;
        std::size_t bytes = 0;
    };

    /// Reads a folder. std::runtime_error with one line if it is not a case.
    TrialCase(const std::filesystem::path& folder, Device& device);
    /// Frees the case's memory. Its addresses are never allocated again.
    ~TrialCase();
    TrialCase(const TrialCase&) = delete;
    TrialCase& operator=(const TrialCase&) = delete;

    /// Empty if there is none of this name.
    std::optional<int> integer(const std::string& name) const;

    /// The place of the data of this name, which the first call copies there. Empty if the case has no such data. DeviceError if the
    /// device has no room.
    std::optional<Placed> place(const std::string& name);

    /// The name of the buffer that begins at an address; empty if none does.
    std::string_view name_at(DeviceAddress address) const;

    /// The use of the data so far, by all launches of this process.
    DataUse& data_use() { return data_use_; }

    /// The names of inputs whose bytes have changed.
    std::vector<std::string> overwritten_inputs() const;

    /// Writes each output that was asked for as `NAME.bin` into a folder, with its bytes in device memory.
    void write_outputs(const std::filesystem::path& folder) const;

private:
    struct Buffer {
        bool is_output = false;
        std::vector<std::uint8_t> initial;
        std::optional<Placed> placed;
    };

    std::vector<std::uint8_t> content(const Buffer& buffer) const;

    Device& device_;
    std::map<std::string, int> integers_;
    std::map<std::string, Buffer> buffers_;
    DataUse data_use_;
};

}  // namespace simt::remote
