// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "lexer.hpp"

#include <algorithm>
#include <cctype>

namespace simt::translate {

namespace {

bool starts_identifier(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); }
bool continues_identifier(char c) { return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c)); }

class Lexer {
public:
    explicit Lexer(std::string_view source) : source_(source) {}

    std::vector<Token> run()
    {
        while (at_ < source_.size()) next();
        return std::move(tokens_);
    }

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
    bool looking_at(std::string_view text) const { return source_.substr(at_).starts_with(text); }

    void emit(TokenKind kind, std::size_t end)
    {
        end = std::min(end, source_.size());
        const std::string_view text = source_.substr(at_, end - at_);
        tokens_.push_back({kind, text, line_});
        line_ += static_cast<int>(std::ranges::count(text, '\n'));
        if (kind == TokenKind::space)
            line_is_empty_ |= text.find('\n') != std::string_view::npos;
        else
            line_is_empty_ = kind == TokenKind::directive;
        at_ = end;
    }

    void next()
    {
        const char c = peek();
        if (std::isspace(static_cast<unsigned char>(c)) || looking_at("//") || looking_at("/*")) return emit(TokenKind::space, space_end());
        if (c == '#' && line_is_empty_) return emit(TokenKind::directive, directive_end());
        if (const std::size_t quote = prefix_before_quote(); quote != npos) return literal(quote);
        if (starts_identifier(c)) return emit(TokenKind::identifier, identifier_end());
        if (std::isdigit(static_cast<unsigned char>(c)) || (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1)))))
            return emit(TokenKind::number, number_end());
        emit(TokenKind::punctuation, at_ + (looking_at("<<<") || looking_at(">>>") ? 3 : 1));
    }

    std::size_t space_end() const
    {
        if (looking_at("//")) {
            std::size_t end = at_;
            do end = std::min(source_.find('\n', end + 1), source_.size());
            while (end < source_.size() && source_[end - 1] == '\\');
            return end;
        }
        if (looking_at("/*")) {
            const std::size_t end = source_.find("*/", at_ + 2);
            return end == npos ? source_.size() : end + 2;
        }
        std::size_t end = at_;
        while (end < source_.size() && std::isspace(static_cast<unsigned char>(source_[end]))) ++end;
        return end;
    }

    /// A directive ends with its line, but for continued lines and comments that run on.
    std::size_t directive_end() const
    {
        std::size_t end = at_;
        while (end < source_.size()) {
            if (source_.substr(end).starts_with("/*")) {
                const std::size_t close = source_.find("*/", end + 2);
                end = close == npos ? source_.size() : close + 2;
            } else if (source_[end] == '\\' && end + 1 < source_.size() && source_[end + 1] == '\n') {
                end += 2;
            } else if (source_[end] == '\n') {
                break;
            } else {
                ++end;
            }
        }
        return end;
    }

    /// Offset of the quote if a string or character literal, with its encoding prefix, starts here.
    std::size_t prefix_before_quote() const
    {
        for (std::string_view prefix : {"", "L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"}) {
            if (!looking_at(prefix)) continue;
            const char quote = peek(prefix.size());
            if (quote == '"' || (quote == '\'' && !prefix.ends_with('R'))) return at_ + prefix.size();
        }
        return npos;
    }

    void literal(std::size_t quote)
    {
        const bool raw = quote > at_ && source_[quote - 1] == 'R';
        if (raw) {
            const std::size_t open = source_.find('(', quote);
            if (open == npos) return emit(TokenKind::string, source_.size());
            const std::string close = ")" + std::string(source_.substr(quote + 1, open - quote - 1)) + "\"";
            const std::size_t end = source_.find(close, open);
            return emit(TokenKind::string, end == npos ? source_.size() : end + close.size());
        }
        std::size_t end = quote + 1;
        while (end < source_.size() && source_[end] != source_[quote] && source_[end] != '\n') end += source_[end] == '\\' ? 2 : 1;
        emit(source_[quote] == '"' ? TokenKind::string : TokenKind::character, end + 1);
    }

    std::size_t identifier_end() const
    {
        std::size_t end = at_;
        while (end < source_.size() && continues_identifier(source_[end])) ++end;
        return end;
    }

    /// Numbers hold letters, dots, digit separators and signed exponents.
    std::size_t number_end() const
    {
        std::size_t end = at_;
        while (end < source_.size()) {
            const char c = source_[end];
            const bool exponent_sign = (c == '+' || c == '-') && end > at_ && std::string_view("eEpP").find(source_[end - 1]) != npos;
            const bool separator = c == '\'' && end + 1 < source_.size() && continues_identifier(source_[end + 1]);
            if (!continues_identifier(c) && c != '.' && !exponent_sign && !separator) break;
            ++end;
        }
        return end;
    }

    static constexpr std::size_t npos = std::string_view::npos;

    std::string_view source_;
    std::size_t at_ = 0;
    int line_ = 1;
    bool line_is_empty_ = true;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) { return Lexer(source).run(); }

}  // namespace simt::translate
