// Texts of PTX, parsed, for tests of the parser.
#pragma once

#include <string>

#include "ptx/module.hpp"

namespace simt::ptx {

/// Parses a text after the lines that begin every module.
inline Module module_of(const std::string& text) { return parse(".version 9.0\n.target sm_90a\n.address_size 64\n" + text); }

/// The parser's error message for a whole text.
inline std::string error_of(const std::string& text) {
    try {
        parse(text);
    } catch (const ParseError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace simt::ptx
