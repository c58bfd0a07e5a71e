// Rounds sizes and addresses up to multiples.
#pragma once

#include <cstddef>

namespace simt::memory {

/// The smallest multiple of `unit` that is not below `value`; `unit` is at least 1.
constexpr std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace simt::memory
