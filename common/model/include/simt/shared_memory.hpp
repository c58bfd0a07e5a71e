// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The input of the rule of shared memory from a machine, and its result. The rule is in src/rules/shared_service.hpp. The explorer on
/// the book's pages is compiled from both, so this header includes no other header of the model.
#pragma once

#include <cstdint>
#include <optional>

namespace simt {

/// Which lanes of a shared-memory request share a step when they want the same word.
enum class SharedWords : std::uint8_t {
    /// Any number of words of different banks, each for any set of lanes.
    multicast,
    /// One word for any set of lanes; of every other bank, one lane's word.
    one_broadcast,
};

/// How a shared-memory access of more than one bank's width is served.
enum class WideShared : std::uint8_t {
    /// In phases of so many lanes that their words could fill the banks once: half-warps for 8 bytes, quarter-warps for
    /// 16 on a machine of 32 banks.
    phases,
    /// As `phases`; a load merges two neighboring phases where paired lanes read the same address.
    merging_phases,
    /// As one request for each word of a lane.
    split_into_words,
};

/// How the shared memory of a machine serves accesses.
struct SharedMemory {
    /// Banks, 1 to `most_banks`. Word w lies in bank w modulo `banks`.
    int banks;
    /// Bytes of one bank's word, 1 to `most_bank_width`.
    int bank_width;
    /// Lanes of one request: the warp, the half-warp, or fewer.
    int request_lanes;
    SharedWords words;
    WideShared wide;
    /// Wavefronts that each phase of a 16-byte access takes in addition to the rule of the banks.
    int extra_wavefronts_of_16_bytes;

    bool operator==(const SharedMemory&) const = default;
};

inline constexpr int most_banks = 64;
inline constexpr int most_bank_width = 16;
/// Bytes of a lane's widest access.
inline constexpr int most_access_bytes = 16;

/// The cost of a shared-memory access.
struct SharedCost {
    /// Passes through the shared-memory pipe.
    int wavefronts;
    /// The passes if the words of the access are spread evenly over the banks.
    int ideal_wavefronts;

    bool operator==(const SharedCost&) const = default;
};

/// The reason why a machine is impossible.
struct Impossible {
    /// The name of the impossible number, with the numbers that it depends on.
    const char* what;
    int given;
    const char* accepted;
};

/// Returns the value that makes a memory impossible, if there is one. The rule holds for every other memory.
std::optional<Impossible> why_impossible(const SharedMemory& memory);

}  // namespace simt
