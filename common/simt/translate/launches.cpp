// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "launches.hpp"

namespace simt::translate {

namespace {

constexpr const char* no_kernel = "'<<<' stands after nothing that could be a kernel";

/// True for words behind which a parenthesis is no list of arguments.
bool is_statement_keyword(const Source& source, Index i)
{
    return source.is_one_of(i, {"return", "co_return", "else", "do", "case", "if", "while", "for", "switch", "throw", "and", "or", "not"});
}

/// First token of the operand that ends at `last`: a name, a call, an element of an array, or something in parentheses.
Index operand_begin(const Source& source, Index last, Index chevrons)
{
    for (Index i = last;;) {
        if (i == none) source.fail(chevrons, no_kernel);
        if (source.is_identifier(i) && !is_statement_keyword(source, i)) return i;
        Index open = none;
        if (source.is(i, ">") || source.is(i, ">>>")) open = source.template_open(i);
        else if (source.is(i, ")") || source.is(i, "]")) open = source.partner(i);
        if (open == none) source.fail(chevrons, no_kernel);
        const Index before = source.previous_code(open);
        const bool names_function = source.is_identifier(before) && !is_statement_keyword(source, before);
        if (source.is(i, ")") && !names_function && !source.is(before, ">")) return open;
        i = before;
    }
}

/// First token of the expression that names the kernel: operands joined by `::`, `.`, `->` or `##`.
Index kernel_begin(const Source& source, Index chevrons)
{
    Index begin = operand_begin(source, source.previous_code(chevrons), chevrons);
    for (;;) {
        Index joint = source.previous_code(begin);
        if (source.is(joint, "template")) joint = source.previous_code(joint);
        const Index left = joint == none ? none : source.previous_code(joint);
        if (source.is(joint, "::")) {
            const bool qualified = source.is_identifier(left) ? !is_statement_keyword(source, left) : source.is(left, ">");
            if (!qualified) return joint;
        } else if (!source.is_one_of(joint, {".", "->", "##"})) {
            return begin;
        }
        begin = operand_begin(source, left, chevrons);
    }
}

/// The `>>>` that ends the configuration. One that closes templates inside it is passed over.
Index configuration_close(const Source& source, Index chevrons)
{
    Index found = none;
    int open_templates = 0;
    for (Index i = source.next_code(chevrons); i != none; i = source.next_code(i)) {
        if (source.is_one_of(i, {"(", "[", "{"})) {
            i = source.closing(i);
        } else if (source.is(i, "<")) {
            ++open_templates;
        } else if (source.is(i, ">")) {
            --open_templates;
        } else if (source.is(i, ">>>")) {
            const Index next = source.next_code(i);
            const bool can_end = source.is(next, "(") || (next == none && source.is_macro());
            if (can_end || found == none) found = i;
            if (can_end && open_templates < 3) return i;
            open_templates -= 3;
        } else if (source.is_one_of(i, {";", "<<<", ")", "}"})) {
            break;
        }
    }
    if (found == none) source.fail(chevrons, "'<<<' of a launch is never closed by '>>>'");
    return found;
}

/// One argument of a launch.
struct Argument {
    Index first, last;
    /// True for what loses its meaning when it is handed on: a braced list, or a 0 that may stand for a null pointer.
    bool is_literal;
};

/// The arguments between the parentheses; commas in template arguments may split one into several, none of them literal.
std::vector<Argument> split_arguments(const Source& source, Index open, Index close)
{
    std::vector<Argument> arguments;
    bool splits_template = false;
    Index first = source.next_code(open);
    for (Index i = first; i != none && i <= close; i = source.next_code(i)) {
        if (i < close && source.is_one_of(i, {"(", "[", "{"})) {
            i = source.closing(i);
        } else if (source.is(i, "<") && source.template_close(i) != none) {
            splits_template = true;
        } else if (i == close || source.is(i, ",")) {
            if (first == i) break;
            const Index last = source.previous_code(i);
            const bool braced = source.is(first, "{") && source.partner(first) == last;
            const bool zero = first == last && source.is(first, "0");
            arguments.push_back({first, last, braced || zero});
            first = source.next_code(i);
        }
    }
    if (splits_template)
        for (Argument& argument : arguments) argument.is_literal = false;
    return arguments;
}

bool expands_pack(const Source& source, Index open, Index close)
{
    for (Index i = open; i + 2 < close; ++i)
        if (source.is(i, ".") && source.is(i + 1, ".") && source.is(i + 2, ".")) return true;
    return false;
}

std::string quoted(const std::string& text)
{
    std::string result = "\"";
    for (char c : text) result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return result + "\"";
}

/// Parameters of the lambda that calls the kernel, and what the lambda hands to the kernel.
struct Forwarding {
    std::string parameters = "auto&&... simt_arguments";
    std::string arguments = "simt_arguments...";
};

/// Literal arguments move into the lambda; they would lose their meaning as its parameters.
Forwarding forward(const Source& source, Edits& edits, Index open, Index close)
{
    for (Index i = open; i < close; ++i)
        if (source.is(i, "NULL")) edits.replace(i, "nullptr");
    const std::vector<Argument> arguments = split_arguments(source, open, close);
    bool any_literal = false;
    for (const Argument& argument : arguments) any_literal |= argument.is_literal;
    if (!any_literal || expands_pack(source, open, close)) return {};  // a pack's elements have no names

    Forwarding forwarding{"", ""};
    std::string separator, parameter_separator;
    for (const Argument& argument : arguments) {
        const std::string name = "simt_argument_" + std::to_string(argument.first);
        forwarding.arguments += separator + (argument.is_literal ? source.flat(argument.first, argument.last) : name);
        separator = ", ";
        if (!argument.is_literal) {
            forwarding.parameters += parameter_separator + "auto&& " + name;
            parameter_separator = ", ";
            continue;
        }
        edits.remove(argument.first, argument.last);
        const Index behind = source.next_code(argument.last);
        if (source.is(behind, ",")) edits.remove(behind, behind);
    }
    // Without the literals, the comma behind the last argument that stays separates it from nothing.
    if (arguments.back().is_literal)
        for (auto argument = arguments.rbegin(); argument != arguments.rend(); ++argument)
            if (!argument->is_literal) {
                const Index comma = source.next_code(argument->last);
                edits.remove(comma, comma);
                break;
            }
    return forwarding;
}

}  // namespace

bool is_launch(const Source& source, Index chevrons)
{
    return source.is(chevrons, "<<<") && !source.is(source.previous_code(chevrons), "operator");
}

void rewrite_launch(const Source& source, Edits& edits, Index chevrons)
{
    const Index first = kernel_begin(source, chevrons);
    const Index last = source.previous_code(chevrons);
    const Index close = configuration_close(source, chevrons);
    const Index open = source.next_code(close);
    // A macro may leave the arguments to the place where it is used.
    const bool arguments_follow = source.is(open, "(");
    if (!arguments_follow && !(source.is_macro() && open == none)) source.fail(close, "'>>>' of a launch stands before no argument list");

    const Forwarding forwarding = arguments_follow ? forward(source, edits, open, source.closing(open)) : Forwarding{};
    edits.before(first, "::simt::Launch(" + quoted(source.flat(first, last)) + ", [&](" + forwarding.parameters + ") { ");
    edits.after(last, "(" + forwarding.arguments + "); }");
    edits.replace(chevrons, ", ");
    edits.replace(close, ")");
}

}  // namespace simt::translate
