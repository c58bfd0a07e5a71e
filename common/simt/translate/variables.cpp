// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "variables.hpp"

namespace simt::translate {

namespace {

/// The type of what an `extern __shared__` array holds.
std::string element_of(const Source& source, const Declaration& declaration, const Declarator& declarator, Index shared)
{
    const std::size_t unknown_extent = declarator.shape.find("[]");
    if (unknown_extent == std::string::npos)
        source.fail(shared, "an 'extern __shared__' variable is an array of unknown extent, as in 'extern __shared__ float tile[];'");
    std::string shape = declarator.shape;
    return declaration.type + shape.erase(unknown_extent, 2);
}

void check_shared(const Source& source, const Declaration& declaration, Index shared)
{
    // A macro may leave the ';' to the place where it is used.
    const bool ends = source.is(declaration.end, ";") || (source.is_macro() && source.next_code(declaration.end) == none);
    if (!ends) source.fail(shared, "the '__shared__' declaration cannot be read up to a ';'");
    if (declaration.declarators.empty()) source.fail(shared, "the '__shared__' declaration names no variable");
    if (declaration.type.empty()) source.fail(shared, "the '__shared__' declaration names no type");
    for (const Declarator& declarator : declaration.declarators) {
        if (declarator.is_function) source.fail(shared, "'" + declarator.name + "' is a function, and only variables are '__shared__'");
        if (declarator.is_initialized) source.fail(shared, "the '__shared__' variable '" + declarator.name + "' cannot be initialized where it is declared");
    }
}

/// The reference that a shared variable becomes, where `tag` is a type that is this declaration's own.
std::string reference(const Source& source, const Declaration& declaration, const Declarator& declarator, Index shared, const std::string& tag)
{
    const std::string memory =
        declaration.has("extern")
            ? "dynamic_shared_array<" + element_of(source, declaration, declarator, shared) + ">();"
            : "shared_variable<" + declaration.type + declarator.shape + ", " + tag +
                  (declaration.alignment.empty() ? "" : ", " + declaration.alignment) + ">();";
    return "auto& " + declarator.name + " = ::simt::" + memory;
}

/// Puts `text` in the place of a declaration, of which a class definition stays.
void replace_declaration(Edits& edits, const Declaration& declaration, const std::string& text)
{
    if (declaration.class_end == none) {
        edits.remove(declaration.begin, declaration.end);
        edits.replace(declaration.begin, text);
        return;
    }
    if (declaration.class_begin > declaration.begin) edits.remove(declaration.begin, declaration.class_begin - 1);
    if (declaration.class_is_unnamed) edits.after(declaration.class_begin, " " + declaration.class_name);
    edits.remove(declaration.class_end + 1, declaration.end);
    edits.replace(declaration.end, "; " + text);
}

}  // namespace

std::vector<NamespaceShared> rewrite_shared(const Source& source, Edits& edits, const Declaration& declaration, Index shared, int& count)
{
    check_shared(source, declaration, shared);
    const bool for_functions_below = source.at_namespace_scope(shared);
    std::vector<NamespaceShared> variables;
    std::string text;
    for (const Declarator& declarator : declaration.declarators) {
        const std::string number = std::to_string(count++);
        // A class named here is one of each function, and of each instance of a template; a number is one for all.
        const std::string tag = for_functions_below ? "std::integral_constant<int, " + number + ">" : "struct simt_shared_" + number;
        variables.push_back({declarator.name, reference(source, declaration, declarator, shared, tag)});
        if (!for_functions_below) text += (text.empty() ? "" : " ") + variables.back().declaration;
    }
    replace_declaration(edits, declaration, text);
    if (!for_functions_below) variables.clear();
    return variables;
}

void register_device_variables(const Source& source, Edits& edits, const Declaration& declaration)
{
    if (declaration.is_template)
        source.fail(declaration.begin, "a template of variables in device memory is not supported by the counting model: declare each variable by itself");
    if (declaration.has("extern")) return;
    const std::string space = declaration.has("__constant__") ? "constant" : "global";
    std::string text;
    for (const Declarator& declarator : declaration.declarators) {
        const std::string& name = declarator.name;
        text += " [[gnu::used, gnu::section(\"simt_device_symbols\")]] static constinit const ::simt::DeviceSymbol simt_symbol_" +
                std::string(source.is_macro() ? "##" : "") + name + "{(const void*)&" + name + ", sizeof(" + name + "), \"" + name +
                "\", ::simt::SymbolSpace::" + space + "};";
    }
    edits.after(declaration.end, text);
}

}  // namespace simt::translate
