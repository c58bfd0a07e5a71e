// Barriers that are objects in shared memory (`mbarrier`). Their whole state is in 64 bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "interpreter/asynchronous/asynchronous.hpp"

namespace simt::interpreter {

struct Mbarrier {
    static constexpr std::uint64_t bytes = 8, most_arrivals = (1u << 20) - 1;

    /// Arrivals that the current phase still waits for, and arrivals that each phase expects.
    std::uint32_t pending = 0, expected = 0;
    /// Bytes that the current phase waits for. The state holds 21 bits of them, and any number may be added before it is stored.
    std::int64_t transactions = 0;
    /// Number of the current phase, modulo 2.
    bool phase = false;
    bool valid = false;

    Mbarrier() = default;
    explicit Mbarrier(std::uint64_t state);
    std::uint64_t state() const;
    static Mbarrier load(std::span<const unsigned char> at) {
        std::uint64_t state;
        std::memcpy(&state, part(at, 0, sizeof state).data(), sizeof state);
        return Mbarrier(state);
    }
    void store(std::span<unsigned char> at) const {
        const std::uint64_t bits = state();
        std::memcpy(part(at, 0, sizeof bits).data(), &bits, sizeof bits);
    }
    /// Begins the next phase if no arrival and no byte is missing.
    void settle();
};

/// Counts `bytes` bytes that have arrived for the barrier. Reports a hazard if there is no barrier.
void complete_transactions(const SharedPlace& barrier, std::uint64_t bytes);
/// Checks that an address names a barrier that is initialized, and reports a hazard otherwise.
SharedPlace find_barrier(Warp& warp, std::size_t lane, std::uint64_t address, ptx::StateSpace space);

/// The watcher's names of barriers in shared memory, which differ from those of the block's 16 barriers, and one name for all
/// synchronization between blocks of a cluster.
inline std::uint64_t watched_barrier(std::uint64_t offset) { return (std::uint64_t{1} << 32) + offset; }
inline constexpr std::uint64_t watched_cluster = std::uint64_t{1} << 40;

/// Notes that a warp has waited for a barrier until its phase was complete.
void pass_barrier(Warp& warp, std::uint64_t offset);

}  // namespace simt::interpreter
