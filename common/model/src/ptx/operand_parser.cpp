#include "ptx/operand_parser.hpp"

#include <string>

#include "ptx/constant.hpp"

namespace simt::ptx {

namespace {

/// The deepest nesting of vectors and brackets.
constexpr int most_nesting = 8;

constexpr std::string_view warp_size = "WARP_SZ";

int find_component(std::string_view word) {
    if (word.size() != 1) return -1;
    const std::size_t position = word.find_first_of("xyzw");
    if (position == 0) return static_cast<int>(std::string_view("xyzw").find(word));
    const std::size_t color = std::string_view("rgba").find(word);
    return color == std::string_view::npos ? -1 : static_cast<int>(color);
}

}  // namespace

Operand OperandParser::operand() {
    Operand first = primary(0);
    if (lexer_.accept('|')) first.second.push_back(primary(0));
    return first;
}

Operand OperandParser::parenthesized() { return list('(', ')', 0); }

Operand OperandParser::list(char begin, char end, int depth) {
    Operand list;
    list.kind = Operand::Kind::vector;
    lexer_.expect(begin);
    while (!lexer_.at(end)) {
        list.elements.push_back(primary(depth));
        if (!lexer_.accept(',')) break;
    }
    lexer_.expect(end);
    return list;
}

bool OperandParser::sign_before_name() const {
    if (!lexer_.at('!') && !lexer_.at('-')) return false;
    const Token second = lexer_.peek_second();
    return second.kind == Token::Kind::identifier && second.text != warp_size;
}

Operand OperandParser::primary(int depth) {
    if (depth > most_nesting) lexer_.fail("an operand is nested too deep");
    if (lexer_.at('[')) return brackets(depth);
    if (lexer_.at('{')) return list('{', '}', depth + 1);
    if (lexer_.at(Token::Kind::identifier) && lexer_.peek().text != warp_size) return named(false);
    if (!sign_before_name()) return constant();
    lexer_.next();
    return named(true);
}

Operand OperandParser::constant() {
    const Constant constant = parse_constant(lexer_);
    Operand operand;
    operand.kind = constant.is_floating() ? Operand::Kind::floating : Operand::Kind::integer;
    operand.is_float32 = constant.kind == Constant::Kind::f32;
    operand.integer = static_cast<std::int64_t>(constant.bits);
    return operand;
}

Operand OperandParser::named(bool negated) {
    const Token name = lexer_.peek();
    lexer_.expect_identifier("a register or a name");
    Operand operand;
    operand.negated = negated;
    if (name.text == "_") return operand;
    const Symbol* symbol = names_.find(name.text);
    if (symbol != nullptr && symbol->kind == Symbol::Kind::reg) {
        operand.kind = Operand::Kind::reg;
        operand.index = symbol->index;
        if (lexer_.at(Token::Kind::dotted) && lexer_.adjacent(name)) read_component(operand, names_.register_of(*symbol));
        return operand;
    }
    operand.name = name.text;
    if (symbol == nullptr && name.text[0] == '%') {
        if (!is_special_register(name.text))
            fail_at(name.line, lexer_.function(), "the register " + in_quotes(name.text) + " is not declared");
        operand.kind = Operand::Kind::special;
        if (lexer_.at(Token::Kind::dotted) && lexer_.adjacent(name)) operand.name.append(".").append(lexer_.next().text);
        return operand;
    }
    operand.kind = Operand::Kind::symbol;
    if (lexer_.at('[')) operand.integer = subscript(name.text);
    operand.integer += parse_addends(lexer_);
    return operand;
}

void OperandParser::read_component(Operand& operand, const Register& declared) {
    const std::string_view word = lexer_.peek().text;
    if (declared.vector != 0) {
        operand.component = find_component(word);
        if (operand.component < 0 || operand.component >= declared.vector)
            lexer_.fail("got the component ." + std::string(word.substr(0, 40)) + " of " + in_quotes(declared.name) +
                        ", accepted: x, y, z, w of a vector as long");
    } else {
        // Video instructions select bytes and halves of a register (`%r1.b0`, `%r1.h1`).
        if (word[0] != 'b' && word[0] != 'h')
            lexer_.fail(in_quotes(declared.name) + " is no vector and has no component ." + std::string(word.substr(0, 40)));
        operand.name = word;
    }
    lexer_.next();
}

/// The byte offset of a subscript `[n]` after a variable's name.
std::int64_t OperandParser::subscript(std::string_view name) {
    const std::uint64_t element = names_.element_bytes(name);
    if (element == 0) lexer_.fail("a subscript of " + in_quotes(name) + ", accepted: of an array that is declared before");
    lexer_.expect('[');
    const auto index = static_cast<std::uint64_t>(parse_integer(lexer_));
    lexer_.expect(']');
    return static_cast<std::int64_t>(index * element);
}

/// Reads an address or a compound operand in brackets.
Operand OperandParser::address_of(Operand&& base) {
    switch (base.kind) {
        case Operand::Kind::reg: base.base = Operand::Base::reg; break;
        case Operand::Kind::symbol: base.base = Operand::Base::symbol; break;
        case Operand::Kind::integer: base.base = Operand::Base::none; break;
        case Operand::Kind::address: return std::move(base);
        default: lexer_.fail("an address before " + lexer_.given() + " begins with neither a register nor a variable nor a number");
    }
    if (base.negated) lexer_.fail("a negated address");
    base.kind = Operand::Kind::address;
    return std::move(base);
}

Operand OperandParser::brackets(int depth) {
    Operand list;
    list.kind = Operand::Kind::compound;
    lexer_.expect('[');
    do {
        Operand item = primary(depth + 1);
        if (item.kind == Operand::Kind::reg && (lexer_.at('+') || lexer_.at('-'))) {
            item = address_of(std::move(item));
            item.integer = parse_addends(lexer_);
        }
        list.elements.push_back(std::move(item));
    } while (lexer_.accept(','));
    lexer_.expect(']');
    if (list.elements.size() > 1) return list;
    Operand only = std::move(list.elements.front());
    return address_of(std::move(only));
}

}  // namespace simt::ptx
