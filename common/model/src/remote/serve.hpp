// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The side of the connection that owns the device.
#pragma once

#include <string>

#include "remote/call_log.hpp"
#include "remote/trial_case.hpp"
#include "runtime/device.hpp"

namespace simt::remote {

/// How a program came to the end of its connection.
struct Served {
    enum class How {
        /// It said that it has finished.
        finished,
        /// It said that it has finished, and what failed.
        failed,
        /// It is gone and has said nothing.
        ended,
        /// It sent what no program sends that uses the runtime library, or did what it may not do.
        broken,
    } how = How::ended;
    /// One line; empty for `finished` and `ended`.
    std::string message;
};

/// Answers a program's requests until it has finished or is gone. The program is not trusted: no message of its does
/// anything to this process but what the device does for any program.
///
/// Buffers of the case can be written and read as on any device, but not released. Managed, mapped and registered host
/// memory is refused, as is the reset of the device.
/// @param descriptor of a connected stream socket, which is closed in the end
/// @param trial may be null: then the program is served as any other
Served serve(Device& device, int descriptor, TrialCase* trial, CallLog& log);

}  // namespace simt::remote
