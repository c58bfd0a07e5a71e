#include "ptx/constant.hpp"

#include <bit>
#include <charconv>
#include <string>

namespace simt::ptx {

namespace {

using Kind = Constant::Kind;

constexpr int most_nesting_of_constant = 200;

struct Operator {
    std::string_view text;
    int precedence;
};

/// Binary operators and their precedence: a higher one binds first.
constexpr Operator binary_operators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {"<=", 7},
    {">", 7},  {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};
constexpr int precedence_of_product = 10;

std::int64_t as_signed(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

Constant signed_constant(std::uint64_t bits) { return {Kind::s64, bits}; }

class Expression {
public:
    explicit Expression(Lexer& lexer) : lexer_(lexer) {}

    Constant whole() {
        const Nesting nesting(*this);
        const Constant condition = binary(1);
        if (!lexer_.accept('?')) return condition;
        const Constant yes = whole();
        lexer_.expect(':');
        const Constant no = whole();
        return integer_of(condition) != 0 ? yes : no;
    }

    Constant binary(int least_precedence) {
        const Nesting nesting(*this);
        Constant left = unary();
        for (int precedence = current_precedence(); precedence >= least_precedence && precedence > 0; precedence = current_precedence()) {
            const std::string_view name = lexer_.next().text;
            left = combined(name, left, binary(precedence + 1));
        }
        return left;
    }

private:
    /// Counts the nesting of expressions, so that no text exhausts the stack.
    class Nesting {
    public:
        explicit Nesting(Expression& expression) : depth_(expression.depth_) {
            if (++depth_ > most_nesting_of_constant) expression.lexer_.fail("a constant expression is nested too deep");
        }
        ~Nesting() { --depth_; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;

    private:
        int& depth_;
    };

    std::uint64_t integer_of(const Constant& constant) const {
        if (constant.is_floating()) lexer_.fail("got a floating-point constant, accepted: an integer");
        return constant.bits;
    }

    int current_precedence() const {
        if (!lexer_.at(Token::Kind::punctuation)) return 0;
        // A fast path for long lists of constants, where a comma follows each constant.
        if (std::string_view(",;)]}").find(lexer_.peek().text[0]) != std::string_view::npos) return 0;
        for (const Operator& candidate : binary_operators)
            if (candidate.text == lexer_.peek().text) return candidate.precedence;
        return 0;
    }

    Constant negated(Constant constant) const {
        switch (constant.kind) {
            case Kind::f32: constant.bits ^= std::uint64_t{1} << 31; break;
            case Kind::f64: constant.bits ^= std::uint64_t{1} << 63; break;
            default: constant.bits = 0 - constant.bits;
        }
        return constant;
    }

    Constant unary() {
        const Nesting nesting(*this);
        if (lexer_.accept('+')) return unary();
        if (lexer_.accept('-')) return negated(unary());
        if (lexer_.accept('!')) return signed_constant(integer_of(unary()) == 0);
        if (lexer_.accept('~')) {
            Constant constant = unary();
            constant.bits = ~integer_of(constant);
            return constant;
        }
        if (lexer_.accept('(')) return in_parentheses();
        return primary();
    }

    Constant in_parentheses() {
        for (const auto& [name, kind] : {std::pair{"s64", Kind::s64}, std::pair{"u64", Kind::u64}}) {
            if (!lexer_.accept_dotted(name)) continue;
            lexer_.expect(')');
            return {kind, integer_of(unary())};
        }
        const Constant constant = whole();
        lexer_.expect(')');
        return constant;
    }

    Constant primary() {
        if (lexer_.at(Token::Kind::identifier) && lexer_.peek().text == "WARP_SZ") {
            lexer_.next();
            return signed_constant(32);
        }
        if (!lexer_.at(Token::Kind::number)) lexer_.fail("got " + lexer_.given() + ", accepted: a constant");
        const Constant constant = number(lexer_.peek().text);
        lexer_.next();
        return constant;
    }

    std::uint64_t digits(std::string_view text, int base) const {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
        if (error != std::errc() || end != text.data() + text.size())
            lexer_.fail("got " + lexer_.given() + ", accepted: a number of at most 64 bits");
        return value;
    }

    Constant number(std::string_view text) const {
        const char second = text.size() > 1 && text[0] == '0' ? static_cast<char>(text[1] | 0x20) : '\0';
        if (second == 'f' || second == 'd') return floating_bits(text.substr(2), second == 'f');
        const bool hexadecimal = second == 'x';
        const bool decimal_point = !hexadecimal && second != 'b' && text.find_first_of(".eE") != std::string_view::npos;
        if (decimal_point) return decimal_floating(text);
        const bool suffix = text.back() == 'U' || text.back() == 'u';
        if (suffix) text.remove_suffix(1);
        std::uint64_t value = 0;
        if (hexadecimal || second == 'b') value = digits(text.substr(2), hexadecimal ? 16 : 2);
        else value = digits(text, second != '\0' ? 8 : 10);
        return {suffix || as_signed(value) < 0 ? Kind::u64 : Kind::s64, value};
    }

    Constant floating_bits(std::string_view text, bool single) const {
        if (text.size() != (single ? 8u : 16u))
            lexer_.fail("got " + lexer_.given() + ", accepted: 0f and 8, or 0d and 16 hexadecimal digits");
        return {single ? Kind::f32 : Kind::f64, digits(text, 16)};
    }

    Constant decimal_floating(std::string_view text) const {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
            lexer_.fail("got " + lexer_.given() + ", accepted: a number that a double holds");
        return {Kind::f64, std::bit_cast<std::uint64_t>(value)};
    }

    Constant combined(std::string_view name, const Constant& left, const Constant& right) const {
        const std::uint64_t a = integer_of(left), b = integer_of(right);
        const bool is_unsigned = left.kind == Kind::u64 || right.kind == Kind::u64;
        const auto result = [&](std::uint64_t bits) { return Constant{is_unsigned ? Kind::u64 : Kind::s64, bits}; };
        const bool less = is_unsigned ? a < b : as_signed(a) < as_signed(b);
        if (name == "+") return result(a + b);
        if (name == "-") return result(a - b);
        if (name == "*") return result(a * b);
        if (name == "/" || name == "%") return result(quotient(a, b, is_unsigned, name == "%"));
        if (name == "&") return result(a & b);
        if (name == "|") return result(a | b);
        if (name == "^") return result(a ^ b);
        if (name == "<<" || name == ">>") return {left.kind, shifted(left, b, name == "<<")};
        if (name == "&&") return signed_constant(a != 0 && b != 0);
        if (name == "||") return signed_constant(a != 0 || b != 0);
        if (name == "==") return signed_constant(a == b);
        if (name == "!=") return signed_constant(a != b);
        if (name == "<") return signed_constant(less);
        if (name == ">=") return signed_constant(!less);
        return signed_constant((name == "<=") == (less || a == b));
    }

    std::uint64_t quotient(std::uint64_t a, std::uint64_t b, bool is_unsigned, bool remainder) const {
        if (b == 0) lexer_.fail("a constant expression divides by 0");
        if (is_unsigned) return remainder ? a % b : a / b;
        // The quotient of the least integer by -1 does not fit into 64 bits.
        if (as_signed(b) == -1) return remainder ? 0 : 0 - a;
        return static_cast<std::uint64_t>(remainder ? as_signed(a) % as_signed(b) : as_signed(a) / as_signed(b));
    }

    static std::uint64_t shifted(const Constant& left, std::uint64_t count, bool to_left) {
        const bool sign = left.kind == Kind::s64 && as_signed(left.bits) < 0;
        if (count > 63) return !to_left && sign ? ~std::uint64_t{0} : 0;
        if (to_left) return left.bits << count;
        return sign ? ~(~left.bits >> count) : left.bits >> count;
    }

    Lexer& lexer_;
    int depth_ = 0;
};

std::int64_t as_integer(const Lexer& lexer, const Constant& constant) {
    if (constant.is_floating()) lexer.fail("got a floating-point constant, accepted: an integer");
    return as_signed(constant.bits);
}

}  // namespace

double Constant::to_double() const {
    switch (kind) {
        case Kind::f32: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        case Kind::f64: return std::bit_cast<double>(bits);
        case Kind::u64: return static_cast<double>(bits);
        default: return static_cast<double>(as_signed(bits));
    }
}

Constant parse_constant(Lexer& lexer) { return Expression(lexer).whole(); }

std::int64_t parse_integer(Lexer& lexer) { return as_integer(lexer, parse_constant(lexer)); }

std::int64_t parse_addends(Lexer& lexer) {
    std::uint64_t sum = 0;
    while (lexer.at('+') || lexer.at('-')) {
        const bool plus = lexer.next().text == "+";
        const auto addend = static_cast<std::uint64_t>(as_integer(lexer, Expression(lexer).binary(precedence_of_product)));
        sum += plus ? addend : 0 - addend;
    }
    return static_cast<std::int64_t>(sum);
}

std::int64_t parse_number(Lexer& lexer, std::string_view what, std::int64_t least, std::int64_t most) {
    if (lexer.at(Token::Kind::number)) {
        const Token given = lexer.peek();
        const Constant constant = Expression(lexer).binary(precedence_of_product + 1);
        const std::int64_t value = as_integer(lexer, constant);
        if (value >= least && value <= most) return value;
        fail_at(given.line, lexer.function(),
                "got " + in_quotes(given.text) + ", accepted: " + std::string(what) + " from " + std::to_string(least) + " to " +
                    std::to_string(most));
    }
    lexer.fail("got " + lexer.given() + ", accepted: " + std::string(what));
}

}  // namespace simt::ptx
