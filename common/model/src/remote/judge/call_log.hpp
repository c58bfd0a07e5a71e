// Which calls of the runtime moved, set or took device memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simt/message.hpp"

namespace simt::remote {

/// The memories between which bytes move.
enum class Direction : std::uint8_t { to_device, to_host, within_device };

/// Logs the calls of a program that move, set or take device memory, and counts its launches.
class CallLog {
public:
    /// @param continues true for a further piece of the preceding copy
    void copied(Direction direction, std::size_t bytes, bool continues = false);
    void filled(std::size_t bytes);
    void allocated(std::uint64_t address, std::size_t bytes);
    void released(std::uint64_t address);
    /// @param parameter_bytes of the kernel's arguments
    void launched(std::size_t parameter_bytes);
    /// Logs an error that the program's runtime library has found.
    void noted(Message message);
    const std::vector<Message>& notes() const { return notes_; }
    /// Logs the name of a feature that graded programs do not have.
    void refused(const std::string& what);

    /// @param data of DataUse::to_json()
    nlohmann::ordered_json to_json(const std::vector<std::string>& overwritten_inputs, nlohmann::ordered_json data) const;

private:
    struct Sum { std::uint64_t calls = 0, bytes = 0; };
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
