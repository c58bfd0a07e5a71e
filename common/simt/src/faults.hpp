// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Memory faults and other signals that a kernel's thread causes.
#pragma once

namespace simt::detail {

/// From now on a thread of a kernel that causes a signal is stopped and reported instead of ending the program.
/// Signals from host code take their usual way. Does nothing when called again.
void catch_faults();

}  // namespace simt::detail
