#include "ptx/lexer.hpp"

#include <algorithm>

#include "ptx/module.hpp"

namespace simt::ptx {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$'; }

}  // namespace

std::string in_quotes(std::string_view name) {
    constexpr std::size_t longest = 80;
    std::string shown = "'";
    for (const char c : name.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '?';
    return shown + (name.size() > longest ? "…'" : "'");
}

void fail_at(int line, std::string_view function, const std::string& what) {
    Message message(MessageCode::unreadable_ptx, {{"ptx_line", line}});
    if (!function.empty()) message.fields.emplace_back("function", in_quotes(function));
    message.fields.emplace_back("problem", what);
    throw ParseError(std::move(message));
}

Lexer::Lexer(std::string_view text) : text_(text) {
    // Fat binaries pad the text with zero bytes.
    while (text_.ends_with('\0')) text_.remove_suffix(1);
    advance();
}

void Lexer::fail(const std::string& what) const { fail_at(token_.line, function_, what); }

std::string Lexer::given() const { return token_.kind == Token::Kind::end ? "the end of the text" : in_quotes(token_.text); }

Token Lexer::peek_second() const {
    Lexer ahead = *this;
    ahead.advance();
    return ahead.token_;
}

Token Lexer::next() {
    const Token taken = token_;
    advance();
    return taken;
}

bool Lexer::at(char punctuation) const {
    return token_.kind == Token::Kind::punctuation && token_.text.size() == 1 && token_.text[0] == punctuation;
}

bool Lexer::accept(char punctuation) {
    if (!at(punctuation)) return false;
    advance();
    return true;
}

bool Lexer::accept_dotted(std::string_view word) {
    if (!at_dotted(word)) return false;
    advance();
    return true;
}

void Lexer::expect(char punctuation) {
    if (!accept(punctuation)) fail("got " + given() + ", accepted: '" + punctuation + "'");
}

std::string_view Lexer::expect_identifier(std::string_view what) {
    if (!at(Token::Kind::identifier)) fail("got " + given() + ", accepted: " + std::string(what));
    return next().text;
}

std::string_view Lexer::expect_string() {
    if (!at(Token::Kind::string)) fail("got " + given() + ", accepted: a string in quotation marks");
    return next().text;
}

void Lexer::skip_line() {
    position_ = std::min(text_.find('\n', position_), text_.size());
    advance();
}

void Lexer::skip_braces() {
    while (!at('}')) {
        if (at(Token::Kind::end)) fail("the text ends inside of a section");
        advance();
    }
    advance();
}

void Lexer::skip_comment() {
    const std::size_t end = text_.find("*/", position_ + 2);
    if (end == std::string_view::npos) fail_at(line_, function_, "a comment has no end");
    line_ += static_cast<int>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(position_), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    position_ = end + 2;
}

void Lexer::skip_rest_of_line() {
    const std::string_view rest = text_.substr(position_);
    if (rest.starts_with("// begin inline asm")) {
        in_assembly_ = true;
        ++assemblies_;
    } else if (rest.starts_with("// end inline asm")) {
        in_assembly_ = false;
    }
    position_ = std::min(text_.find('\n', position_), text_.size());
}

void Lexer::skip_blanks() {
    while (position_ < text_.size()) {
        const char c = text_[position_];
        if (c == '\n') {
            ++line_;
            ++position_;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            ++position_;
        } else if ((c == '/' && character(1) == '/') || c == '#') {
            // Lines of a preprocessor (`# 1 "file"`) are skipped.
            skip_rest_of_line();
        } else if (c == '/' && character(1) == '*') {
            skip_comment();
        } else {
            return;
        }
    }
}

void Lexer::take(Token::Kind kind, std::size_t characters) {
    token_.kind = kind;
    token_.text = text_.substr(position_, characters);
    position_ += characters;
}

std::size_t Lexer::word_length(std::size_t from) const {
    std::size_t end = position_ + from;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return end - position_;
}

std::size_t Lexer::dotted_length() const {
    std::size_t length = word_length(0);
    while (character(length) == ':' && character(length + 1) == ':' && is_word(character(length + 2))) length = word_length(length + 2);
    return length;
}

std::size_t Lexer::number_length() const {
    const auto is = [](char c, char lower) { return (c | 0x20) == lower; };
    const char second = character(1);
    if (character(0) == '0' && (is(second, 'x') || is(second, 'f') || is(second, 'd') || is(second, 'b'))) return word_length(0);
    std::size_t length = 0;
    while (is_digit(character(length))) ++length;
    if (character(length) == '.') {
        ++length;
        while (is_digit(character(length))) ++length;
    }
    if (is(character(length), 'e')) {
        const char sign = character(length + 1);
        if (sign == '+' || sign == '-') return word_length(length + 2);
    }
    return word_length(length);
}

std::size_t Lexer::punctuation_length() const {
    constexpr std::string_view pairs[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    const std::string_view two = text_.substr(position_, 2);
    return std::find(std::begin(pairs), std::end(pairs), two) == std::end(pairs) ? 1 : 2;
}

void Lexer::take_string() {
    std::size_t end = position_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? std::size_t{2} : std::size_t{1};
    if (end >= text_.size() || text_[end] != '"') fail_at(line_, function_, "a string has no end on its line");
    ++position_;
    take(Token::Kind::string, end - position_);
    ++position_;
}

void Lexer::advance() {
    skip_blanks();
    token_.line = line_;
    if (position_ >= text_.size()) return take(Token::Kind::end, 0);
    const char c = text_[position_];
    if (is_digit(c)) return take(Token::Kind::number, number_length());
    if (is_word(c)) return take(Token::Kind::identifier, word_length(1));
    if (c == '%' && is_word(character(1))) return take(Token::Kind::identifier, word_length(1));
    if (c == '"') return take_string();
    if (c != '.' || !is_word(character(1))) return take(Token::Kind::punctuation, punctuation_length());
    ++position_;
    take(Token::Kind::dotted, dotted_length());
}

}  // namespace simt::ptx
