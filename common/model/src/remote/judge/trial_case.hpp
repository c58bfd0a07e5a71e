// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// A case of an assignment, as the judge holds it: parameters, and inputs and outputs in device memory.
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

/// The data of one case. What a case's folder holds is told in conflict_free/trial.hpp.
class TrialCase {
public:
    struct Placed {
        DeviceAddress address = 0;
        std::size_t bytes = 0;
    };

    /// Reads a folder. std::runtime_error with one line if it is not a case.
    TrialCase(const std::filesystem::path& folder, Device& device);
    /// Gives its memory back: the addresses are never given out again.
    ~TrialCase();
    TrialCase(const TrialCase&) = delete;
    TrialCase& operator=(const TrialCase&) = delete;

    /// Empty if there is none of this name.
    std::optional<int> integer(const std::string& name) const;

    /// Where the data of this name lies. It is put there when it is first asked for. Empty if the case has none of this name.
    /// A DeviceError if the device has no room.
    std::optional<Placed> place(const std::string& name);

    /// The name of the buffer that begins at an address; empty if none does.
    std::string_view name_at(DeviceAddress address) const;

    /// What has been done with the data so far. It hears all launches of this process.
    DataUse& data_use() { return data_use_; }

    /// Inputs that are no longer what they were.
    std::vector<std::string> overwritten_inputs() const;

    /// Writes the outputs that were asked for, as they lie in device memory, as `NAME.bin` into a folder.
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
