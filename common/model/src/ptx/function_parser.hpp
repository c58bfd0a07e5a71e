// Functions: head, directives and body.
#pragma once

#include "ptx/function_names.hpp"
#include "ptx/module_state.hpp"
#include "ptx/operand_parser.hpp"

namespace simt::ptx {

/// Reads one `.entry` or `.func` after its linkage and its directive.
class FunctionParser {
public:
    FunctionParser(ModuleState& state, Linkage linkage, bool is_entry);

    /// Reads the function and adds it to the module.
    void parse();

private:
    void directives();
    bool tuning_directive(std::string_view word);
    void dimensions(std::array<int, 3>& extents);
    int number(std::string_view what);

    void body();
    void statement();
    void directive();
    void declaration();
    void labelled(const Token& name);
    void branch_targets(std::string_view name);
    void call_targets(std::string_view name);
    void call_prototype(std::string_view name);
    void guard(Instruction& instruction);
    void instruction(const Token& opcode, Instruction&& instruction);
    void call_operands(std::vector<Operand>& operands);
    void enter();

    ModuleState& state_;
    Lexer& lexer_;
    Function function_;
    FunctionNames names_;
    OperandParser operands_;
};

/// Skips the strings of a `.pragma` up to its `;`: they are hints for compilers.
void skip_pragma(Lexer& lexer);

}  // namespace simt::ptx
