// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Hazards of single accesses: where an address that a kernel may not access lies, in words.
#pragma once

#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

/// These report the access in `warp.access` of `lane`. An access that no GPU would survive ends the launch.
void report_bad_global(Warp& warp, std::size_t lane, std::uint64_t address);
void report_bad_shared(Warp& warp, std::size_t lane, std::uint64_t offset);
void report_bad_local(Warp& warp, std::size_t lane);
/// @param fatal a GPU would end the launch
void report_misaligned(Warp& warp, std::size_t lane, bool fatal);

}  // namespace simt::interpreter
