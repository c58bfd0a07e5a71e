// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Putting hazards into words.
#pragma once

#include <string>
#include <vector>

#include "recorder.hpp"
#include "simt/model.hpp"

namespace simt::detail {

/// "thread (x, y, z)" of the block that runs.
std::string thread_name(int slot);

/// "block (x, y, z)".
std::string block_name(const Extent& block);

/// The source line of a call, from the address behind it.
SourcePlace place_of(const void* site);

/// " at FILE:LINE" of a trace entry, or nothing where it is unknown.
std::string last_line(const TraceEntry* entry);

/// " at FILE:LINE" of an instruction, or nothing where it is unknown.
std::string line_of_code(std::uint64_t address);

/// True the first time that a launch asks for this kind at these two sites. Ask before putting a hazard into words: a
/// wrong kernel makes the same mistake in every thread.
bool is_first_report(HazardKind kind, std::uint32_t site, std::uint32_t other_site);

/// Forgets what is_first_report() was asked. Called when a launch begins.
void begin_reports();

/// Adds a hazard of the block that runs.
/// @param slots numbers of the threads in the block
/// @param sites the access sites or calls that are part of it
void report_hazard(HazardKind kind, const std::vector<int>& slots, const std::vector<std::uint32_t>& sites, std::string message,
                   std::string help);

/// The same with the addresses behind calls.
void report_threads_hazard(HazardKind kind, const std::vector<int>& slots, const std::vector<const void*>& sites, std::string message,
                           std::string help);
void report_thread_hazard(HazardKind kind, int slot, const std::vector<const void*>& sites, std::string message, std::string help);

}  // namespace simt::detail
