// The parser's state while it reads a module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/declaration.hpp"
#include "ptx/lexer.hpp"
#include "ptx/module.hpp"
#include "ptx/source_places.hpp"

namespace simt::ptx {

/// A variable or function of the module.
struct ModuleSymbol {
    Operand::Scope scope = Operand::Scope::unresolved;
    int index = -1;
    /// For a variable: the bytes that its subscripts count.
    std::uint64_t element_bytes = 0;
};

/// An operand whose name was not yet declared when its function ended.
struct UnresolvedOperand {
    Operand* operand = nullptr;
    int line = 0;
    std::string_view function;
};

/// The module so far. Its names are pieces of the text.
class ModuleState {
public:
    explicit ModuleState(std::string_view text);

    Lexer lexer;
    Module module;
    SourcePlaces places;

    const ModuleSymbol* find(std::string_view name) const;
    /// Adds a variable, or completes its earlier declaration.
    void declare_variable(Declared&& declared, Linkage linkage);
    /// Adds a variable that only the declaring function can name.
    int add_hidden_variable(Variable&& variable);
    /// The index of a function, which is added if it is new.
    int declare_function(std::string_view name);
    /// Resolves an operand to a variable or function of the module; returns false if none of that name is declared yet.
    bool resolve(Operand& operand) const;
    void resolve_later(Operand& operand, int line);
    /// Notes a name that must be declared as a function by the end of the text.
    void require_function(std::string_view name, int line);
    /// Limits the number of registers in proportion to the text.
    void count_registers(std::size_t registers);
    /// Resolves the remaining names.
    void finish();

private:
    struct RequiredName {
        std::string_view name;
        int line = 0;
        std::string_view function;
    };

    std::unordered_map<std::string_view, ModuleSymbol> symbols_;
    std::vector<UnresolvedOperand> unresolved_;
    std::vector<RequiredName> required_;
    std::size_t registers_left_;
};

}  // namespace simt::ptx
