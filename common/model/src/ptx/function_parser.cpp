#include "ptx/function_parser.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "ptx/constant.hpp"

namespace simt::ptx {

namespace {

/// An indirect call's parameters or returns.
std::vector<Variable> variables_of(std::vector<Declared>&& declared) {
    std::vector<Variable> variables;
    for (Declared& one : declared) variables.push_back(std::move(one.variable));
    return variables;
}

bool begins_declaration(std::string_view word) {
    constexpr std::string_view words[] = {"reg",  "local", "shared",    "param",  "global",  "const", "tex",
                                          "sreg", "align", "attribute", "extern", "visible", "weak",  "common"};
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

void skip_pragma(Lexer& lexer) {
    do lexer.expect_string();
    while (lexer.accept(','));
    lexer.expect(';');
}

FunctionParser::FunctionParser(ModuleState& state, Linkage linkage, bool is_entry)
    : state_(state), lexer_(state.lexer), names_(state, function_), operands_(state.lexer, names_) {
    function_.linkage = linkage;
    function_.is_entry = is_entry;
}

void FunctionParser::parse() {
    while (lexer_.accept_dotted("attribute")) skip_parentheses(lexer_);
    if (lexer_.at('(')) names_.declare_parameters(parse_parameters(lexer_), true);
    const std::string_view name = lexer_.expect_identifier("the name of a function");
    function_.name = name;
    lexer_.set_function(name);
    if (lexer_.at('(')) names_.declare_parameters(parse_parameters(lexer_), false);
    directives();
    if (!lexer_.accept(';')) {
        // The function may call itself, so its name is known in its body.
        state_.declare_function(name);
        function_.has_body = true;
        body();
    }
    names_.close_scope();
    enter();
    lexer_.set_function({});
}

/// Adds the function to the module, or completes its earlier declaration.
void FunctionParser::enter() {
    Function& known = state_.module.functions[static_cast<std::size_t>(state_.declare_function(lexer_.function()))];
    if (known.has_body && function_.has_body) lexer_.fail("the function is defined twice");
    if (!known.has_body) known = std::move(function_);
}

int FunctionParser::number(std::string_view what) {
    return static_cast<int>(parse_number(lexer_, what, 0, std::numeric_limits<int>::max()));
}

void FunctionParser::dimensions(std::array<int, 3>& extents) {
    extents = {1, 1, 1};
    std::size_t i = 0;
    do {
        if (i == extents.size()) lexer_.fail("more than three extents");
        extents[i++] = number("an extent");
    } while (lexer_.accept(','));
}

bool FunctionParser::tuning_directive(std::string_view word) {
    if (word == "maxntid") dimensions(function_.max_threads);
    else if (word == "reqntid") dimensions(function_.required_threads);
    else if (word == "reqnctapercluster") dimensions(function_.required_cluster);
    else if (word == "minnctapersm") function_.min_blocks = number("a number of blocks");
    else if (word == "maxnreg") function_.max_registers = number("a number of registers");
    else if (word == "explicitcluster") function_.explicit_cluster = true;
    else if (word == "maxnctapersm" || word == "maxclusterrank") number("a number of blocks");
    else if (word == "abi_preserve" || word == "abi_preserve_control") number("a number of registers");
    else if (word == "attribute") skip_parentheses(lexer_);
    else if (word == "pragma") skip_pragma(lexer_);
    else return word == "noreturn" || word == "blocksareclusters" || word == "unique";
    return true;
}

void FunctionParser::directives() {
    while (lexer_.at(Token::Kind::dotted)) {
        const Token word = lexer_.next();
        if (!tuning_directive(word.text))
            fail_at(word.line, lexer_.function(), "unknown directive '." + std::string(word.text.substr(0, 40)) + "' of a function");
    }
}

void FunctionParser::body() {
    state_.places.begin_function();
    lexer_.expect('{');
    const std::size_t outer = names_.depth();
    names_.open_scope();
    while (names_.depth() > outer) statement();
}

void FunctionParser::statement() {
    if (lexer_.accept('{')) return names_.open_scope();
    if (lexer_.accept('}')) return names_.close_scope();
    if (lexer_.accept(';')) return;
    if (lexer_.at(Token::Kind::dotted)) return directive();
    Instruction one;
    if (lexer_.at('@')) guard(one);
    const Token word = lexer_.peek();
    lexer_.expect_identifier("an instruction, a label, a directive or '}'");
    if (one.guard < 0 && lexer_.accept(':')) return labelled(word);
    instruction(word, std::move(one));
}

void FunctionParser::directive() {
    const std::string_view word = lexer_.peek().text;
    if (begins_declaration(word)) return declaration();
    if (word != "loc" && word != "file" && word != "pragma")
        lexer_.fail("unknown directive '." + std::string(word.substr(0, 40)) + "' in a function");
    lexer_.next();
    if (word == "loc") state_.places.read_location(lexer_);
    else if (word == "file") state_.places.read_file(lexer_);
    else skip_pragma(lexer_);
}

void FunctionParser::declaration() {
    const Linkage linkage = parse_linkage(lexer_);
    const DeclarationHead head = parse_declaration_head(lexer_);
    do names_.declare_in_body(parse_declared(lexer_, head), linkage);
    while (lexer_.accept(','));
    lexer_.expect(';');
}

void FunctionParser::labelled(const Token& name) {
    if (lexer_.accept_dotted("branchtargets")) return branch_targets(name.text);
    if (lexer_.accept_dotted("calltargets")) return call_targets(name.text);
    if (lexer_.accept_dotted("callprototype")) return call_prototype(name.text);
    names_.declare_label(name.text);
}

void FunctionParser::branch_targets(std::string_view name) {
    std::vector<std::string_view> labels;
    do labels.push_back(lexer_.expect_identifier("a label"));
    while (lexer_.accept(','));
    names_.declare_branch_targets(name, labels);
    lexer_.expect(';');
}

void FunctionParser::call_targets(std::string_view name) {
    Targets targets;
    targets.name = name;
    do {
        const int line = lexer_.line();
        const std::string_view function = lexer_.expect_identifier("the name of a function");
        state_.require_function(function, line);
        targets.functions.emplace_back(function);
    } while (lexer_.accept(','));
    function_.targets.push_back(std::move(targets));
    names_.declare(name, {Symbol::Kind::targets, static_cast<int>(function_.targets.size()) - 1, 0});
    lexer_.expect(';');
}

void FunctionParser::call_prototype(std::string_view name) {
    Prototype prototype;
    prototype.name = name;
    if (lexer_.at('(')) prototype.returns = variables_of(parse_parameters(lexer_));
    lexer_.expect_identifier("'_'");
    if (lexer_.at('(')) prototype.parameters = variables_of(parse_parameters(lexer_));
    directives();
    lexer_.expect(';');
    function_.prototypes.push_back(std::move(prototype));
    names_.declare(name, {Symbol::Kind::prototype, static_cast<int>(function_.prototypes.size()) - 1, 0});
}

void FunctionParser::guard(Instruction& instruction) {
    lexer_.expect('@');
    instruction.guard_negated = lexer_.accept('!');
    const Token name = lexer_.peek();
    lexer_.expect_identifier("a predicate register");
    const Symbol* symbol = names_.find(name.text);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::reg || names_.register_of(*symbol).type != Type::pred)
        fail_at(name.line, lexer_.function(), in_quotes(name.text) + " is not declared as a predicate register");
    instruction.guard = symbol->index;
}

void FunctionParser::instruction(const Token& opcode, Instruction&& instruction) {
    instruction.opcode = opcode.text;
    instruction.ptx_line = opcode.line;
    instruction.location = state_.places.current();
    while (lexer_.at(Token::Kind::dotted)) instruction.modifiers.emplace_back(lexer_.next().text);
    if (opcode.text == "call") {
        call_operands(instruction.operands);
    } else if (!lexer_.at(';')) {
        instruction.operands.reserve(4);
        do instruction.operands.push_back(operands_.operand());
        while (lexer_.accept(','));
    }
    lexer_.expect(';');
    function_.instructions.push_back(std::move(instruction));
    // The operands do not move in memory after this point, so names can be resolved in them later.
    names_.resolve_operands(function_.instructions.back().operands, opcode.line);
}

void FunctionParser::call_operands(std::vector<Operand>& operands) {
    Operand returns, arguments;
    returns.kind = arguments.kind = Operand::Kind::vector;
    if (lexer_.at('(')) {
        returns = operands_.parenthesized();
        lexer_.expect(',');
    }
    Operand callee = operands_.named(false);
    bool more = lexer_.accept(',');
    if (more && lexer_.at('(')) {
        arguments = operands_.parenthesized();
        more = lexer_.accept(',');
    }
    operands.push_back(std::move(returns));
    operands.push_back(std::move(callee));
    operands.push_back(std::move(arguments));
    if (more) operands.push_back(operands_.named(false));
}

}  // namespace simt::ptx
