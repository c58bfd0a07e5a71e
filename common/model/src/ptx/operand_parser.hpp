// Operands of instructions.
#pragma once

#include "ptx/function_names.hpp"
#include "ptx/lexer.hpp"
#include "ptx/module.hpp"

namespace simt::ptx {

/// Reads operands. Registers and special registers are resolved; names of variables, functions and labels are left to
/// FunctionNames::resolve_operands().
class OperandParser {
public:
    OperandParser(Lexer& lexer, const FunctionNames& names) : lexer_(lexer), names_(names) {}

    /// One operand, with its second destination (`p|q`) if it has one.
    Operand operand();
    /// `(a, b)` of a call, as a vector.
    Operand parenthesized();
    /// A register or a name.
    Operand named(bool negated);

private:
    Operand primary(int depth);
    Operand constant();
    Operand list(char begin, char end, int depth);
    Operand brackets(int depth);
    Operand address_of(Operand&& base);
    void read_component(Operand& operand, const Register& declared);
    std::int64_t subscript(std::string_view name);
    bool sign_before_name() const;

    Lexer& lexer_;
    const FunctionNames& names_;
};

}  // namespace simt::ptx
