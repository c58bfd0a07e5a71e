#include "remote/channel.hpp"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace simt::remote {

namespace {

/// A part of a packet. sendmsg() only reads it.
iovec part(const void* begin, std::size_t bytes) { return {const_cast<void*>(begin), bytes}; }

bool receive_bytes(int descriptor, void* to, std::size_t bytes) {
    std::byte* at = static_cast<std::byte*>(to);
    while (bytes > 0) {
        const ssize_t got = recv(descriptor, at, bytes, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace

Channel::~Channel() { close(descriptor_); }

bool Channel::send(std::uint32_t kind, std::span<const std::uint8_t> packet, std::span<const std::uint8_t> data) {
    const PacketHead head{kind, static_cast<std::uint32_t>(packet.size() + data.size())};
    std::array<iovec, 3> parts{part(&head, sizeof head), part(packet.data(), packet.size()), part(data.data(), data.size())};
    std::span<iovec> left(parts);
    while (!left.empty()) {
        msghdr header{};
        header.msg_iov = left.data();
        header.msg_iovlen = left.size();
        const ssize_t result = sendmsg(descriptor_, &header, MSG_NOSIGNAL);
        if (result < 0 && errno == EINTR) continue;
        if (result < 0) return false;
        std::size_t sent = static_cast<std::size_t>(result);
        while (!left.empty() && sent >= left.front().iov_len) {
            sent -= left.front().iov_len;
            left = left.subspan(1);
        }
        if (!left.empty()) {
            left.front().iov_base = static_cast<std::byte*>(left.front().iov_base) + sent;
            left.front().iov_len -= sent;
        }
    }
    return true;
}

bool Channel::receive(std::uint32_t& kind, std::vector<std::uint8_t>& packet) {
    PacketHead head;
    if (!receive_bytes(descriptor_, &head, sizeof head)) return false;
    if (head.bytes > most_packet_bytes)
        throw ProtocolError({MessageCode::packet_too_large, {{"bytes", head.bytes}, {"most", most_packet_bytes}}});
    kind = head.kind;
    packet.resize(head.bytes);
    return receive_bytes(descriptor_, packet.data(), packet.size());
}

}  // namespace simt::remote
