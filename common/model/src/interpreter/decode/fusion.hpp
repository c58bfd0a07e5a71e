// The accesses of the machine code where they differ from those of the text: which accesses the GPU's assembler joins, and where the
// counts are inexact.
// The comparison of the text with machine code is made before the program runs (common/python/conflict_free/counting/exactness.py).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simt/counts.hpp"

namespace simt::interpreter {

/// An access of the machine code that differs from the text's access.
struct CountedAccess {
    /// Bytes that each lane accesses; 0 if another access covers this one.
    int bytes = 0;
    /// The offset of these bytes from the address of the access.
    std::int64_t offset = 0;
    /// Whether one of the lanes makes the access for all.
    bool one_lane = false;
};

/// The comparison of one function with its machine code.
struct FunctionFusion {
    bool exact = true;
    /// By line of the text.
    std::map<int, CountedAccess> counted;
    std::vector<FusedAccess> notes;
    /// The lines of the text with accesses that the machine code may not make.
    std::set<int> uncertain;
    /// The branches of the text, by line, at which the machine code differs if lanes of a warp diverge there.
    std::map<int, FusedAccess> branches;
    /// The registers and spilled bytes of a kernel; no registers where the compiler reported none.
    Resources resources;
};

/// Identifies a text, also in the names of files.
std::uint64_t fingerprint(std::string_view text);

/// Why the text with a fingerprint was not compared with machine code; empty if it was, or if no reason was given.
std::string why_unknown(std::uint64_t text);

/// Compares a text that the program has loaded while it ran, with the command that SIMT_COMPARER names: the command gets a file with the
/// text and the name of the file to write. Does nothing for a text that is known, or without such a command.
void compare_loaded(std::uint64_t text, std::string_view content);

/// The comparison of a function of the text with a fingerprint; null if there is none. It is read once, from the file that
/// SIMT_EXACTNESS names or else from the file beside the program with `.exactness` after its name.
/// @throws DeviceError if SIMT_EXACTNESS names a file that cannot be understood
const FunctionFusion* find_fusion(std::uint64_t text, const std::string& function);

/// What the assembler reported of a function in texts that were not compared, by the same file; null if nothing.
const Resources* find_resources(const std::string& function);

/// The machine whose registers the same file has.
const std::string& machine_of_resources();

}  // namespace simt::interpreter
