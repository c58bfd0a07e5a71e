// The decoded form of an instruction that lanes of a warp execute together, and the values that the lanes contribute.
#pragma once

#include <array>
#include <cstdint>

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
    /// Positions in the list of operands; -1 for an operand that is absent.
    int result = -1, result_predicate = -1, value = -1, second = -1, clamp = -1, members = -1;
    bool value_negated = false, absolute = false, nan = false;
};

/// The values that the lanes contribute.
struct Brought {
    std::uint32_t lanes = 0;
    std::array<std::uint64_t, warp_size> value{};
};

/// Adds the values of a split's lanes.
void bring(const WarpSplit& split, Brought& brought);
/// Gives a split its results, once all lanes have arrived.
void finish(Warp& warp, const WarpSplit& split, const Brought& brought);

}  // namespace simt::interpreter
