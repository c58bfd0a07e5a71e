// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "frames.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace across_gpus {
namespace {

// Far more than any rank sends: what is longer comes from a stranger.
constexpr std::uint32_t MOST_BYTES = 64u << 20;

bool send_all(int socket, const char* bytes, std::size_t count)
{
    while (count > 0) {
        ssize_t sent = ::send(socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        count -= sent;
    }
    return true;
}

bool receive_all(int socket, char* bytes, std::size_t count)
{
    while (count > 0) {
        ssize_t received = ::recv(socket, bytes, count, 0);
        if (received < 0 && errno == EINTR)
            continue;
        if (received <= 0)
            return false;
        bytes += received;
        count -= received;
    }
    return true;
}

std::string this_host()
{
    char name[256] = "";
    ::gethostname(name, sizeof(name) - 1);
    return name;
}

// Written beside and renamed, so that nobody reads half of it.
void write_address(const std::string& file, const std::string& host, int port)
{
    std::string draft = file + "." + std::to_string(::getpid());
    std::ofstream(draft) << host << " " << port << "\n";
    if (std::rename(draft.c_str(), file.c_str()) != 0)
        throw std::runtime_error("cannot write the meeting place " + file + ": " + std::strerror(errno));
}

void send_at_once(int socket)
{
    int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

bool send_frame(int socket, std::uint32_t kind, const std::string& payload)
{
    std::uint32_t header[] = {kind, static_cast<std::uint32_t>(payload.size())};
    std::string bytes(reinterpret_cast<const char*>(header), sizeof(header));
    bytes += payload;
    return send_all(socket, bytes.data(), bytes.size());
}

std::optional<Frame> receive_frame(int socket)
{
    std::uint32_t header[2];
    if (!receive_all(socket, reinterpret_cast<char*>(header), sizeof(header)))
        return std::nullopt;
    if (header[0] < GREETING || header[0] > DONE || header[1] > MOST_BYTES)
        return std::nullopt;
    Frame frame{header[0], std::string(header[1], '\0')};
    if (!receive_all(socket, frame.payload.data(), frame.payload.size()))
        return std::nullopt;
    return frame;
}

std::string packed(const std::vector<std::string>& texts)
{
    std::string payload;
    for (const std::string& text : texts) {
        std::uint32_t length = text.size();
        payload.append(reinterpret_cast<const char*>(&length), sizeof(length));
        payload += text;
    }
    return payload;
}

std::vector<std::string> unpacked(const std::string& payload)
{
    std::vector<std::string> texts;
    for (std::size_t at = 0; at + sizeof(std::uint32_t) <= payload.size();) {
        std::uint32_t length = 0;
        std::memcpy(&length, payload.data() + at, sizeof(length));
        texts.push_back(payload.substr(at + sizeof(length), length));
        at += sizeof(length) + length;
    }
    return texts;
}

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int listen_at(const MeetingPlace& place, bool one_host)
{
    int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    // Strangers on the network have nothing to say to ranks of one host.
    address.sin_addr.s_addr = htonl(one_host ? INADDR_LOOPBACK : INADDR_ANY);
    address.sin_port = htons(static_cast<std::uint16_t>(place.port));
    if (::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(socket, SOMAXCONN) != 0) {
        std::string reason = std::strerror(errno);
        ::close(socket);
        throw std::runtime_error("cannot listen at port " + std::to_string(place.port) + ": " + reason);
    }
    socklen_t length = sizeof(address);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
    if (!place.file.empty())
        write_address(place.file, one_host ? "127.0.0.1" : this_host(), ntohs(address.sin_port));
    return socket;
}

int connect_to(const MeetingPlace& place)
{
    std::string host = place.host;
    int port = place.port;
    if (!place.file.empty() && !(std::ifstream(place.file) >> host >> port))
        return -1;

    addrinfo hints{}, *found = nullptr;
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
        return -1;
    int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // A host that is down is not to hold up who waits for it.
    timeval limit{2, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    bool connected = ::connect(socket, found->ai_addr, found->ai_addrlen) == 0;
    ::freeaddrinfo(found);
    if (connected) {
        send_at_once(socket);
        return socket;
    }
    ::close(socket);
    return -1;
}

}  // namespace across_gpus
