// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The tokens of a piece of source, and ways through them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lexer.hpp"

namespace simt::translate {

/// Place of a token in its source.
using Index = std::size_t;
/// No token.
inline constexpr Index none = static_cast<Index>(-1);

/// A source file, or the body of one macro. Code that an `#if` always leaves out, see
/// branch_condition(), counts as white space.
class Source {
public:
    /// `text` must outlive the source. `first_line` is the line that it starts on in `file`.
    Source(std::string_view text, std::string_view file, int first_line = 1, bool is_macro = false);

    std::size_t size() const { return tokens_.size(); }
    const Token& operator[](Index i) const { return tokens_[i]; }
    std::string_view file() const { return file_; }
    bool is_macro() const { return is_macro_; }

    /// True if `i` is a token that is `text`. No token is nothing.
    bool is(Index i, std::string_view text) const { return i != none && tokens_[i].text == text && is_code(i); }
    bool is_one_of(Index i, std::initializer_list<std::string_view> texts) const;
    bool is_identifier(Index i) const { return i != none && tokens_[i].kind == TokenKind::identifier; }
    bool is_code(Index i) const { return tokens_[i].kind != TokenKind::space && tokens_[i].kind != TokenKind::directive; }

    /// The code nearest behind `i`, or before it; none if there is none, or `i` is none.
    Index next_code(Index i) const;
    Index previous_code(Index i) const;

    /// The partner of the bracket `(`, `[`, `{` or `)`, `]`, `}` at `i`, or none.
    Index partner(Index i) const { return partners_[i]; }
    /// The bracket that closes the one at `open`. @throws TranslationError if none does.
    Index closing(Index open) const;

    /// True for the last `]` of an attribute: `[[…]]`.
    bool closes_attribute(Index i) const;

    /// The `>` or `>>>` that closes the template arguments opened by the `<` at `open`, or none.
    Index template_close(Index open) const;
    /// The `<` that opens the template arguments closed by the `>` or `>>>` at `close`, or none.
    Index template_open(Index close) const;

    /// True if `i` stands in no function, class or bracket. Never true in the body of a macro.
    bool at_namespace_scope(Index i) const { return !is_macro_ && at_namespace_scope_[i]; }

    /// The text of tokens first…last on one line, without comments.
    std::string flat(Index first, Index last) const;

    /// `file:line: what`.
    std::string message(Index at, const std::string& what) const;
    /// @throws TranslationError with that message.
    [[noreturn]] void fail(Index at, const std::string& what) const;

private:
    void leave_out_disabled_code();
    void match_brackets();
    void find_namespace_scope();
    bool opens_namespace(Index brace) const;

    std::string_view file_;
    bool is_macro_;
    std::vector<Token> tokens_;
    std::vector<Index> partners_;
    std::vector<bool> at_namespace_scope_;
};

/// What is to be written before, in place of, and after the tokens of a source.
class Edits {
public:
    explicit Edits(const Source& source) : source_(source), edits_(source.size()) {}

    void before(Index i, const std::string& text) { edits_[i].before += text; }
    /// Text that is put later stands nearer to the token.
    void after(Index i, const std::string& text) { edits_[i].after = text + edits_[i].after; }
    void replace(Index i, const std::string& text);
    /// Removes the code of first…last; comments and line breaks in between stay.
    void remove(Index first, Index last);
    /// The edited source.
    std::string text() const;

private:
    struct Edit {
        std::string before, after, replacement;
        bool replaced = false;
    };
    const Source& source_;
    std::vector<Edit> edits_;
};

}  // namespace simt::translate
