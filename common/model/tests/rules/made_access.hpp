// Warp-level accesses made by hand, for tests of the rules.
#pragma once

#include "simt/rules.hpp"

namespace simt {

inline constexpr std::uint32_t all_lanes = ~0u;

/// An access in which `address(lane)` is the address of each lane.
template <class Address>
WarpAccess made_access(Space space, Operation operation, int size, Address&& address, std::uint32_t active = all_lanes) {
    WarpAccess access{};
    access.space = space;
    access.operation = operation;
    access.size = size;
    access.active = active;
    for (unsigned lane = 0; lane < warp_size; ++lane) access.address[lane] = address(lane);
    return access;
}

/// A machine that shares words, with numbers of banks, bytes and lanes that no machine has had.
template <class Random> SharedMemory some_memory(Random& random) {
    const auto number = [&](int least, int most) { return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1)); };
    return {.banks = random() % 4 ? number(1, most_banks) : 1 << number(0, 6),
            .bank_width = random() % 4 ? 1 << number(0, 4) : number(1, most_bank_width),
            .request_lanes = random() % 2 ? number(1, warp_size) : 1 << number(0, 5),
            .words = SharedWords::multicast,
            .wide = WideShared::phases,
            .extra_wavefronts_of_16_bytes = number(0, 1)};
}

}  // namespace simt
