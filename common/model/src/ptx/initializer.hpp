// Initial values of variables.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/lexer.hpp"
#include "ptx/module.hpp"

namespace simt::ptx {

/// Reads the initializer after `=` into `variable.initial` and `variable.relocations`.
/// @param dimensions of the array, a vector's elements as the last; 0 where the text leaves the first open.
/// @return the number of bytes that the values cover
/// @throws ParseError
std::uint64_t parse_initializer(Lexer& lexer, Variable& variable, const std::vector<std::uint64_t>& dimensions);

}  // namespace simt::ptx
