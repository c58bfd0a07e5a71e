// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "translator.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "lexer.hpp"

namespace simt::translate {

namespace {

/// Tokens with what is to be written before, in place of, or after each.
class Rewriter {
public:
    Rewriter(std::string_view source, std::string_view file) : file_(file), tokens_(tokenize(source)) {}

    std::string run()
    {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].is("<<<")) rewrite_launch(i);
            if (tokens_[i].kind != TokenKind::identifier) continue;
            if (tokens_[i].is("__shared__")) rewrite_shared(i);
            if (tokens_[i].is("__global__")) mark_kernel_body(i);
            // Not a macro: the standard library's headers use the name in attributes.
            if (tokens_[i].is("__noinline__")) replaced_[i] = "__attribute__((noinline))";
        }
        return text();
    }

private:
    using Index = std::size_t;
    static constexpr Index none = static_cast<Index>(-1);

    [[noreturn]] void fail(Index at, const std::string& what) const
    {
        throw TranslationError(std::string(file_) + ":" + std::to_string(tokens_[at].line) + ": " + what);
    }

    bool is_code(Index i) const { return tokens_[i].kind != TokenKind::space && tokens_[i].kind != TokenKind::directive; }

    Index next_code(Index i) const
    {
        for (++i; i < tokens_.size(); ++i)
            if (is_code(i)) return i;
        return none;
    }

    Index previous_code(Index i) const
    {
        while (i-- > 0)
            if (is_code(i)) return i;
        return none;
    }

    /// The bracket that closes the one at `open`.
    Index closing(Index open) const
    {
        int depth = 0;
        for (Index i = open; i < tokens_.size(); ++i) {
            if (tokens_[i].kind != TokenKind::punctuation) continue;
            const char c = tokens_[i].text[0];
            if (c == '(' || c == '[' || c == '{') ++depth;
            if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
        }
        fail(open, std::string("'") + std::string(tokens_[open].text) + "' is never closed");
    }

    /// The text of tokens first…last on one line, for use inside another line or a string.
    std::string flat(Index first, Index last) const
    {
        std::string text;
        for (Index i = first; i <= last; ++i) text += tokens_[i].kind == TokenKind::space ? " " : std::string(tokens_[i].text);
        return text;
    }

    /// First token of the expression that names the kernel of the launch at `chevrons`: a possibly qualified name with
    /// possible template arguments, or an expression in parentheses.
    Index kernel_begin(Index chevrons) const
    {
        Index i = previous_code(chevrons);
        if (i == none) fail(chevrons, "'<<<' stands after nothing that could be a kernel");
        if (tokens_[i].is(")")) return opening_backwards(i, "(", ")");
        if (tokens_[i].is(">") || tokens_[i].is(">>>")) i = previous_code(template_arguments_begin(i));
        for (;;) {
            if (i == none || tokens_[i].kind != TokenKind::identifier) fail(chevrons, "'<<<' stands after nothing that could be a kernel");
            const Index colon = previous_code(i);
            if (colon == none || !tokens_[colon].is(":")) return i;
            const Index first_colon = previous_code(colon);
            if (first_colon == none || !tokens_[first_colon].is(":")) return i;
            const Index qualifier = previous_code(first_colon);
            const bool global_scope = qualifier == none || (tokens_[qualifier].kind != TokenKind::identifier && !tokens_[qualifier].is(">"));
            if (global_scope || is_keyword_before_expression(qualifier)) return first_colon;
            i = tokens_[qualifier].is(">") ? previous_code(template_arguments_begin(qualifier)) : qualifier;
        }
    }

    bool is_keyword_before_expression(Index i) const
    {
        return tokens_[i].is("return") || tokens_[i].is("else") || tokens_[i].is("do");
    }

    Index opening_backwards(Index close, std::string_view open_text, std::string_view close_text) const
    {
        int depth = 0;
        for (Index i = close + 1; i-- > 0;) {
            if (tokens_[i].is(close_text)) ++depth;
            if (tokens_[i].is(open_text) && --depth == 0) return i;
        }
        fail(close, "'" + std::string(close_text) + "' closes nothing");
    }

    /// Walks back over template arguments that end at `close`. Brackets inside them are skipped whole.
    Index template_arguments_begin(Index close) const
    {
        int depth = 0;
        for (Index i = close + 1; i-- > 0;) {
            const Token& token = tokens_[i];
            if (token.is(")")) i = opening_backwards(i, "(", ")");
            else if (token.is("]")) i = opening_backwards(i, "[", "]");
            else if (token.is("}")) i = opening_backwards(i, "{", "}");
            else if (token.is(">>>")) depth += 3;
            else if (token.is(">") && !(i > 0 && tokens_[i - 1].is("-"))) ++depth;
            else if (token.is("<") && --depth == 0) return i;
            else if (token.is(";")) break;
        }
        fail(close, "'>' before '<<<' closes no template arguments");
    }

    void rewrite_launch(Index chevrons)
    {
        const Index first = kernel_begin(chevrons);
        const Index last = previous_code(chevrons);
        const Index close = launch_close(chevrons);
        const Index arguments = next_code(close);
        if (arguments == none || !tokens_[arguments].is("(")) fail(close, "'>>>' of a launch stands before no argument list");

        std::string name = flat(first, last), quoted;
        for (char c : name) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
        before_[first] += "::simt::Launch(\"" + quoted + "\", [&](auto&&... simt_arguments) { ";
        after_[last] = "(simt_arguments...); }" + after_[last];
        replaced_[chevrons] = ", ";
        replaced_[close] = ")";
        for (Index i = arguments; i < closing(arguments); ++i)
            if (tokens_[i].is("NULL")) replaced_[i] = "nullptr";
    }

    Index launch_close(Index chevrons) const
    {
        for (Index i = chevrons + 1; i < tokens_.size(); ++i) {
            if (tokens_[i].is("(") || tokens_[i].is("{") || tokens_[i].is("[")) i = closing(i);
            else if (tokens_[i].is(">>>")) return i;
            else if (tokens_[i].is(";")) break;
        }
        fail(chevrons, "'<<<' of a launch is never closed by '>>>'");
    }

    void mark_kernel_body(Index global)
    {
        for (Index i = next_code(global); i != none; i = next_code(i)) {
            if (tokens_[i].is("(") || tokens_[i].is("[")) i = closing(i);
            else if (tokens_[i].is(";")) return;
            else if (tokens_[i].is("{")) {
                after_[i] = " ::simt::kernel_entry(__func__);" + after_[i];
                return;
            }
        }
    }

    static bool is_dropped_specifier(const Token& token) { return token.is("static") || token.is("extern") || token.is("inline"); }

    /// Rewrites one declaration, which may declare several variables, where it stands.
    void rewrite_shared(Index shared)
    {
        Index begin = shared;
        bool is_extern = false;
        for (Index i = previous_code(shared); i != none && tokens_[i].kind == TokenKind::identifier; i = previous_code(i)) {
            if (!is_dropped_specifier(tokens_[i]) && !tokens_[i].is("volatile") && !tokens_[i].is("const")) break;
            is_extern |= tokens_[i].is("extern");
            begin = i;
        }
        Index end = shared;
        while (end != none && !tokens_[end].is(";")) {
            if (tokens_[end].is("(") || tokens_[end].is("{") || tokens_[end].is("[")) end = closing(end);
            end = next_code(end);
        }
        if (end == none) fail(shared, "the '__shared__' declaration has no end");
        const Declaration declaration = parse_declaration(begin, end, shared);
        is_extern |= declaration.is_extern;

        std::string text;
        for (const Declarator& declarator : declaration.declarators)
            text += (text.empty() ? "" : " ") + reference(declaration, declarator, is_extern, shared);
        int lines = 0;
        for (Index i = begin; i <= end; ++i) {
            lines += static_cast<int>(std::ranges::count(tokens_[i].text, '\n'));
            replaced_[i] = "";
        }
        replaced_[begin] = text + std::string(static_cast<std::size_t>(lines), '\n');
    }

    struct Declarator {
        std::string pointer, name, extents;
    };
    struct Declaration {
        std::string type, alignment;
        bool is_extern = false;
        std::vector<Declarator> declarators;
    };

    /// Appends a token, with a blank where it would run into the one before.
    static void append_token(std::string& text, const Token& token)
    {
        const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
        if (!text.empty() && is_word(text.back()) && is_word(token.text.front())) text += ' ';
        text += token.text;
    }

    /// Reads `type a[…], *b, c;`. The type ends before the last name ahead of the first `[`, `,`, `;` or `*`.
    Declaration parse_declaration(Index begin, Index end, Index shared) const
    {
        Declaration declaration;
        Index i = begin;
        Index name = none;
        std::vector<Index> type_tokens;
        for (; i < end; i = next_code(i)) {
            const Token& token = tokens_[i];
            if (token.is("__shared__") || is_dropped_specifier(token)) {
                declaration.is_extern |= token.is("extern");
                continue;
            }
            if (token.is("__align__") || token.is("alignas")) {
                const Index open = next_code(i), close = closing(open);
                declaration.alignment = flat(open, close);
                i = close;
                continue;
            }
            if (token.is("[") || token.is(",") || token.is("*") || token.is("=") || token.is("{")) break;
            if (token.is("(")) fail(shared, "this form of '__shared__' declaration is not supported");
            if (token.is("<")) {
                const Index close = template_arguments_end(i);
                for (Index j = i; j <= close; ++j)
                    if (is_code(j)) type_tokens.push_back(j);
                i = close;
                continue;
            }
            type_tokens.push_back(i);
            if (token.kind == TokenKind::identifier) name = i;
        }
        const bool pointer = i < end && tokens_[i].is("*");
        if (!pointer) {
            if (name == none || type_tokens.empty() || type_tokens.back() != name) fail(shared, "the '__shared__' declaration names no variable");
            type_tokens.pop_back();
            i = name;
        }
        std::string type;
        for (Index t : type_tokens) append_token(type, tokens_[t]);
        declaration.type = type;
        if (type.empty()) fail(shared, "the '__shared__' declaration names no type");
        while (i < end) i = parse_declarator(i, end, declaration, shared);
        return declaration;
    }

    Index template_arguments_end(Index open) const
    {
        int depth = 0;
        for (Index i = open; i < tokens_.size(); ++i) {
            if (tokens_[i].is("(")) i = closing(i);
            else if (tokens_[i].is("<")) ++depth;
            else if (tokens_[i].is(">") && --depth == 0) return i;
            else if (tokens_[i].is(">>>") && (depth -= 3) <= 0) return i;
            else if (tokens_[i].is(";")) break;
        }
        fail(open, "'<' opens template arguments that are never closed");
    }

    Index parse_declarator(Index i, Index end, Declaration& declaration, Index shared) const
    {
        Declarator declarator;
        for (; i < end && !tokens_[i].is(","); i = next_code(i)) {
            if (tokens_[i].is("*")) declarator.pointer += "*";
            else if (tokens_[i].kind == TokenKind::identifier && declarator.name.empty()) declarator.name = tokens_[i].text;
            else if (tokens_[i].is("[")) {
                const Index close = closing(i);
                declarator.extents += flat(i, close);
                i = close;
            } else fail(i, "a '__shared__' variable cannot be initialised or declared this way");
        }
        if (declarator.name.empty()) fail(shared, "the '__shared__' declaration names no variable");
        declaration.declarators.push_back(declarator);
        return i < end ? next_code(i) : end;
    }

    std::string reference(const Declaration& declaration, const Declarator& declarator, bool is_extern, Index at)
    {
        const std::string element = declaration.type + declarator.pointer;
        if (is_extern) {
            const std::size_t open = declarator.extents.find('[');
            const std::size_t close = declarator.extents.find(']');
            if (open != 0 || close == std::string::npos ||
                declarator.extents.find_first_not_of(" ", 1) != close)
                fail(at, "an 'extern __shared__' variable is an array of unknown extent, as in 'extern __shared__ float tile[];'");
            return "auto& " + declarator.name + " = ::simt::dynamic_shared_array<" + element + declarator.extents.substr(close + 1) + ">();";
        }
        const std::string tag = "struct simt_shared_" + std::to_string(shared_count_++);
        const std::string alignment = declaration.alignment.empty() ? "" : ", " + declaration.alignment;
        return "auto& " + declarator.name + " = ::simt::shared_variable<" + element + declarator.extents + ", " + tag + alignment + ">();";
    }

    std::string text() const
    {
        std::string out = "#include <cuda_runtime.h>\n#line 1 \"" + std::string(file_) + "\"\n";
        const auto append = [&](const std::map<Index, std::string>& map, Index i) {
            if (const auto found = map.find(i); found != map.end()) out += found->second;
        };
        for (Index i = 0; i < tokens_.size(); ++i) {
            append(before_, i);
            if (const auto found = replaced_.find(i); found != replaced_.end()) out += found->second;
            else out += tokens_[i].text;
            append(after_, i);
        }
        return out;
    }

    std::string_view file_;
    std::vector<Token> tokens_;
    std::map<Index, std::string> before_, replaced_, after_;
    int shared_count_ = 0;
};

}  // namespace

std::string translate(std::string_view source, std::string_view file) { return Rewriter(source, file).run(); }

}  // namespace simt::translate
