// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Barriers that are objects in shared memory (`mbarrier`): 64 bits, all of whose state is in them.
#pragma once

#include <cstdint>
#include <cstring>

#include "interpreter/asynchronous/asynchronous.hpp"

namespace simt::interpreter {

struct Mbarrier {
    static constexpr std::uint64_t bytes = 8, most_arrivals = (1u << 20) - 1;

    /// Arrivals that the current phase waits for, and those that each phase waits for.
    std::uint32_t pending = 0, expected = 0;
    /// Bytes that the current phase waits for.
    std::int32_t transactions = 0;
    /// Number of the current phase, modulo 2.
    bool phase = false;
    bool valid = false;

    Mbarrier() = default;
    explicit Mbarrier(std::uint64_t state);
    std::uint64_t state() const;
    static Mbarrier load(const unsigned char* at)
    {
        std::uint64_t state;
        std::memcpy(&state, at, sizeof state);
        return Mbarrier(state);
    }
    void store(unsigned char* at) const
    {
        const std::uint64_t bits = state();
        std::memcpy(at, &bits, sizeof bits);
    }
    /// Begins the next phase if nothing is missing.
    void settle();
};

/// `bytes` bytes have arrived for the barrier. Reports a hazard if there is none.
void complete_transactions(const SharedPlace& barrier, std::uint64_t bytes);
/// Checks that an address names a barrier that is initialized, and reports a hazard otherwise.
SharedPlace find_barrier(Warp& warp, std::size_t lane, std::uint64_t address, ptx::Space space);

/// The names that the watcher knows barriers by, apart from the block's own 16; and one for all that blocks of a cluster tell
/// one another.
inline std::uint64_t watched_barrier(std::uint64_t offset) { return (std::uint64_t{1} << 32) + offset; }
inline constexpr std::uint64_t watched_cluster = std::uint64_t{1} << 40;

/// The warp has waited for the barrier, and the barrier's phase is complete.
void pass_barrier(Warp& warp, std::uint64_t offset);

}  // namespace simt::interpreter
