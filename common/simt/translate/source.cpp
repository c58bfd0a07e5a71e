// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "source.hpp"

#include <algorithm>
#include <optional>

#include "conditions.hpp"
#include "translator.hpp"

namespace simt::translate {

Source::Source(std::string_view text, std::string_view file, int first_line, bool is_macro)
    : file_(file), is_macro_(is_macro), tokens_(tokenize(text, first_line, !is_macro))
{
    leave_out_disabled_code();
    match_brackets();
    find_namespace_scope();
}

namespace {

/// An `#if` that is open.
struct Conditional {
    /// True if the whole of it is left out.
    bool outer_left_out;
    /// True once a branch has begun that is compiled if none before it is.
    bool decided = false;
    /// True if the present branch is left out.
    bool left_out = false;

    void begin_branch(std::optional<bool> condition)
    {
        left_out = outer_left_out || decided || condition == false;
        decided |= condition == true;
    }
};

}  // namespace

void Source::leave_out_disabled_code()
{
    std::vector<Conditional> open;
    for (Token& token : tokens_) {
        bool left_out = !open.empty() && open.back().left_out;
        if (token.kind == TokenKind::directive) {
            const Directive directive = parse_directive(token.text);
            if (directive.name.starts_with("if")) open.push_back({left_out});
            // The lines that part the branches stay if the whole stays.
            if (!open.empty() && opens_branch(directive)) open.back().begin_branch(branch_condition(directive));
            if (!open.empty() && (opens_branch(directive) || directive.name == "endif")) left_out = open.back().outer_left_out;
            if (!open.empty() && directive.name == "endif") open.pop_back();
        }
        if (left_out) token.kind = TokenKind::space;
    }
}

void Source::match_brackets()
{
    partners_.assign(tokens_.size(), none);
    std::vector<Index> open;
    // Branches of an `#if` may open the same bracket twice: each branch starts from what was open before the `#if`.
    std::vector<std::vector<Index>> open_before_branches;
    for (Index i = 0; i < tokens_.size(); ++i) {
        const Token& token = tokens_[i];
        if (token.kind == TokenKind::directive) {
            const std::string_view name = parse_directive(token.text).name;
            if (name.starts_with("if")) open_before_branches.push_back(open);
            else if (name.starts_with("el") && !open_before_branches.empty()) open = open_before_branches.back();
            else if (name == "endif" && !open_before_branches.empty()) open_before_branches.pop_back();
        }
        if (token.kind != TokenKind::punctuation || token.text.size() != 1) continue;
        const std::size_t kind = std::string_view("([{)]}").find(token.text[0]);
        if (kind == std::string_view::npos) continue;
        if (kind < 3) {
            open.push_back(i);
            continue;
        }
        const char wanted = "([{"[kind - 3];
        // A bracket inside that nobody closes does not keep the outer one open.
        const auto found = std::find_if(open.rbegin(), open.rend(), [&](Index o) { return tokens_[o].text[0] == wanted; });
        if (found == open.rend()) continue;
        partners_[i] = *found;
        partners_[*found] = i;
        open.erase(found.base() - 1, open.end());
    }
}

bool Source::opens_namespace(Index brace) const
{
    Index i = previous_code(brace);
    if (i != none && tokens_[i].kind == TokenKind::string) return is(previous_code(i), "extern");
    while (i != none && (is_identifier(i) || is(i, "::") || is(i, "]"))) {
        if (is(i, "namespace")) return true;
        if (is(i, "]")) i = partner(i) == none ? i : partner(i);
        i = previous_code(i);
    }
    return false;
}

void Source::find_namespace_scope()
{
    at_namespace_scope_.assign(tokens_.size(), true);
    for (Index i = 0; i < tokens_.size(); ++i) {
        if (!is(i, "(") && !is(i, "[") && !is(i, "{")) continue;
        if (partner(i) == none || (is(i, "{") && opens_namespace(i))) continue;
        std::fill(at_namespace_scope_.begin() + static_cast<std::ptrdiff_t>(i),
                  at_namespace_scope_.begin() + static_cast<std::ptrdiff_t>(partner(i)), false);
        i = partner(i);
    }
}

bool Source::is_one_of(Index i, std::initializer_list<std::string_view> texts) const
{
    return std::ranges::any_of(texts, [&](std::string_view text) { return is(i, text); });
}

Index Source::next_code(Index i) const
{
    if (i == none) return none;
    for (++i; i < tokens_.size(); ++i)
        if (is_code(i)) return i;
    return none;
}

Index Source::previous_code(Index i) const
{
    if (i == none) return none;
    while (i-- > 0)
        if (is_code(i)) return i;
    return none;
}

Index Source::closing(Index open) const
{
    if (partners_[open] == none) fail(open, "'" + std::string(tokens_[open].text) + "' is never closed");
    return partners_[open];
}

bool Source::closes_attribute(Index i) const
{
    return is(i, "]") && partners_[i] != none && is(next_code(partners_[i]), "[");
}

Index Source::template_close(Index open) const
{
    int depth = 0;
    for (Index i = open; i != none; i = next_code(i)) {
        if (is_one_of(i, {"(", "[", "{"})) {
            i = partner(i);
            if (i == none) return none;
        } else if (is(i, "<")) {
            ++depth;
        } else if (is(i, ">")) {
            if (--depth == 0) return i;
        } else if (is(i, ">>>")) {
            if ((depth -= 3) <= 0) return i;
        } else if (is_one_of(i, {";", ")", "]", "}"})) {
            return none;
        }
    }
    return none;
}

Index Source::template_open(Index close) const
{
    int depth = 0;
    for (Index i = close; i != none; i = previous_code(i)) {
        if (is_one_of(i, {")", "]", "}"})) {
            i = partner(i);
            if (i == none) return none;
        } else if (is(i, ">")) {
            ++depth;
        } else if (is(i, ">>>")) {
            depth += 3;
        } else if (is(i, "<")) {
            if (--depth == 0) return i;
        } else if (is_one_of(i, {";", "(", "[", "{"})) {
            return none;
        }
    }
    return none;
}

std::string Source::flat(Index first, Index last) const
{
    std::string text;
    for (Index i = first; i <= last; ++i) {
        if (is_code(i)) text += tokens_[i].text;
        else if (!text.empty() && text.back() != ' ') text += ' ';
    }
    return text;
}

std::string Source::message(Index at, const std::string& what) const
{
    return std::string(file_) + ":" + std::to_string(tokens_[at].line) + ": " + what;
}

void Source::fail(Index at, const std::string& what) const { throw TranslationError(message(at, what)); }

void Edits::replace(Index i, const std::string& text)
{
    edits_[i].replacement = text;
    edits_[i].replaced = true;
}

void Edits::remove(Index first, Index last)
{
    for (Index i = first; i <= last; ++i) {
        const bool breaks_line = source_[i].text.find('\n') != std::string_view::npos;
        if (source_.is_code(i) || (source_[i].kind == TokenKind::space && !breaks_line && !source_[i].text.starts_with("//"))) replace(i, "");
    }
}

std::string Edits::text() const
{
    std::string text;
    for (Index i = 0; i < edits_.size(); ++i) {
        const Edit& edit = edits_[i];
        text += edit.before;
        text += edit.replaced ? std::string_view(edit.replacement) : source_[i].text;
        text += edit.after;
    }
    return text;
}

}  // namespace simt::translate
