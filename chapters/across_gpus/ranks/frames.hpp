// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Messages on a TCP connection: a kind, a length, and bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher.hpp"

namespace across_gpus {

enum Kind : std::uint32_t { GREETING = 0x53494d54, GATHER, ANSWER, FAILURE, ALIVE, DONE };

struct Frame {
    std::uint32_t kind = 0;
    std::string payload;
};

/// False if the other side is gone.
bool send_frame(int socket, std::uint32_t kind, const std::string& payload);
/// Nothing if the other side is gone, or sends what is no frame.
std::optional<Frame> receive_frame(int socket);

/// Several texts in one payload.
std::string packed(const std::vector<std::string>& texts);
std::vector<std::string> unpacked(const std::string& payload);

/// Seconds since some time in the past.
double now();

/// A socket that listens at `place`. Where the place is a file, the file says where afterwards.
/// Throws std::runtime_error with one line.
int listen_at(const MeetingPlace& place, bool one_host);
/// A socket connected to `place`, or -1 if nobody listens there yet.
int connect_to(const MeetingPlace& place);

}  // namespace across_gpus
