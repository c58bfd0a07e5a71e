// How a program talks to a device in another process, over a connected stream socket on one machine.
//
// The program sends requests, and the device's process answers each before it reads the next. A packet is a PacketHead, then as many
// bytes as the head says: numbers as they lie in memory, texts and lists behind their length. The first request is Call::hello.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "simt/message.hpp"

namespace simt::remote {

/// The first number of a hello, and the version of the protocol.
inline constexpr std::uint32_t protocol_magic = 0x544d4953, protocol_version = 3;

/// Bytes of the largest packet, and of the largest piece of data that is sent in one.
inline constexpr std::size_t most_packet_bytes = std::size_t{64} << 20, piece_bytes = std::size_t{4} << 20;

/// The environment variable that holds the number of the socket's descriptor.
inline constexpr const char* socket_variable = "SIMT_REMOTE";

// clang-format off
/// The kinds of requests. Their numbers are part of the protocol.
enum class Call : std::uint32_t {
    hello, load_module, unload_module, find_function, function, find_variable, function_names,
    allocate, release, host_memory, range_of, memory_info, copy_in, copy_out, copy_rows, fill,
    create_array, destroy_array, copy_to_array, copy_from_array, create_texture, destroy_texture,
    launch, occupancy, set_heap_bytes, reset, host_fault, note,
    trial_integer, trial_buffer, trial_finish, count_of_calls,
};
// clang-format on

/// The head of a packet: its Call or Status, and the number of bytes that follow.
struct PacketHead {
    std::uint32_t kind = 0, bytes = 0;
};

/// The kinds of answers.
enum class Status : std::uint32_t {
    done,
    /// A DeviceError: its number and its message.
    failed,
};

/// A packet is not what the protocol allows.
class ProtocolError : public std::runtime_error {
public:
    explicit ProtocolError(Message message) : std::runtime_error(message.text()), message_(std::move(message)) {}
    const Message& message() const { return message_; }

private:
    Message message_;
};

}  // namespace simt::remote
