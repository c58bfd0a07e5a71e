// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What the GPU's assembler makes of the accesses of a text: which of them it joins, and what cannot be counted as it does.
/// The comparison of the text with machine code is made before the program runs (common/python/conflict_free/counting/exactness.py).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simt/counts.hpp"

namespace simt::interpreter {

/// How an access is counted that is not counted as it is written.
struct CountedAccess {
    /// Bytes that each lane is counted with; 0 if another access is counted in its place.
    int bytes = 0;
    /// Where they begin, from the address of the access on.
    std::int64_t offset = 0;
    /// One of the lanes does it for all.
    bool one_lane = false;
};

/// What is known of one function.
struct FunctionFusion {
    bool exact = true;
    /// By line of the text.
    std::map<int, CountedAccess> counted;
    std::vector<FusedAccess> notes;
    /// Branches of the text, by line, that the machine code has otherwise where lanes of a warp diverge there.
    std::map<int, FusedAccess> branches;
};

/// Tells texts apart, in the names of files too.
std::uint64_t fingerprint(std::string_view text);

/// Why nothing is known of the machine code of the text with a fingerprint; empty if it was compared, or if nobody has said so.
std::string why_unknown(std::uint64_t text);

/// What is known of a function of the text with a fingerprint; null if nothing is. It is read once from the file that
/// SIMT_EXACTNESS names, else from the one beside the program with `.exactness` behind its name.
/// @throws DeviceError if SIMT_EXACTNESS names a file that cannot be understood
const FunctionFusion* find_fusion(std::uint64_t text, const std::string& function);

}  // namespace simt::interpreter
