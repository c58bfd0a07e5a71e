// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Lines of the program's host code.
#pragma once

#include "simt/hazard.hpp"

namespace simt::report {

/// The line of a call that returns to `address`; none where the program has no debugging information, or there is no addr2line.
SourcePlace place_of_call(void* address);

}  // namespace simt::report
