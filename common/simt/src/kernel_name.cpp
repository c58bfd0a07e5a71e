// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "kernel_name.hpp"

namespace simt::detail {

namespace {

/// Position of the first `separator` outside of all brackets, or the end of the text.
std::size_t find_outside(std::string_view text, std::string_view separator)
{
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (depth == 0 && text.substr(i).starts_with(separator)) return i;
        const bool arrow = text[i] == '>' && i > 0 && text[i - 1] == '-';
        if (std::string_view("([{<").find(text[i]) != std::string_view::npos) ++depth;
        if (std::string_view(")]}>").find(text[i]) != std::string_view::npos && !arrow) --depth;
    }
    return text.size();
}

void erase_all(std::string& text, std::string_view what)
{
    for (std::size_t at; (at = text.find(what)) != std::string::npos;) text.erase(at, what.size());
}

/// One argument as a person would write it.
std::string readable(std::string_view argument)
{
    // A lambda's type is named after the function that it stands in, with all of its parameters.
    if (argument.find("<lambda") != std::string_view::npos) return "lambda";
    // The elements of a parameter pack stand in braces.
    if (argument.starts_with('{') && argument.ends_with('}')) argument = argument.substr(1, argument.size() - 2);
    std::string text(argument);
    for (const std::string_view unnamed : {"{anonymous}::", "<unnamed>::"}) erase_all(text, unnamed);
    return text;
}

}  // namespace

std::string instance_name(std::string_view function, std::string_view signature, int parameters)
{
    constexpr std::string_view begin = " [with ", separator = "; ", equals = " = ";
    const std::size_t at = signature.rfind(begin);
    if (at == std::string_view::npos || !signature.ends_with(']')) return std::string(function);
    std::string_view rest = signature.substr(at + begin.size());
    rest.remove_suffix(1);
    std::string arguments;
    for (; parameters > 0 && !rest.empty(); --parameters) {
        const std::size_t end = find_outside(rest, separator);
        const std::string_view entry = rest.substr(0, end);
        rest.remove_prefix(end == rest.size() ? end : end + separator.size());
        const std::size_t value = entry.find(equals);
        if (value == std::string_view::npos) return std::string(function);
        const std::string argument = readable(entry.substr(value + equals.size()));
        if (!argument.empty()) arguments += (arguments.empty() ? "" : ", ") + argument;
    }
    return arguments.empty() ? std::string(function) : std::string(function) + "<" + arguments + ">";
}

}  // namespace simt::detail
