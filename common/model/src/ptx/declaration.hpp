// Declarations of variables, parameters and registers.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/lexer.hpp"
#include "ptx/module.hpp"

namespace simt::ptx {

/// The part of a declaration before the names that it declares: `.global .align 4 .v2 .f32`.
struct DeclarationHead {
    StateSpace space = StateSpace::generic;
    Type type = Type::none;
    /// The alignment in bytes; 0 for that of the type.
    std::uint64_t alignment = 0;
    /// 0 for a scalar.
    int vector = 0;
    bool managed = false;

    std::uint64_t element_bytes() const;
};

/// One declared name. A register is one whose variable has StateSpace::reg.
struct Declared {
    std::string_view name;
    Variable variable;
    std::uint64_t element_bytes = 0;
    int vector = 0;
    /// N of `name<N>`, which declares name0 to name(N-1); -1 without.
    int count = -1;
    int line = 0;
};

/// Reads state space, attributes, alignment and type.
/// @throws ParseError
DeclarationHead parse_declaration_head(Lexer& lexer);
/// Reads a name with its dimensions and initial value.
Declared parse_declared(Lexer& lexer, const DeclarationHead& head);
/// Reads `(…)` of a function's parameters or returns.
std::vector<Declared> parse_parameters(Lexer& lexer);
/// Reads `.extern`, `.visible`, `.weak` or `.common`, if one of them is next; otherwise the linkage is internal.
Linkage parse_linkage(Lexer& lexer);
/// Skips `(…)`.
void skip_parentheses(Lexer& lexer);

}  // namespace simt::ptx
