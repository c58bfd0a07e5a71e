// The names of a function and its scopes.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/declaration.hpp"
#include "ptx/module_state.hpp"

namespace simt::ptx {

/// The declaration of a name in a function: an index into a list of Function or Module.
struct Symbol {
    enum class Kind : unsigned char { reg, variable, parameter, return_parameter, hidden_variable, label, targets, prototype };
    Kind kind = Kind::reg;
    int index = -1;
    /// For a variable: the bytes that its subscripts count.
    std::uint64_t element_bytes = 0;

    /// Labels may be used before their place; all other names must be declared first.
    bool declared_first() const { return kind < Kind::label; }
};

/// Whether `name` is a special register of the PTX ISA, without its component.
bool is_special_register(std::string_view name);

/// The scopes of a function, the innermost last. A name in an operand refers to the innermost declaration. Labels are scoped
/// too and may follow their use, so an unknown name waits for the ends of the scopes around it.
class FunctionNames {
public:
    FunctionNames(ModuleState& state, Function& function);

    void open_scope();
    void close_scope();
    std::size_t depth() const { return scopes_.size(); }

    void declare(std::string_view name, Symbol symbol);
    void declare_parameters(const std::vector<Declared>& declared, bool returns);
    /// A declaration in the body. Its head and names have been read.
    void declare_in_body(Declared&& declared, Linkage linkage);
    void declare_label(std::string_view name);
    /// Begins a `.branchtargets`; its labels may come later.
    void declare_branch_targets(std::string_view name, const std::vector<std::string_view>& labels);

    /// A register or variable; nullptr for other names.
    const Symbol* find(std::string_view name) const;
    const Register& register_of(const Symbol& symbol) const { return function_.registers[symbol.index]; }
    /// Resolves names in the operands of the last instruction once their declarations are known.
    void resolve_operands(std::vector<Operand>& operands, int line);
    /// The bytes that the subscripts of a variable count; 0 if no variable of that name is declared yet.
    std::uint64_t element_bytes(std::string_view name) const;

private:
    /// A name that waits for its declaration: of an operand, or of one entry of `.branchtargets`.
    struct Waiting {
        Operand* operand = nullptr;
        std::string_view name;
        int line = 0;
        int targets = -1;
        std::size_t entry = 0;
    };
    struct Scope {
        std::unordered_map<std::string_view, Symbol> names;
        std::vector<Waiting> waiting;
    };

    void declare_register(std::string_view name, const Declared& declared);
    void declare_variable(std::string_view name, const Declared& declared, Linkage linkage);
    void resolve_operand(Operand& operand, int line);
    bool settle(const Waiting& waiting, const Scope& scope);
    void leave_to_module(const Waiting& waiting);

    ModuleState& state_;
    Function& function_;
    std::vector<Scope> scopes_;
    /// Names that `name<N>` makes; the text does not have them.
    std::deque<std::string> made_names_;
};

}  // namespace simt::ptx
