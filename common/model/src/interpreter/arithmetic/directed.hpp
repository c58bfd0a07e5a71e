// Handlers that run in a rounding mode of the processor other than to nearest. The compiler must assume that a change of the mode
// changes the operands in memory, so operations stay between the changes.
#pragma once

#include <cfenv>

#include "interpreter/arithmetic/float_math.hpp"
#include "interpreter/decode/instruction.hpp"

namespace simt::interpreter {

/// Sets the processor's rounding mode during its lifetime.
class RoundingScope {
public:
    explicit RoundingScope(Rounding rounding) {
        static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
        std::fesetround(modes[static_cast<int>(rounding)]);
    }
    ~RoundingScope() { std::fesetround(FE_TONEAREST); }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;
};

template <Execute base, Rounding rounding> void directed(Warp& warp, const DecodedInstruction& instruction) {
    const RoundingScope scope(rounding);
    base(warp, instruction);
}

/// The handler that is `base` in a rounding mode.
template <Execute base> Execute in_mode(Rounding rounding) {
    switch (rounding) {
        case Rounding::toward_zero: return directed<base, Rounding::toward_zero>;
        case Rounding::down: return directed<base, Rounding::down>;
        case Rounding::up: return directed<base, Rounding::up>;
        default: return base;
    }
}

}  // namespace simt::interpreter
