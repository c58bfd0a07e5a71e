// The words of a PTX text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace simt::ptx {

/// A word of the text. Its characters are those of the text itself.
struct Token {
    enum class Kind : unsigned char {
        end,
        /// Also registers (`%r1`) and opcodes.
        identifier,
        /// Directives and modifiers; `text` has no leading dot, and keeps `::` (`shared::cluster`).
        dotted,
        /// Begins with a digit; may be an integer or a floating-point constant.
        number,
        /// Between its quotation marks.
        string,
        punctuation,
    };
    Kind kind = Kind::end;
    std::string_view text;
    int line = 1;
};

/// Reads tokens one after another, with one token of lookahead. Its errors name the place in the text.
class Lexer {
public:
    explicit Lexer(std::string_view text);

    const Token& peek() const { return token_; }
    /// The token after peek().
    Token peek_second() const;
    Token next();
    int line() const { return token_.line; }
    std::size_t text_size() const { return text_.size(); }

    bool at(Token::Kind kind) const { return token_.kind == kind; }
    bool at(char punctuation) const;
    bool at_dotted(std::string_view word) const { return token_.kind == Token::Kind::dotted && token_.text == word; }
    bool accept(char punctuation);
    bool accept_dotted(std::string_view word);
    void expect(char punctuation);
    std::string_view expect_identifier(std::string_view what);
    std::string_view expect_string();
    /// Whether the current token follows `token` without a space.
    bool adjacent(const Token& token) const { return token_.text.data() == token.text.data() + token.text.size() + 1; }
    void skip_line();
    /// Skips everything through the next `}`.
    void skip_braces();

    /// The number of the inline assembly around the current token; 0 for tokens that the compiler wrote.
    int assembly() const { return in_assembly_ ? assemblies_ : 0; }

    /// The function that messages name; empty outside of functions.
    void set_function(std::string_view name) { function_ = name; }
    std::string_view function() const { return function_; }
    /// @throws ParseError "PTX line 7, function f: …"
    [[noreturn]] void fail(const std::string& what) const;
    /// The current token as a message quotes it.
    std::string given() const;

private:
    void advance();
    void skip_blanks();
    void skip_comment();
    void skip_rest_of_line();
    void take(Token::Kind kind, std::size_t characters);
    std::size_t word_length(std::size_t from) const;
    std::size_t dotted_length() const;
    std::size_t number_length() const;
    std::size_t punctuation_length() const;
    void take_string();
    char character(std::size_t ahead) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }

    std::string_view text_;
    std::size_t position_ = 0;
    int line_ = 1;
    int assemblies_ = 0;
    bool in_assembly_ = false;
    Token token_;
    std::string_view function_;
};

/// A name as a message shows it: printable, on one line, of bounded length.
std::string in_quotes(std::string_view name);
/// @throws ParseError "PTX line 7, function f: what"
[[noreturn]] void fail_at(int line, std::string_view function, const std::string& what);

}  // namespace simt::ptx
