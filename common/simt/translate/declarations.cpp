// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "declarations.hpp"

#include <cctype>

namespace simt::translate {

namespace {

using Words = std::set<std::string_view>;

const Words specifier_words = {"static", "extern", "inline", "constexpr", "constinit", "consteval", "thread_local", "mutable",
                               "friend", "virtual", "explicit", "typedef", "using", "__shared__", "__device__", "__host__",
                               "__global__", "__constant__", "__managed__", "__forceinline__", "__noinline__", "__inline__",
                               "__grid_constant__", "__extension__"};
const Words builtin_types = {"void", "bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "auto",
                             "wchar_t", "char8_t", "char16_t", "char32_t", "__int128"};
const Words qualifiers = {"const", "volatile", "__restrict__", "__restrict", "restrict"};
const Words alignment_words = {"__align__", "alignas", "_Alignas"};
const Words attribute_words = {"__attribute__", "__launch_bounds__", "__declspec", "__cluster_dims__", "__block_size__", "explicit", "noexcept"};
const Words computed_types = {"decltype", "typeof", "__typeof__", "__typeof"};
const Words class_keys = {"struct", "class", "union", "enum"};

/// Appends a piece of source, with a blank where it would run into what is there.
void append(std::string& text, std::string_view piece)
{
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    if (!text.empty() && is_word(text.back()) && is_word(piece.front())) text += ' ';
    text += piece;
}

class Parser {
public:
    Parser(const Source& source, Index begin) : source_(source), at_(begin) { declaration_.begin = declaration_.end = begin; }

    Declaration run()
    {
        skip_template_head();
        parse_specifiers();
        while (parse_declarator() && source_.is(at_, ",")) advance();
        if (source_.is(at_, ";")) declaration_.end = at_;
        return std::move(declaration_);
    }

private:
    std::string_view word() const { return source_.is_identifier(at_) ? source_[at_].text : std::string_view(); }
    void advance() { jump(at_); }
    /// Goes on behind `last`.
    void jump(Index last)
    {
        declaration_.end = last;
        at_ = source_.next_code(last);
    }
    bool at(std::string_view text) const { return source_.is(at_, text); }

    /// Goes on behind the bracket that closes the one here; false if there is none.
    bool skip_bracket()
    {
        if (at_ == none || source_.partner(at_) == none || source_.partner(at_) < at_) return false;
        jump(source_.partner(at_));
        return true;
    }

    /// Appends to `text` what stands from here to `last`, and goes on behind it.
    void take_until(Index last, std::string& text)
    {
        append(text, source_.flat(at_, last));
        jump(last);
    }

    bool skip_template_arguments(std::string* text = nullptr)
    {
        const Index close = source_.template_close(at_);
        if (close == none) return false;
        std::string ignored;
        take_until(close, text ? *text : ignored);
        return true;
    }

    void skip_template_head()
    {
        while (at("template")) {
            declaration_.is_template = true;
            advance();
            declaration_.template_parameters = count_template_parameters();
            if (at("<") && !skip_template_arguments()) return;
            if (at("requires")) skip_constraint();
        }
    }

    int count_template_parameters() const
    {
        const Index close = at("<") ? source_.template_close(at_) : none;
        if (close == none || source_.next_code(at_) == close) return 0;
        int parameters = 1;
        for (Index i = source_.next_code(at_); i != none && i < close; i = source_.next_code(i)) {
            if (source_.is_one_of(i, {"(", "[", "{"})) i = source_.closing(i);
            else if (source_.is(i, "<") && source_.template_close(i) != none) i = source_.template_close(i);
            else if (source_.is(i, ",")) ++parameters;
        }
        return parameters;
    }

    /// `requires A<T> && (B<T> || c)`.
    void skip_constraint()
    {
        do {
            while (at("requires") || at("&") || at("|") || at("!")) advance();
            if (at("(")) {
                if (!skip_bracket()) return;
                if (at("{")) skip_bracket();
            } else {
                while (source_.is_identifier(at_) || at("::")) {
                    const bool is_name = !at("::");
                    advance();
                    if (at("<") && !skip_template_arguments()) return;
                    if (is_name && !at("::")) break;
                }
            }
        } while (at("&") || at("|"));
    }

    /// Attributes, alignment, storage classes and CUDA's own words: all that is no type.
    bool skip_specifier()
    {
        if (at("[") && source_.is(source_.next_code(at_), "[")) return skip_bracket();
        if (source_.is_identifier(at_) && specifier_words.contains(word())) {
            declaration_.specifiers.emplace(word());
            advance();
            return true;
        }
        const bool alignment = alignment_words.contains(word());
        if (!alignment && !attribute_words.contains(word())) return false;
        const Index open = source_.next_code(at_);
        if (!source_.is(open, "(") || source_.partner(open) == none) return false;
        if (alignment) declaration_.alignment = source_.flat(open, source_.partner(open));
        jump(source_.partner(open));
        return true;
    }

    /// Reads up to the first declarator. A name that ends the specifiers is the declarator's, not the type's.
    void parse_specifiers()
    {
        std::string before_name;  // the type without the last name
        Index name = none;
        int names = 0;
        bool builtin = false;
        while (at_ != none) {
            if (skip_specifier()) continue;
            if (source_[at_].kind == TokenKind::string) {  // extern "C"
                advance();
                continue;
            }
            if (class_keys.contains(word())) {
                parse_class();
                ++names;
                name = none;
            } else if (computed_types.contains(word()) && source_.is(source_.next_code(at_), "(")) {
                append(declaration_.type, source_[at_].text);
                advance();
                if (source_.partner(at_) == none) return;
                take_until(source_.partner(at_), declaration_.type);
                ++names;
            } else if (source_.is_identifier(at_) && !at("operator")) {
                const bool is_type_word = builtin_types.contains(word()) || qualifiers.contains(word()) || at("typename");
                builtin |= builtin_types.contains(word());
                if (!is_type_word && !source_.is(previous_, "::")) ++names;
                name = is_type_word ? none : at_;
                before_name = declaration_.type;
                append(declaration_.type, source_[at_].text);
                previous_ = at_;
                advance();
                continue;
            } else if (at("::")) {
                append(declaration_.type, source_[at_].text);
                previous_ = at_;
                advance();
                continue;
            } else if (at("<") && name != none) {
                if (!skip_template_arguments(&declaration_.type)) return;
                name = none;
            } else if (at("(") && name != none && is_macro_call(names, builtin)) {
                take_until(source_.partner(at_), declaration_.type);
                name = none;
            } else {
                break;
            }
            previous_ = none;
        }
        if (name == none || at("*") || at("&") || declares_behind_parenthesis(names, builtin)) return;
        declaration_.type = before_name;
        at_ = name;
    }

    /// True at the `(` of `float (*name)[3]`, where the name has not been read yet.
    bool declares_behind_parenthesis(int names, bool builtin) const
    {
        if (!at("(")) return false;
        const Index inside = source_.next_code(at_);
        const int type_names = builtin ? 0 : 1;
        return names <= type_names && source_.is_one_of(inside, {"*", "&"});
    }

    /// True at the `(` of a macro that stands for a specifier or a type: a name comes behind its `)`.
    bool is_macro_call(int names, bool builtin) const
    {
        const Index close = source_.partner(at_);
        if (close == none || names > 1 || builtin) return false;
        const Index next = source_.next_code(close);
        return source_.is_identifier(next) && !source_.is_one_of(next, {"const", "noexcept", "override", "final", "requires", "try"});
    }

    /// `struct name`, `struct { … }`, `enum class name : int { … }`.
    void parse_class()
    {
        const Index begin = at_;
        const std::string key(word());
        advance();
        while (class_keys.contains(word())) advance();
        while (skip_specifier()) {
        }
        std::string name;
        while (source_.is_identifier(at_) || at("::")) {
            const bool is_name = !at("::");
            append(name, source_[at_].text);
            advance();
            if (at("<") && !skip_template_arguments(&name)) return;
            if (is_name && !at("::")) break;
        }
        Index body = at_;
        if (at(":"))
            while (body != none && !source_.is(body, "{") && !source_.is(body, ";")) body = source_.next_code(body);
        if (source_.is(body, "{") && source_.partner(body) != none) {
            declaration_.class_begin = begin;
            declaration_.class_end = source_.partner(body);
            declaration_.class_name = name;
            declaration_.class_is_unnamed = name.empty();
            if (name.empty()) declaration_.class_name = "simt_unnamed_" + std::to_string(begin);
            jump(declaration_.class_end);
        }
        if (!declaration_.type.empty()) declaration_.type += ' ';
        declaration_.type += declaration_.class_end == none ? key + " " + name : declaration_.class_name;
    }

    /// Reads one declarator; false if there is none here, or none that can be read.
    bool parse_declarator()
    {
        Declarator declarator;
        int depth = 0;
        // Pointers, references and opening parentheses before the name.
        for (; at_ != none; advance()) {
            const bool qualifier = qualifiers.contains(word());
            if (!qualifier && !at("*") && !at("&") && !at("::") && !at("(")) {
                if (!(source_.is_identifier(at_) && source_.is(source_.next_code(at_), "::"))) break;
            }
            if (at("(") && ++depth > 8) return false;
            append(declarator.shape, source_[at_].text);
        }
        while (skip_specifier()) {
        }
        if (!source_.is_identifier(at_)) return false;
        if (at("operator")) return parse_operator(declarator);
        declarator.name = word();
        advance();
        if (at("<") && !skip_template_arguments()) return false;  // a specialisation's arguments
        return parse_suffixes(declarator, depth);
    }

    bool parse_operator(Declarator& declarator)
    {
        declarator.name = "operator";
        advance();
        if (at("(")) skip_bracket();
        while (at_ != none && !at("(") && !at(";") && !at("{")) advance();
        return parse_suffixes(declarator, 0);
    }

    /// Arrays, parameters and initialisers behind the name, out of `depth` parentheses.
    bool parse_suffixes(Declarator& declarator, int depth)
    {
        const bool nested = depth > 0;
        bool first = true;
        while (at_ != none) {
            if (skip_specifier()) continue;
            if (at(")") && depth > 0) {
                --depth;
                append(declarator.shape, source_[at_].text);
                advance();
            } else if (at("[")) {
                const Index close = source_.partner(at_);
                if (close == none) return false;
                if (source_.next_code(at_) == close) {
                    declarator.shape += "[]";
                    jump(close);
                } else {
                    take_until(close, declarator.shape);
                }
            } else if (at("(")) {
                const Index close = source_.partner(at_);
                if (close == none) return false;
                if (first && !nested && !opens_initializer(at_)) {
                    declarator.is_function = true;
                    declarator.parameters_close = close;
                    jump(close);
                    declaration_.declarators.push_back(declarator);
                    return source_.is(at_, ",");
                }
                if (nested) {
                    take_until(close, declarator.shape);
                } else {
                    declarator.is_initialized = true;
                    jump(close);
                }
            } else {
                break;
            }
            first = false;
        }
        if (at("{") || at("=")) {
            declarator.is_initialized = true;
            skip_initializer();
        }
        declaration_.declarators.push_back(declarator);
        return true;
    }

    /// Tells `float x(3.0f)` from `float x(float)`.
    bool opens_initializer(Index open) const
    {
        const Index inside = source_.next_code(open);
        if (inside == none) return false;
        const TokenKind kind = source_[inside].kind;
        return kind == TokenKind::number || kind == TokenKind::string || kind == TokenKind::character ||
               source_.is_one_of(inside, {"-", "+", "!", "{", "true", "false", "nullptr", "sizeof"});
    }

    void skip_initializer()
    {
        while (at_ != none && !at(",") && !at(";")) {
            if (at("(") || at("[") || at("{")) {
                if (!skip_bracket()) return;
            } else if (at("<") && ends_like_template_arguments(source_.template_close(at_))) {
                jump(source_.template_close(at_));
            } else if (at(")") || at("}") || at("]")) {
                return;
            } else {
                advance();
            }
        }
    }

    bool ends_like_template_arguments(Index close) const
    {
        return close != none && source_.is_one_of(source_.next_code(close), {"(", "{", "::"});
    }

    const Source& source_;
    Index at_;
    Index previous_ = none;
    Declaration declaration_;
};

/// True for the `)` of words like `alignas(…)` or `requires (…)`, which belong to a declaration.
bool closes_specifier(const Source& source, Index close)
{
    if (source.partner(close) == none) return false;
    const Index before = source.previous_code(source.partner(close));
    if (!source.is_identifier(before)) return false;
    const std::string_view text = source[before].text;
    return alignment_words.contains(text) || attribute_words.contains(text) || computed_types.contains(text) || text == "requires";
}

/// True for words that end what stands before a declaration.
bool ends_statement(const Source& source, Index i)
{
    return source.is_one_of(i, {"else", "do", "return", "public", "private", "protected"});
}

/// True if a brace behind `previous` belongs to a requires-expression: `requires requires (T x) { … }`.
bool opens_requirements(const Source& source, Index previous)
{
    Index word = previous;
    if (source.is(previous, ")")) word = source.previous_code(source.partner(previous));
    return source.is(word, "requires") && source.is_one_of(source.previous_code(word), {"requires", "&", "|", "!", "="});
}

}  // namespace

bool is_specifier(std::string_view word) { return specifier_words.contains(word); }

Index declaration_begin(const Source& source, Index specifier)
{
    Index begin = specifier;
    for (Index i = source.previous_code(specifier); i != none; i = source.previous_code(i)) {
        if (source.is(i, ")") ? closes_specifier(source, i) : source.closes_attribute(i)) {
            i = source.partner(i);
            if (i == none) break;
        } else if (source.is(i, ">") || source.is(i, ">>>")) {
            i = source.template_open(i);
            if (i == none) break;
        } else if (source.is_identifier(i) ? ends_statement(source, i) : !source.is_one_of(i, {"::", "*", "&", "|"}) && source[i].kind != TokenKind::string) {
            break;
        }
        begin = i;
    }
    return begin;
}

Declaration parse_declaration(const Source& source, Index begin) { return Parser(source, begin).run(); }

Index body_begin(const Source& source, Index from)
{
    bool in_initializers = false;  // those of a constructor's members
    for (Index i = from; i != none; i = source.next_code(i)) {
        if (source.is(i, "operator")) {
            while (i != none && !source.is(i, "(")) i = source.next_code(i);
            if (i != none && source.is(source.next_code(source.next_code(i)), "(")) i = source.next_code(source.next_code(i));
            if (i == none) return none;
        }
        const Index previous = source.previous_code(i);
        const bool initializes_member = in_initializers && (source.is_identifier(previous) || source.is(previous, ">"));
        if (source.is(i, "{") && !initializes_member && !opens_requirements(source, previous)) return i;
        if (source.is_one_of(i, {";", "=", "}", ")", "]"}) || (source.is(i, ",") && !in_initializers)) return none;
        if (source.is(i, ":")) in_initializers = true;
        if (source.is_one_of(i, {"(", "[", "{"})) i = source.partner(i);
        else if (source.is(i, "<") && source.template_close(i) != none) i = source.template_close(i);
    }
    return none;
}

}  // namespace simt::translate
