// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What an instruction is decoded to that lanes of a warp do together, and what they bring to it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

enum class ExchangeKind : std::uint8_t { barrier, shuffle, vote, match, reduce, elect };
enum class ExchangeHow : std::uint8_t {
    up,
    down,
    butterfly,
    index,  // shfl
    all,
    any,
    uniform,
    ballot,  // vote
    match_any,
    match_all,  // match
    add,
    minimum,
    maximum,
    bit_and,
    bit_or,
    bit_xor,  // redux
    none,
};

struct Exchange {
    ExchangeKind kind = ExchangeKind::barrier;
    ExchangeHow how = ExchangeHow::none;
    ptx::Type type = ptx::Type::b32;
    int bytes = 4;
    /// Places in the list of operands; -1 where there is none.
    int result = -1, result_predicate = -1, value = -1, second = -1, clamp = -1, members = -1;
    bool value_negated = false, absolute = false, nan = false;
};

/// What the lanes bring along.
struct Brought {
    std::uint32_t lanes = 0;
    std::array<std::uint64_t, warp_size> value{};
};

/// Adds what the lanes of a fragment bring along.
void bring(const Fragment& fragment, Brought& brought);
/// Gives a fragment its results, once all lanes have come.
void finish(Warp& warp, const Fragment& fragment, const Brought& brought);

}  // namespace simt::interpreter
