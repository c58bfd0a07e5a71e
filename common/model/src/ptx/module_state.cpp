#include "ptx/module_state.hpp"

#include <algorithm>

namespace simt::ptx {

ModuleState::ModuleState(std::string_view text) : lexer(text), registers_left_((std::size_t{1} << 20) + text.size()) {}

const ModuleSymbol* ModuleState::find(std::string_view name) const {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? nullptr : &found->second;
}

int ModuleState::add_hidden_variable(Variable&& variable) {
    module.variables.push_back(std::move(variable));
    return static_cast<int>(module.variables.size()) - 1;
}

void ModuleState::declare_variable(Declared&& declared, Linkage linkage) {
    Variable& variable = declared.variable;
    variable.linkage = linkage;
    const ModuleSymbol* earlier = find(declared.name);
    if (earlier == nullptr) {
        const int index = add_hidden_variable(std::move(variable));
        symbols_[declared.name] = {Operand::Scope::module_variable, index, declared.element_bytes};
        return;
    }
    if (earlier->scope != Operand::Scope::module_variable)
        fail_at(declared.line, {}, in_quotes(declared.name) + " is declared as a function and a variable");
    Variable& known = module.variables[earlier->index];
    const bool is_known = known.linkage != Linkage::external, is_definition = linkage != Linkage::external;
    if (is_known && is_definition) fail_at(declared.line, {}, "the variable " + in_quotes(declared.name) + " is declared twice");
    const std::uint64_t alignment = std::max(known.alignment, variable.alignment);
    if (is_definition || (!is_known && known.unsized_array)) known = std::move(variable);
    known.alignment = alignment;
}

int ModuleState::declare_function(std::string_view name) {
    const ModuleSymbol* earlier = find(name);
    if (earlier == nullptr) {
        symbols_[name] = {Operand::Scope::function, static_cast<int>(module.functions.size()), 0};
        module.functions.emplace_back().name = name;
        return static_cast<int>(module.functions.size()) - 1;
    }
    if (earlier->scope != Operand::Scope::function) lexer.fail(in_quotes(name) + " is declared as a variable and a function");
    return earlier->index;
}

bool ModuleState::resolve(Operand& operand) const {
    const ModuleSymbol* symbol = find(operand.name);
    if (symbol == nullptr) return false;
    operand.scope = symbol->scope;
    operand.index = symbol->index;
    return true;
}

void ModuleState::resolve_later(Operand& operand, int line) { unresolved_.push_back({&operand, line, lexer.function()}); }

void ModuleState::require_function(std::string_view name, int line) { required_.push_back({name, line, lexer.function()}); }

void ModuleState::count_registers(std::size_t registers) {
    if (registers > registers_left_) lexer.fail("more registers are declared than a text of this length can use");
    registers_left_ -= registers;
}

void ModuleState::finish() {
    for (const UnresolvedOperand& name : unresolved_)
        if (!resolve(*name.operand)) fail_at(name.line, name.function, in_quotes(name.operand->name) + " is not declared");
    for (const RequiredName& name : required_) {
        const ModuleSymbol* symbol = find(name.name);
        if (symbol == nullptr || symbol->scope != Operand::Scope::function)
            fail_at(name.line, name.function, in_quotes(name.name) + " is not declared as a function");
    }
    for (const Variable& variable : module.variables)
        for (const Relocation& relocation : variable.relocations)
            if (find(relocation.symbol) == nullptr)
                fail_at(lexer.line(), {},
                        in_quotes(relocation.symbol) + " in the initial value of " + in_quotes(variable.name) + " is not declared");
    places.finish(module);
}

}  // namespace simt::ptx
