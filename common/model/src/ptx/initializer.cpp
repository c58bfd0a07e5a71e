#include "ptx/initializer.hpp"

#include <bit>

#include "ptx/constant.hpp"

namespace simt::ptx {

namespace {

class Initializer {
public:
    Initializer(Lexer& lexer, Variable& variable, const std::vector<std::uint64_t>& dimensions)
        : lexer_(lexer), variable_(variable), dimensions_(dimensions), scalar_(static_cast<std::uint64_t>(bytes_of(variable.type))) {}

    std::uint64_t whole() {
        if (lexer_.at(Token::Kind::string)) return characters();
        if (lexer_.at('{')) return braces(0, 0);
        if (!dimensions_.empty()) lexer_.fail("got " + lexer_.given() + ", accepted: '{' and the values of the array");
        scalar(0);
        return scalar_;
    }

private:
    /// The bytes inside one pair of braces at `level`; 0 where the text leaves the extent open.
    std::uint64_t bytes_at(std::size_t level) const {
        std::uint64_t bytes = scalar_;
        for (std::size_t i = level; i < dimensions_.size(); ++i) bytes *= dimensions_[i];
        return bytes;
    }

    /// @return the offset of the end of the values
    std::uint64_t braces(std::size_t level, std::uint64_t begin) {
        if (level > dimensions_.size()) lexer_.fail("more braces than the array has dimensions");
        lexer_.expect('{');
        std::uint64_t position = begin;
        const std::uint64_t inner = level < dimensions_.size() ? bytes_at(level + 1) : scalar_;
        while (!lexer_.at('}')) {
            if (lexer_.at('{')) {
                // The rest of a row with too few values stays zero.
                if (inner != 0) position = begin + (position - begin + inner - 1) / inner * inner;
                braces(level + 1, position);
                position += inner;
            } else {
                scalar(position);
                position += scalar_;
            }
            if (!lexer_.accept(',')) break;
        }
        lexer_.expect('}');
        const std::uint64_t room = level < dimensions_.size() ? bytes_at(level) : scalar_;
        const bool open = level == 0 && !dimensions_.empty() && dimensions_[0] == 0;
        if (!open && position > begin + room) lexer_.fail("more values than " + in_quotes(variable_.name) + " has room for");
        return position;
    }

    std::uint64_t characters() {
        const std::string_view text = lexer_.expect_string();
        const std::uint64_t room = bytes_at(0);
        if (scalar_ != 1 || (room != 0 && text.size() > room))
            lexer_.fail("a string that " + in_quotes(variable_.name) + " has no room for");
        variable_.initial.assign(text.begin(), text.end());
        return text.size();
    }

    void scalar(std::uint64_t position) {
        if (lexer_.at(Token::Kind::identifier) && lexer_.peek().text != "WARP_SZ") return address(position, ~std::uint64_t{0});
        const Constant constant = parse_constant(lexer_);
        if (!lexer_.accept('(')) return write(position, bits_of(constant));
        if (constant.is_floating()) lexer_.fail("a mask is no integer");
        address(position, constant.bits);
        lexer_.expect(')');
    }

    void address(std::uint64_t position, std::uint64_t mask) {
        Relocation relocation;
        relocation.offset = position;
        relocation.bytes = static_cast<int>(scalar_);
        relocation.mask = mask;
        std::string_view name = lexer_.expect_identifier("the name of a variable or function");
        if (name == "generic" && lexer_.accept('(')) {
            relocation.generic = true;
            name = lexer_.expect_identifier("the name of a variable or function");
            relocation.addend = parse_addends(lexer_);
            lexer_.expect(')');
        }
        relocation.symbol = name;
        relocation.addend += parse_addends(lexer_);
        write(position, 0);
        variable_.relocations.push_back(std::move(relocation));
    }

    std::uint64_t bits_of(const Constant& constant) const {
        const bool floating = constant.is_floating();
        if (scalar_ == 4 && (floating || variable_.type == Type::f32)) {
            if (constant.kind == Constant::Kind::f32) return constant.bits;
            return std::bit_cast<std::uint32_t>(static_cast<float>(constant.to_double()));
        }
        if (scalar_ == 8 && (floating || variable_.type == Type::f64)) {
            if (constant.kind == Constant::Kind::f64) return constant.bits;
            return std::bit_cast<std::uint64_t>(constant.to_double());
        }
        if (floating)
            lexer_.fail("a floating-point constant, accepted: integers, as " + in_quotes(variable_.name) + " is ." +
                        name_of(variable_.type));
        return constant.bits;
    }

    void write(std::uint64_t position, std::uint64_t bits) {
        // Nested braces can reach far elements with few words, so the filled bytes are limited in proportion to the text.
        const std::uint64_t most = (std::uint64_t{1} << 20) + 16 * lexer_.text_size();
        if (position > most) lexer_.fail("the initial value of " + in_quotes(variable_.name) + " is too large");
        if (variable_.initial.size() < position + scalar_) variable_.initial.resize(position + scalar_);
        for (std::uint64_t i = 0; i < scalar_ && i < 8; ++i) variable_.initial[position + i] = static_cast<std::uint8_t>(bits >> (8 * i));
    }

    Lexer& lexer_;
    Variable& variable_;
    const std::vector<std::uint64_t>& dimensions_;
    std::uint64_t scalar_;
};

}  // namespace

std::uint64_t parse_initializer(Lexer& lexer, Variable& variable, const std::vector<std::uint64_t>& dimensions) {
    return Initializer(lexer, variable, dimensions).whole();
}

}  // namespace simt::ptx
