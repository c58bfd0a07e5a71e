// Constants and constant expressions of the PTX ISA.
#pragma once

#include <cstdint>

#include "ptx/lexer.hpp"

namespace simt::ptx {

/// The value of a constant expression. Integers have 64 bits (PTX ISA).
struct Constant {
    enum class Kind : unsigned char { s64, u64, f32, f64 };
    Kind kind = Kind::s64;
    /// The integer, or the bits of the float or double.
    std::uint64_t bits = 0;

    bool is_floating() const { return kind == Kind::f32 || kind == Kind::f64; }
    /// The value as a double; an integer is converted.
    double to_double() const;
};

/// Reads a constant expression.
/// @throws ParseError
Constant parse_constant(Lexer& lexer);
/// Reads a constant expression whose value is an integer.
std::int64_t parse_integer(Lexer& lexer);
/// Reads what is added to an address, as in `+ 8 - 4`, and returns the sum; 0 if nothing is. Each operand is a constant expression without
/// `+` and `-` outside of parentheses.
std::int64_t parse_addends(Lexer& lexer);
/// Reads an integer from `least` to `most`, written as a number.
std::int64_t parse_number(Lexer& lexer, std::string_view what, std::int64_t least, std::int64_t most);

}  // namespace simt::ptx
