// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The hazards of a kernel, and how they are reported.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simt/counts.hpp"
#include "simt/message.hpp"

namespace simt {

/// Kinds of hazard. Their names in reports are those of name_of(HazardKind).
enum class HazardKind {
#define SIMT_HAZARD(name) name,
#include "simt/counts.def"
};

/// A place in the source.
struct SourcePlace {
    /// File name without its folder.
    std::string file;
    int line = 0;
    /// The inlined calls that put the place into its kernel, innermost first.
    std::vector<InlinedCall> inlined_from;
    auto operator<=>(const SourcePlace&) const = default;
};

/// One hazard. The same kind on the same source lines of the same launch is reported once.
struct Hazard {
    HazardKind kind;
    std::string kernel;
    /// The block in which it was found.
    Extent block;
    /// The threads that are part of it, by threadIdx.
    std::vector<Extent> threads;
    /// The source lines of all accesses or calls that are part of it.
    std::vector<SourcePlace> lines;
    /// What happened, with addresses as offsets into the variable or allocation.
    Message message;
};

/// Returns a name such as "race" or "out_of_bounds".
const char* name_of(HazardKind kind);

/// The kind of this name, or nothing.
std::optional<HazardKind> find_hazard_kind(std::string_view name);

}  // namespace simt
