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
inline constexpr std::uint32_t protocol_magic = 0x544d4953, protocol_version = 4;

/// Bytes of the largest packet, and of the largest piece of data that is sent in one.
inline constexpr std::size_t most_packet_bytes = std::size_t{64} << 20, piece_bytes = std::size_t{4} << 20;

/// The environment variable that holds the number of the socket's descriptor.
inline constexpr const char* socket_variable = "SIMT_REMOTE";

// clang-format off
/// The kinds of requests. Their numbers are part of the protocol.
#define SIMT_REMOTE_CALLS(CALL) \
    CALL(hello) CALL(load_module) CALL(unload_module) CALL(find_function) CALL(function) CALL(find_variable) CALL(function_names) \
    CALL(allocate) CALL(release) CALL(host_memory) CALL(range_of) CALL(memory_info) CALL(copy_in) CALL(copy_out) CALL(copy_rows) \
    CALL(fill) CALL(create_array) CALL(destroy_array) CALL(copy_to_array) CALL(copy_from_array) CALL(create_texture) \
    CALL(destroy_texture) CALL(launch) CALL(occupancy) CALL(set_limit) CALL(reset) CALL(host_fault) CALL(note) \
    CALL(trial_integer) CALL(trial_buffer) CALL(trial_finish)
// clang-format on

enum class Call : std::uint32_t {
#define SIMT_CALL(name) name,
    SIMT_REMOTE_CALLS(SIMT_CALL)
#undef SIMT_CALL
        count_of_calls,
};

/// The head of a packet: its Call or Status, and the number of bytes that follow.
struct PacketHead { std::uint32_t kind = 0, bytes = 0; };

/// The kinds of answers.
enum class Status : std::uint32_t {
    done,
    /// A DeviceError: its number and its message.
    failed,
};

/// A packet breaks the protocol.
class ProtocolError : public MessageError {
public:
    using MessageError::MessageError;
};

}  // namespace simt::remote
