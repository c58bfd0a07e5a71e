// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Which calls of the runtime moved, set or took device memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simt/message.hpp"

namespace simt::remote {

/// Between which memories bytes were moved.
enum class Direction : std::uint8_t { to_device, to_host, within_device };

/// Writes down what a program asks of a device, besides kernels.
class CallLog {
public:
    /// @param continues the piece belongs to the copy before it
    void copied(Direction direction, std::size_t bytes, bool continues = false);
    void filled(std::size_t bytes);
    void allocated(std::uint64_t address, std::size_t bytes);
    void released(std::uint64_t address);
    /// @param parameter_bytes of the kernel's arguments
    void launched(std::size_t parameter_bytes);
    /// An error that the program's runtime library has found.
    void noted(Message message);
    const std::vector<Message>& notes() const { return notes_; }
    /// Something that is not there for this program, by its name.
    void refused(const std::string& what);

    /// A JSON object.
    /// @param data what kernels have done with the data of the case, a JSON object
    std::string to_json(const std::vector<std::string>& overwritten_inputs, const std::string& data) const;

private:
    struct Sum {
        std::uint64_t calls = 0, bytes = 0;
    };
    struct Entry {
        const char* call;
        std::uint64_t bytes, launches;
    };

    void remember(const char* call, std::size_t bytes, bool continues);

    std::array<Sum, 3> copies_{};
    Sum fills_, allocations_;
    std::uint64_t held_bytes_ = 0, most_held_bytes_ = 0, launches_ = 0, most_parameter_bytes_ = 0;
    std::map<std::uint64_t, std::size_t> held_;
    std::vector<std::string> refused_;
    std::vector<Message> notes_;
    std::vector<Entry> first_;
};

}  // namespace simt::remote
