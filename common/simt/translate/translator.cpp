// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "translator.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "declarations.hpp"
#include "launches.hpp"
#include "lexer.hpp"
#include "source.hpp"
#include "unsupported.hpp"
#include "variables.hpp"

namespace simt::translate {

namespace {

constexpr std::array<std::string_view, 5> markers = {"__global__", "__device__", "__shared__", "__constant__", "__managed__"};

/// What the files of one translation have in common.
struct Context {
    Includes* includes = nullptr;
    int shared_count = 0;
    std::vector<NamespaceShared> namespace_shared;
    /// Macros that stand for specifiers, such as `#define KERNEL extern "C" __global__`, with the words in them.
    std::map<std::string, std::vector<std::string>, std::less<>> specifier_macros;
    /// Macros that hold inline assembly.
    std::set<std::string, std::less<>> assembly_macros;
    /// Messages, each once.
    std::vector<std::string> errors;

    void report(const std::string& error)
    {
        if (std::ranges::find(errors, error) == errors.end()) errors.push_back(error);
    }
};

/// Text in a string literal.
std::string escaped(std::string_view text)
{
    std::string result;
    for (char c : text) result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return result;
}

std::string line_directive(std::string_view file) { return "#line 1 \"" + escaped(file) + "\"\n"; }

std::string translate_file(Context& context, std::string_view text, std::string_view file);

/// Translates a source file, or the body of one macro.
class Rewriter {
public:
    Rewriter(Context& context, const Source& source) : context_(context), source_(source), edits_(source) {}

    std::string run()
    {
        for (Index i = 0; i < source_.size(); ++i) {
            try {
                visit(i);
            } catch (const TranslationError& error) {
                context_.report(error.what());
            }
        }
        return edits_.text();
    }

private:
    /// A function's body that runs on the device.
    struct DeviceCode {
        Index begin = none, end = none;
        bool also_on_host = false;
        bool contains(Index i) const { return end != none && i > begin && i < end; }
    };

    void visit(Index i)
    {
        if (source_[i].kind == TokenKind::directive) return visit_directive(i);
        if (is_launch(source_, i)) {
            if (device_code_.contains(i) && !device_code_.also_on_host)
                source_.fail(i, not_supported("a launch in device code (dynamic parallelism)", "launch from the host"));
            return rewrite_launch(source_, edits_, i);
        }
        if (source_.is(i, "[")) return keep_shared_by_reference(i);
        if (!source_.is_identifier(i)) return;
        check_supported(i);
        // Not a macro: the standard library's headers use the name in attributes.
        if (source_.is(i, "__noinline__")) edits_.replace(i, "__attribute__((noinline))");
        // The built-in variables are macros, and would be replaced in `config.gridDim` as well.
        if (source_.is_one_of(i, {"gridDim", "blockDim"}) && source_.is_one_of(source_.previous_code(i), {".", "->"}))
            edits_.before(i, "simt_");
        if (i >= declared_up_to_) visit_specifier(i);
    }

    CodeSide side_of(Index i) const
    {
        if (!device_code_.contains(i)) return CodeSide::host;
        return device_code_.also_on_host ? CodeSide::both : CodeSide::device;
    }

    void check_supported(Index i)
    {
        if (const auto message = unsupported_name(source_, i, side_of(i))) context_.report(source_.message(i, *message));
        const bool assembly = is_inline_assembly(source_, i) || context_.assembly_macros.contains(source_[i].text);
        if (assembly && device_code_.contains(i)) context_.report(source_.message(i, inline_assembly_is_not_supported()));
    }

    /// True if the word at `i` is `marker`, or a macro that stands for it among others.
    bool marks(Index i, std::string_view marker) const
    {
        if (source_.is(i, marker)) return true;
        const auto macro = context_.specifier_macros.find(source_[i].text);
        return macro != context_.specifier_macros.end() && std::ranges::find(macro->second, marker) != macro->second.end();
    }

    void visit_specifier(Index i)
    {
        if (std::ranges::none_of(markers, [&](std::string_view marker) { return marks(i, marker); })) return;
        const Index previous = source_.previous_code(i);
        if (source_.is(previous, "]") && !source_.closes_attribute(previous)) return enter_lambda(i);
        Declaration declaration = parse_declaration(source_, declaration_begin(source_, i));
        if (const auto macro = context_.specifier_macros.find(source_[i].text); macro != context_.specifier_macros.end())
            expand(declaration, macro->first, macro->second);
        const auto is_function = [](const Declarator& declarator) { return declarator.is_function; };
        if (declaration.has("__shared__")) {
            declared_up_to_ = declaration.end + 1;
            for (const Declarator& declarator : declaration.declarators) shared_names_.insert(declarator.name);
            for (NamespaceShared& variable : rewrite_shared(source_, edits_, declaration, i, context_.shared_count))
                context_.namespace_shared.push_back(std::move(variable));
        } else if (source_.is(declaration.end, ";") && std::ranges::none_of(declaration.declarators, is_function)) {
            declared_up_to_ = declaration.end + 1;
            if (source_.at_namespace_scope(i) || source_.is_macro()) register_device_variables(source_, edits_, declaration);
        } else {
            enter_function(declaration, i);
        }
    }

    /// A macro of specifiers was read as part of the type. Here it becomes the words that it stands for.
    static void expand(Declaration& declaration, const std::string& macro, const std::vector<std::string>& words)
    {
        std::string type;
        for (const std::string& word : words) {
            if (is_specifier(word)) declaration.specifiers.insert(word);
            else type += (type.empty() ? "" : " ") + word;
        }
        std::size_t length = macro.size();
        const std::size_t at = declaration.type.find(macro);
        if (at == std::string::npos) return;
        if (type.empty() && declaration.type.substr(at + length).starts_with(' ')) ++length;
        declaration.type.replace(at, length, type);
    }

    void enter_lambda(Index specifier)
    {
        const Index next = source_.next_code(specifier);
        enter_body(body_begin(source_, specifier), source_.is(next, "__host__"));
    }

    void enter_function(const Declaration& declaration, Index specifier)
    {
        const Index body = body_begin(source_, specifier);
        declared_up_to_ = body == none ? declaration.end + 1 : body;
        if (body == none) return;
        enter_body(body, declaration.has("__host__"));
        const std::string entry = declaration.has("__global__") ? kernel_entry(declaration) : "";
        edits_.after(body, entry + namespace_shared_used(declaration.begin, body));
    }

    /// The statement that names the kernel; what an instance of a template is one of, the compiler knows.
    static std::string kernel_entry(const Declaration& declaration)
    {
        if (declaration.template_parameters == 0) return " ::simt::kernel_entry(__func__);";
        return " ::simt::kernel_entry(__func__, __PRETTY_FUNCTION__, " + std::to_string(declaration.template_parameters) + ");";
    }

    void enter_body(Index body, bool also_on_host)
    {
        if (body == none || device_code_.contains(body)) return;
        shared_names_.clear();
        for (const NamespaceShared& variable : context_.namespace_shared) shared_names_.insert(variable.name);
        device_code_ = {body, source_.partner(body) == none ? source_.size() : source_.partner(body), also_on_host};
    }

    /// A lambda `[=]` does not copy shared variables. The references that stand for them would be copied with all that
    /// they refer to, so those that the lambda names are added to what it captures by reference.
    void keep_shared_by_reference(Index open)
    {
        const Index before = source_.previous_code(open), by_value = source_.next_code(open), close = source_.closing(open);
        const bool is_lambda = !source_.is_identifier(before) && !source_.is_one_of(before, {")", "]"});
        if (!device_code_.contains(open) || !is_lambda || !source_.is(by_value, "=")) return;
        const Index body = body_begin(source_, source_.next_code(close));
        if (body == none) return;
        std::set<std::string_view> captured;
        for (Index i = body; i < source_.closing(body); ++i)
            if (shared_names_.contains(source_[i].text)) captured.insert(source_[i].text);
        for (Index i = open; i < body; ++i) captured.erase(source_[i].text);
        std::string text;
        for (const std::string_view name : captured) text += ", &" + std::string(name);
        if (!text.empty()) edits_.after(by_value, text);
    }

    /// The reference that stands for a shared variable from outside is local to the function.
    void drop_qualifiers(Index name)
    {
        Index begin = name;
        for (Index i = source_.previous_code(name); source_.is(i, "::"); i = source_.previous_code(begin)) {
            begin = i;
            if (const Index qualifier = source_.previous_code(i); source_.is_identifier(qualifier) && !source_.is(qualifier, "return")) begin = qualifier;
            else break;
        }
        if (begin < name) edits_.remove(begin, name - 1);
    }

    /// Declarations of the shared variables from outside that a function's body names and its head does not.
    std::string namespace_shared_used(Index head, Index body)
    {
        const Index end = source_.partner(body) == none ? source_.size() : source_.partner(body);
        const auto names = [&](Index first, Index last, std::string_view name) {
            for (Index i = first; i < last; ++i)
                if (source_.is(i, name)) return true;
            return false;
        };
        std::map<std::string_view, std::string_view> used;  // the last declaration of a name counts
        for (const NamespaceShared& variable : context_.namespace_shared) {
            if (!names(body, end, variable.name) || names(head, body, variable.name)) continue;
            used[variable.name] = variable.declaration;
            for (Index i = body; i < end; ++i)
                if (source_.is(i, variable.name)) drop_qualifiers(i);
        }
        std::string text;
        for (const auto& [name, declaration] : used) text += " " + std::string(declaration);
        return text;
    }

    void visit_directive(Index i)
    {
        const Directive directive = parse_directive(source_[i].text);
        if (directive.name == "include" || directive.name == "include_next") visit_include(i, directive);
        if (directive.name == "define") visit_define(i, directive);
    }

    void visit_include(Index i, const Directive& directive)
    {
        const std::string_view rest = directive.rest;
        if (rest.empty() || (rest[0] != '"' && rest[0] != '<')) return;
        const bool quoted = rest[0] == '"';
        const std::size_t end = rest.find(quoted ? '"' : '>', 1);
        if (end == std::string_view::npos) return;
        const std::string_view name = rest.substr(1, end - 1);
        if (context_.includes && directive.name == "include") {
            if (const auto file = context_.includes->find(name, quoted, source_.file())) {
                if (context_.includes->is_new(*file)) context_.includes->translated(*file, translate_file(context_, file->text, file->name));
                const std::string_view text = source_[i].text;
                const auto before = static_cast<std::size_t>(rest.data() - text.data());
                edits_.replace(i, std::string(text.substr(0, before)) + "\"" + file->translation + "\"" + std::string(rest.substr(end + 1)));
                return;
            }
        }
        if (const auto message = unsupported_header(name)) source_.fail(i, *message);
    }

    /// Translates the body of a macro in place.
    void visit_define(Index i, const Directive& directive)
    {
        const auto tokens = tokenize(directive.rest);
        if (tokens.empty()) return;
        const std::string name(tokens[0].text);
        std::string_view body = directive.rest.substr(name.size());
        const bool has_parameters = body.starts_with("(");
        if (has_parameters) body = body.substr(std::min(body.size(), body.find(')') + 1));
        const std::string_view text = source_[i].text;
        const auto head = static_cast<std::size_t>(body.data() - text.data());
        const int line = source_[i].line + static_cast<int>(std::ranges::count(text.substr(0, head), '\n'));

        const Source macro(body, source_.file(), line, true);
        note_macro(name, macro, has_parameters);
        if (!is_specifier_list(macro)) edits_.replace(i, std::string(text.substr(0, head)) + Rewriter(context_, macro).run());
    }

    /// Keeps what later uses of the macro have to know.
    void note_macro(const std::string& name, const Source& macro, bool has_parameters)
    {
        std::vector<std::string> words;
        for (Index i = 0; i < macro.size(); ++i) {
            if (is_inline_assembly(macro, i)) context_.assembly_macros.insert(name);
            if (macro.is_identifier(i)) words.emplace_back(macro[i].text);
        }
        if (!has_parameters && is_specifier_list(macro)) context_.specifier_macros[name] = std::move(words);
    }

    /// True for the body of a macro that is all words, with one of CUDA's among them.
    static bool is_specifier_list(const Source& macro)
    {
        bool marks_something = false;
        for (Index i = 0; i < macro.size(); ++i) {
            if (macro.is_code(i) && !macro.is_identifier(i) && macro[i].kind != TokenKind::string) return false;
            marks_something |= std::ranges::find(markers, macro[i].text) != markers.end();
        }
        return marks_something;
    }

    Context& context_;
    const Source& source_;
    Edits edits_;
    DeviceCode device_code_;
    /// Shared variables that may be known in it.
    std::set<std::string, std::less<>> shared_names_;
    /// Specifiers before this token belong to a declaration that has been dealt with.
    Index declared_up_to_ = 0;
};

std::string translate_file(Context& context, std::string_view text, std::string_view file)
{
    const Source source(text, file);
    return line_directive(file) + Rewriter(context, source).run();
}

}  // namespace

std::string translate(std::string_view source, std::string_view file, Includes* includes)
{
    Context context;
    context.includes = includes;
    const std::string text = "#include <cuda_runtime.h>\n" + translate_file(context, source, file);
    if (context.errors.empty()) return text;
    std::string message;
    for (const std::string& error : context.errors) message += (message.empty() ? "" : "\n") + error;
    throw TranslationError(message);
}

}  // namespace simt::translate
