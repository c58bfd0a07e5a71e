// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What the parts of the model share between launches.
#pragma once

#include <vector>

#include "simt/model.hpp"

namespace simt::detail {

/// The model's state: the machine, those who listen, and what has been counted.
struct Session {
    const Machine* machine = &machines().front();
    std::vector<Listener*> listeners;
    std::vector<LaunchCounts> launches;
};

Session& session();

}  // namespace simt::detail
