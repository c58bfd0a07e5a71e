// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// From aligned trace entries to the events that listeners hear.
#pragma once

#include <vector>

#include "simt/runtime_errors.hpp"
#include "warp_alignment.hpp"

namespace simt::detail {

/// Hands the accesses of a warp to the listeners, told apart by the memory they go to. Accesses to memory that a kernel
/// may not touch are reported as hazards and not handed on; so are misaligned ones.
void deliver(const std::vector<Listener*>& listeners, int warp, const AlignedAccess& aligned);

/// Reports a memory fault of a thread.
/// @param last the entry that the thread made last, or null
/// @return what a GPU would end the launch with
cudaError_t report_bad_address(int slot, std::uint64_t address, const TraceEntry* last);

}  // namespace simt::detail
