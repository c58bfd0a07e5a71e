#include <string>
#include <string_view>

#include "ptx/constant.hpp"
#include "ptx/declaration.hpp"
#include "ptx/function_parser.hpp"
#include "ptx/module.hpp"
#include "ptx/module_state.hpp"

namespace simt::ptx {

namespace {

class ModuleParser {
public:
    explicit ModuleParser(std::string_view text) : state_(text), lexer_(state_.lexer) {}

    Module parse() {
        if (!lexer_.accept_dotted("version")) lexer_.fail("got " + lexer_.given() + ", accepted: PTX, which begins with .version");
        version();
        while (!lexer_.at(Token::Kind::end)) statement();
        if (state_.module.target.empty()) lexer_.fail("the text has no .target");
        state_.finish();
        return std::move(state_.module);
    }

private:
    void version() {
        const Token token = lexer_.next();
        const std::size_t dot = token.text.find('.');
        const auto small = [](std::string_view digits) {
            return !digits.empty() && digits.size() <= 2 && digits.find_first_not_of("0123456789") == digits.npos;
        };
        if (token.kind != Token::Kind::number || dot == std::string_view::npos || !small(token.text.substr(0, dot)) ||
            token.text.size() - dot != 2 || !small(token.text.substr(dot + 1)))
            fail_at(token.line, {}, "got the version " + in_quotes(token.text) + ", accepted: one such as 9.0");
        state_.module.version = 10 * std::stoi(std::string(token.text.substr(0, dot))) + (token.text.back() - '0');
        if (state_.module.version > newest_version)
            fail_at(token.line, {},
                    "got PTX of version " + std::string(token.text) + ", accepted: up to " + std::to_string(newest_version / 10) + "." +
                        std::to_string(newest_version % 10) + ": build the program with an nvcc that writes this");
    }

    void statement() {
        if (lexer_.accept(';')) return;
        if (lexer_.at('@') && lexer_.peek_second().text == "@") return lexer_.skip_line();
        if (!lexer_.at(Token::Kind::dotted)) lexer_.fail("got " + lexer_.given() + ", accepted: a directive");
        const std::string_view word = lexer_.peek().text;
        if (word == "target" || word == "address_size" || word == "version") return module_directive();
        if (word == "file" || word == "loc" || word == "section") return debug_directive();
        if (word == "alias") return alias();
        if (word == "pragma") {
            lexer_.next();
            return skip_pragma(lexer_);
        }
        declaration();
    }

    void module_directive() {
        const std::string_view word = lexer_.next().text;
        if (word == "version") return version();
        if (word == "address_size") {
            const auto bits = parse_number(lexer_, "a size of addresses, 32 or 64", 32, 64);
            state_.module.address_bytes = static_cast<int>(bits / 8);
            return;
        }
        const std::string_view first = lexer_.expect_identifier("a target such as sm_90");
        if (state_.module.target.empty()) state_.module.target = first;
        while (lexer_.accept(',')) lexer_.expect_identifier("a platform or mode");
    }

    void debug_directive() {
        const std::string_view word = lexer_.next().text;
        if (word == "file") return state_.places.read_file(lexer_);
        if (word == "loc") return state_.places.read_location(lexer_);
        if (!lexer_.at(Token::Kind::dotted) && !lexer_.at(Token::Kind::identifier))
            lexer_.fail("got " + lexer_.given() + ", accepted: the name of a section");
        if (lexer_.next().text == "debug_str") return state_.places.read_debug_strings(lexer_);
        lexer_.expect('{');
        lexer_.skip_braces();
    }

    void alias() {
        lexer_.next();
        const int line = lexer_.line();
        const std::string_view name = lexer_.expect_identifier("the name of a function");
        lexer_.expect(',');
        const std::string_view aliasee = lexer_.expect_identifier("the name of a function");
        lexer_.expect(';');
        state_.require_function(name, line);
        state_.require_function(aliasee, line);
        state_.module.aliases[std::string(name)] = aliasee;
    }

    void declaration() {
        const Linkage linkage = parse_linkage(lexer_);
        if (lexer_.at_dotted("entry") || lexer_.at_dotted("func")) {
            const bool is_entry = lexer_.next().text == "entry";
            return FunctionParser(state_, linkage, is_entry).parse();
        }
        const DeclarationHead head = parse_declaration_head(lexer_);
        if (head.space == StateSpace::reg || head.space == StateSpace::param)
            lexer_.fail("registers and parameters of a module, accepted: of a function");
        do {
            Declared declared = parse_declared(lexer_, head);
            if (declared.count >= 0) lexer_.fail(in_quotes(declared.name) + " with '<', accepted: in functions");
            state_.declare_variable(std::move(declared), linkage);
        } while (lexer_.accept(','));
        lexer_.expect(';');
    }

    ModuleState state_;
    Lexer& lexer_;
};

}  // namespace

Module parse(std::string_view text) { return ModuleParser(text).parse(); }

}  // namespace simt::ptx
