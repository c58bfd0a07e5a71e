// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "lexer.hpp"

#include <algorithm>
#include <cctype>

namespace simt::translate {

namespace {

bool starts_identifier(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80);
}
bool continues_identifier(char c) { return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c)); }

class Lexer {
public:
    Lexer(std::string_view source, int first_line, bool has_directives)
        : source_(source), line_(first_line), has_directives_(has_directives)
    {
    }

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
        if (const std::size_t end = space_end(at_); end > at_) return emit(TokenKind::space, end);
        if (c == '#' && line_is_empty_ && has_directives_) return emit(TokenKind::directive, directive_end());
        if (const std::size_t end = literal_end(at_); end != npos)
            return emit(source_[std::min(end, source_.size()) - 1] == '\'' ? TokenKind::character : TokenKind::string, end);
        if (starts_identifier(c)) return emit(TokenKind::identifier, identifier_end());
        if (std::isdigit(static_cast<unsigned char>(c)) || (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1)))))
            return emit(TokenKind::number, number_end(at_));
        emit(TokenKind::punctuation, at_ + punctuation_length());
    }

    std::size_t punctuation_length() const
    {
        if (looking_at("<<<")) return 3;
        if (looking_at(">>>")) return looking_at(">>>>") ? 1 : 3;
        return looking_at("::") || looking_at("->") || looking_at("##") ? 2 : 1;
    }

    /// End of a backslash and the line break behind it, or `at` if there is none.
    std::size_t splice_end(std::size_t at) const
    {
        if (at >= source_.size() || source_[at] != '\\') return at;
        std::size_t end = at + 1;
        if (end < source_.size() && source_[end] == '\r') ++end;
        return end < source_.size() && source_[end] == '\n' ? end + 1 : at;
    }

    /// End of the line that `at` is in, continued lines included.
    std::size_t line_end(std::size_t at) const
    {
        while (at < source_.size() && source_[at] != '\n') at = std::max(at + 1, splice_end(at));
        return at;
    }

    /// End of the comment at `at`, or `at` if there is none.
    std::size_t comment_end(std::size_t at) const
    {
        if (source_.substr(at).starts_with("//")) return line_end(at);
        if (!source_.substr(at).starts_with("/*")) return at;
        const std::size_t end = source_.find("*/", at + 2);
        return end == npos ? source_.size() : end + 2;
    }

    /// End of one comment, or of a run of white space and continued lines, or `at` if there is neither.
    std::size_t space_end(std::size_t at) const
    {
        if (const std::size_t end = comment_end(at); end > at) return end;
        for (;;) {
            while (at < source_.size() && std::isspace(static_cast<unsigned char>(source_[at]))) ++at;
            const std::size_t end = splice_end(at);
            if (end == at) return at;
            at = end;
        }
    }

    /// A directive ends with its line, but for continued lines, and comments and raw strings that run on.
    std::size_t directive_end() const
    {
        std::size_t end = at_;
        while (end < source_.size() && source_[end] != '\n') {
            if (const std::size_t splice = splice_end(end); splice > end) end = splice;
            else if (const std::size_t comment = comment_end(end); comment > end) end = comment;
            else if (std::isdigit(static_cast<unsigned char>(source_[end]))) end = number_end(end);
            else if (starts_identifier(source_[end]) || source_[end] == '"' || source_[end] == '\'') end = word_end(end);
            else ++end;
        }
        return end;
    }

    /// End of the literal or identifier at `at`.
    std::size_t word_end(std::size_t at) const
    {
        if (const std::size_t end = literal_end(at); end != npos) return std::min(end, source_.size());
        while (at < source_.size() && continues_identifier(source_[at])) ++at;
        return at;
    }

    /// End of the string or character literal, with its encoding prefix, that starts at `at`; npos if there is none.
    std::size_t literal_end(std::size_t at) const
    {
        for (std::string_view prefix : {"", "L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"}) {
            const std::size_t quote = at + prefix.size();
            if (quote >= source_.size() || source_.substr(at, prefix.size()) != prefix) continue;
            if (source_[quote] == '"') return prefix.ends_with('R') ? raw_string_end(quote) : quoted_end(quote);
            if (source_[quote] == '\'' && !prefix.ends_with('R')) return quoted_end(quote);
        }
        return npos;
    }

    /// A literal that is not closed on its line ends with the line.
    std::size_t quoted_end(std::size_t quote) const
    {
        std::size_t end = quote + 1;
        while (end < source_.size() && source_[end] != source_[quote]) {
            if (source_[end] == '\n') return end;
            end = source_[end] == '\\' ? std::max(end + 2, splice_end(end)) : end + 1;
        }
        return end + 1;
    }

    std::size_t raw_string_end(std::size_t quote) const
    {
        const std::size_t open = source_.find('(', quote);
        if (open == npos) return source_.size();
        const std::string close = ")" + std::string(source_.substr(quote + 1, open - quote - 1)) + "\"";
        const std::size_t end = source_.find(close, open);
        return end == npos ? source_.size() : end + close.size();
    }

    std::size_t identifier_end() const { return word_end(at_); }

    /// Numbers hold letters, dots, digit separators and signed exponents.
    std::size_t number_end(std::size_t at) const
    {
        std::size_t end = at;
        while (end < source_.size()) {
            const char c = source_[end];
            const bool exponent_sign = (c == '+' || c == '-') && end > at && std::string_view("eEpP").find(source_[end - 1]) != npos;
            const bool separator = c == '\'' && end + 1 < source_.size() && continues_identifier(source_[end + 1]);
            if (!continues_identifier(c) && c != '.' && !exponent_sign && !separator) break;
            ++end;
        }
        return end;
    }

    static constexpr std::size_t npos = std::string_view::npos;

    std::string_view source_;
    std::size_t at_ = 0;
    int line_;
    bool has_directives_;
    bool line_is_empty_ = true;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source, int first_line, bool has_directives)
{
    return Lexer(source, first_line, has_directives).run();
}

Directive parse_directive(std::string_view text)
{
    std::vector<Token> tokens = tokenize(text.substr(text.find('#') + 1));
    std::size_t name = 0;
    while (name < tokens.size() && tokens[name].kind == TokenKind::space) ++name;
    if (name == tokens.size()) return {};
    std::size_t rest = name + 1;
    while (rest < tokens.size() && tokens[rest].kind == TokenKind::space) ++rest;
    const char* end = text.data() + text.size();
    const char* begin = rest < tokens.size() ? tokens[rest].text.data() : end;
    return {tokens[name].text, std::string_view(begin, static_cast<std::size_t>(end - begin))};
}

}  // namespace simt::translate
