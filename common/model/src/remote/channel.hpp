// Whole packets over a socket.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "remote/protocol.hpp"

namespace simt::remote {

/// One end of a connection. It owns the descriptor.
class Channel {
public:
    /// @param descriptor of a connected stream socket
    explicit Channel(int descriptor) : descriptor_(descriptor) {}
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// Sends a packet of two parts. False if the other end is closed, or if `data` cannot be read.
    bool send(std::uint32_t kind, std::span<const std::uint8_t> packet, std::span<const std::uint8_t> data = {});

    /// Receives a packet into `packet`. False if the other end closes before the packet is whole; ProtocolError if it is too long.
    bool receive(std::uint32_t& kind, std::vector<std::uint8_t>& packet);

    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

}  // namespace simt::remote
