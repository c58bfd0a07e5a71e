#include "ptx/declaration.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "ptx/constant.hpp"
#include "ptx/initializer.hpp"

namespace simt::ptx {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48;
constexpr std::size_t most_dimensions = 16;

std::optional<StateSpace> find_space(std::string_view word) {
    if (word == "reg") return StateSpace::reg;
    if (word == "sreg") return StateSpace::sreg;
    if (word == "const") return StateSpace::constant;
    if (word == "global") return StateSpace::global;
    if (word == "local") return StateSpace::local;
    if (word == "param") return StateSpace::param;
    if (word == "shared") return StateSpace::shared;
    return std::nullopt;
}

int find_vector(std::string_view word) { return word == "v2" ? 2 : word == "v4" ? 4 : word == "v8" ? 8 : 0; }

/// `(.managed)`, `(.unified(…))`.
bool parse_attribute(Lexer& lexer) {
    bool managed = false;
    lexer.expect('(');
    do {
        if (!lexer.at(Token::Kind::dotted)) lexer.fail("got " + lexer.given() + ", accepted: an attribute such as .managed");
        managed |= lexer.next().text == "managed";
        if (lexer.at('(')) skip_parentheses(lexer);
    } while (lexer.accept(','));
    lexer.expect(')');
    return managed;
}

std::uint64_t parse_alignment(Lexer& lexer) {
    const auto alignment = static_cast<std::uint64_t>(parse_number(lexer, "an alignment", 1, 1 << 30));
    if (!std::has_single_bit(alignment)) lexer.fail("an alignment of " + std::to_string(alignment) + ", accepted: powers of two");
    return alignment;
}

/// Skips `.ptr .global .align 16`, which describes the target of a parameter. Nothing here depends on it.
void skip_pointee(Lexer& lexer) {
    while (lexer.at(Token::Kind::dotted)) {
        if (lexer.next().text == "align") parse_alignment(lexer);
    }
}

/// Reads the next modifier into `head`.
void parse_modifier(Lexer& lexer, DeclarationHead& head) {
    const Token word = lexer.peek();
    const std::optional<StateSpace> space = find_space(word.text);
    const Type type = find_type(word.text);
    const int vector = find_vector(word.text);
    if (!space && type == Type::none && vector == 0 && word.text != "align" && word.text != "attribute" && word.text != "ptr" &&
        word.text != "tex")
        lexer.fail("unknown directive or type '." + std::string(word.text.substr(0, 40)) + "' in a declaration");
    lexer.next();
    if (space) {
        head.space = *space;
        // Old texts name a bank of constant memory.
        if (*space == StateSpace::constant && lexer.accept('[')) {
            parse_number(lexer, "a constant bank", 0, 10);
            lexer.expect(']');
        }
    } else if (vector != 0) head.vector = vector;
    else if (word.text == "align") head.alignment = parse_alignment(lexer);
    else if (word.text == "attribute") head.managed |= parse_attribute(lexer);
    else if (word.text == "ptr") skip_pointee(lexer);
    else if (word.text == "tex") head.space = StateSpace::global, head.type = Type::texref;
    else if (head.type != Type::texref) head.type = type;
}

std::vector<std::uint64_t> parse_dimensions(Lexer& lexer) {
    std::vector<std::uint64_t> dimensions;
    while (lexer.accept('[')) {
        std::int64_t elements = 0;
        const bool open = lexer.at(']');
        if (!open) elements = parse_integer(lexer);
        if (elements < 0 || (open && !dimensions.empty()) || dimensions.size() == most_dimensions)
            lexer.fail("got the dimension " + std::to_string(elements) + ", accepted: from 0, only the first left out");
        lexer.expect(']');
        dimensions.push_back(static_cast<std::uint64_t>(elements));
    }
    return dimensions;
}

std::uint64_t checked_bytes(const Lexer& lexer, std::uint64_t bytes, const std::vector<std::uint64_t>& dimensions, std::size_t first) {
    for (std::size_t i = first; i < dimensions.size(); ++i) {
        if (bytes != 0 && dimensions[i] > most_bytes / bytes) lexer.fail("an array is larger than 2^48 bytes");
        bytes *= dimensions[i];
    }
    return bytes;
}

/// Size and initial value of a variable whose name has been read.
void parse_extent(Lexer& lexer, const DeclarationHead& head, Variable& variable) {
    std::vector<std::uint64_t> dimensions = parse_dimensions(lexer);
    const std::uint64_t row = checked_bytes(lexer, head.element_bytes(), dimensions, 1);
    const bool open = !dimensions.empty() && dimensions[0] == 0;
    variable.bytes = open ? 0 : dimensions.empty() ? row : checked_bytes(lexer, row, {dimensions[0]}, 0);
    variable.unsized_array = open;
    if (!lexer.accept('=')) return;
    if (head.vector != 0) dimensions.push_back(static_cast<std::uint64_t>(head.vector));
    const std::uint64_t reached = parse_initializer(lexer, variable, dimensions);
    if (!open || row == 0) return;
    variable.bytes = (reached + row - 1) / row * row;
    variable.unsized_array = false;
}

}  // namespace

std::uint64_t DeclarationHead::element_bytes() const { return static_cast<std::uint64_t>(bytes_of(type) * std::max(vector, 1)); }

DeclarationHead parse_declaration_head(Lexer& lexer) {
    DeclarationHead head;
    while (lexer.at(Token::Kind::dotted)) parse_modifier(lexer, head);
    if (head.space == StateSpace::generic || head.type == Type::none)
        lexer.fail("a declaration names no state space or no type before " + lexer.given());
    if (head.type == Type::pred && head.space != StateSpace::reg) lexer.fail("a .pred variable, accepted: .pred registers");
    return head;
}

Declared parse_declared(Lexer& lexer, const DeclarationHead& head) {
    Declared declared;
    declared.line = lexer.line();
    declared.name = lexer.expect_identifier("a name");
    declared.element_bytes = head.element_bytes();
    declared.vector = head.vector;
    if (lexer.accept('<')) {
        declared.count = static_cast<int>(parse_number(lexer, "a number of names", 0, std::numeric_limits<int>::max()));
        lexer.expect('>');
    }
    Variable& variable = declared.variable;
    variable.name = declared.name;
    variable.space = head.space;
    variable.type = head.type;
    variable.managed = head.managed;
    variable.alignment = head.alignment != 0 ? head.alignment : std::max<std::uint64_t>(head.element_bytes(), 1);
    parse_extent(lexer, head, variable);
    return declared;
}

std::vector<Declared> parse_parameters(Lexer& lexer) {
    std::vector<Declared> parameters;
    lexer.expect('(');
    while (!lexer.at(')')) {
        const DeclarationHead head = parse_declaration_head(lexer);
        if (head.space != StateSpace::param && head.space != StateSpace::reg) lexer.fail("a parameter is neither .param nor .reg");
        parameters.push_back(parse_declared(lexer, head));
        if (parameters.back().count >= 0) lexer.fail("a parameter with '<', accepted: one name");
        if (!lexer.accept(',')) break;
    }
    lexer.expect(')');
    return parameters;
}

Linkage parse_linkage(Lexer& lexer) {
    if (lexer.accept_dotted("extern")) return Linkage::external;
    if (lexer.accept_dotted("visible")) return Linkage::visible;
    if (lexer.accept_dotted("weak")) return Linkage::weak;
    if (lexer.accept_dotted("common")) return Linkage::common;
    return Linkage::internal;
}

void skip_parentheses(Lexer& lexer) {
    lexer.expect('(');
    int depth = 1;
    while (depth > 0) {
        if (lexer.at(Token::Kind::end)) lexer.fail("the text ends inside of parentheses");
        if (lexer.at('(')) ++depth;
        if (lexer.at(')')) --depth;
        lexer.next();
    }
}

}  // namespace simt::ptx
