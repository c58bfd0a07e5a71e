#include "ptx/kernel_name.hpp"

#include <cxxabi.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace simt::ptx {

namespace {

void replace_all(std::string& text, std::string_view what, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) text.replace(at, what.size(), with);
}

/// Removes the casts that the demangler writes before constants: `(int)32` becomes 32, and `(bool)1` becomes true.
void drop_casts(std::string& text) {
    replace_all(text, "(bool)1", "true");
    replace_all(text, "(bool)0", "false");
    for (const std::string_view cast :
         {"(int)", "(unsigned int)", "(long)", "(unsigned long)", "(short)", "(unsigned short)", "(char)", "(unsigned char)"})
        replace_all(text, cast, "");
}

/// The position of the parameters: the last opening parenthesis outside of angle brackets.
std::size_t end_of_name(std::string_view text) {
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '<') ++depth;
        if (text[at] == '>' && (at == 0 || text[at - 1] != '-')) --depth;
        if (text[at] == '(' && depth == 0 && at > 0) return at;
    }
    return text.size();
}

/// The position of the unqualified name: after the last space or `::` outside of angle brackets.
std::size_t begin_of_name(std::string_view text) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '<') ++depth;
        if (text[at] == '>') --depth;
        if (depth == 0 && text[at] == ' ') begin = at + 1;
        if (depth == 0 && text.substr(at).starts_with("::")) begin = at + 2;
    }
    return begin;
}

/// The demangled form of a name; empty if the name cannot be demangled.
std::string demangled(const std::string& mangled) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text ? text.get() : "";
}

/// Removes the tags that Numba adds to the names of functions: `copy[abi:v1][abi:cw51]` becomes copy.
void drop_tags(std::string& text) {
    constexpr std::string_view tag = "[abi:";
    for (std::size_t at = 0; (at = text.find(tag, at)) != std::string::npos;) text.erase(at, text.find(']', at) - at + 1);
}

/// The unqualified name in a mangled one that the demangler does not understand: the last identifier before the template arguments or the
/// parameters. Each identifier stands behind its length. Empty if there is none.
std::string last_identifier(std::string_view mangled) {
    if (!mangled.starts_with("_Z")) return "";
    std::size_t at = 2;
    if (at < mangled.size() && mangled[at] == 'N') ++at;
    std::string_view found;
    while (at < mangled.size()) {
        std::size_t length = 0;
        const auto [end, error] = std::from_chars(mangled.data() + at, mangled.data() + mangled.size(), length);
        const auto begin = static_cast<std::size_t>(end - mangled.data());
        if (error != std::errc{} || length == 0 || length > mangled.size() - begin) break;
        found = mangled.substr(begin, length);
        at = begin + length;
    }
    return std::string(found);
}

}  // namespace

std::string kernel_name(const std::string& mangled) {
    std::string text = demangled(mangled);
    if (text.empty()) {
        const std::string identifier = last_identifier(mangled);
        return identifier.empty() ? mangled : identifier;
    }
    drop_tags(text);
    for (const std::string_view unnamed : {"(anonymous namespace)::", "_INTERNAL_"}) replace_all(text, unnamed, "");
    drop_casts(text);
    const std::string name = text.substr(0, end_of_name(text)), unqualified = name.substr(begin_of_name(name));
    return unqualified.empty() ? mangled : unqualified;
}

std::string function_name(const std::string& mangled) {
    const std::string text = demangled(mangled);
    return text.empty() ? mangled : text;
}

}  // namespace simt::ptx
