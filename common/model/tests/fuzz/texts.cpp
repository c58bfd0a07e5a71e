#include "fuzz/texts.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <regex>

#include "engine/engine.hpp"

namespace fuzz {

namespace {

template <class Value> void put(std::vector<std::uint8_t>& bytes, std::size_t at, Value value) {
    if (at + sizeof value <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// Replaces the n-th match of a pattern in a line, n at random.
void replace(Choices& choices, std::string& line, const std::regex& pattern, const std::string& with) {
    const auto count = std::distance(std::sregex_iterator(line.begin(), line.end(), pattern), std::sregex_iterator());
    if (count == 0) return;
    auto found = std::sregex_iterator(line.begin(), line.end(), pattern);
    std::advance(found, static_cast<std::ptrdiff_t>(choices.below(static_cast<std::size_t>(count))));
    line.replace(static_cast<std::size_t>(found->position()), static_cast<std::size_t>(found->length()), with);
}

std::string any_match(Choices& choices, const Lines& lines, const std::regex& pattern) {
    for (int attempt = 0; attempt < 8; ++attempt) {
        std::smatch found;
        if (const std::string& line = choices.one_of(lines); std::regex_search(line, found, pattern)) return found.str();
    }
    return "";
}

void change(Choices& choices, Lines& lines, const std::vector<Lines>& texts) {
    static const std::regex number("\\b[0-9]+\\b"), reg("%[a-z]+[0-9]+"), part("\\.[a-z][a-z0-9]*"), opcode("\\b[a-z]+\\b(?=[.;])");
    static const std::array<const char*, 14> numbers{
        "0", "1", "2", "3", "16", "31", "64", "-1", "2147483647", "4294967295", "-64", "65536", "18446744073709551615", "4096"};
    const std::size_t at = choices.below(lines.size());
    const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (choices.below(8)) {
        case 0: lines.erase(place); break;
        case 1: lines.insert(place, std::string(choices.one_of(lines))); break;
        case 2: std::swap(lines[at], lines[choices.below(lines.size())]); break;
        case 3: replace(choices, lines[at], number, choices.one_of(numbers)); break;
        case 4: replace(choices, lines[at], reg, any_match(choices, lines, reg)); break;
        case 5: replace(choices, lines[at], part, any_match(choices, lines, part)); break;
        case 6: replace(choices, lines[at], opcode, any_match(choices, lines, opcode)); break;
        default: lines.insert(place, choices.one_of(choices.one_of(texts)));
    }
}

}  // namespace

Lines lines_of(const std::string& text) {
    Lines lines;
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != text.npos; begin = end + 1, end = text.find('\n', begin))
        lines.push_back(text.substr(begin, end - begin));
    return lines;
}

std::string changed_text(Choices& choices, const std::vector<Lines>& texts) {
    Lines lines = choices.one_of(texts);
    for (std::size_t changes = 1 + choices.below(4); changes > 0 && !lines.empty(); --changes) change(choices, lines, texts);
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

simt::LaunchRequest launch_of(Choices& choices, const simt::FunctionInfo& info, int function, simt::DeviceAddress memory) {
    simt::LaunchRequest launch;
    launch.function = function;
    const auto side = [&] { return static_cast<unsigned>(choices.one_in(20) ? choices.number() : 1 + choices.below(3)); };
    launch.grid = {side(), choices.one_in(8) ? side() : 1, 1};
    launch.block = {choices.one_in(8) ? side() : static_cast<unsigned>(1 + choices.below(96)), choices.one_in(8) ? side() : 1, 1};
    if (choices.one_in(4)) launch.cluster = {side(), 1, 1};
    launch.dynamic_shared_bytes = choices.one_in(8) ? choices.number() : choices.below(2048);
    launch.parameters.resize(info.parameter_bytes);
    for (const simt::FunctionParameter& parameter : info.parameters)
        for (std::size_t at = 0; at + 8 <= parameter.bytes; at += 8) put(launch.parameters, parameter.offset + at, choices.address(memory));
    for (const simt::FunctionParameter& parameter : info.parameters)
        if (parameter.bytes == 4)
            put(launch.parameters, parameter.offset, static_cast<std::uint32_t>(choices.one_in(4) ? choices.number() : choices.below(64)));
    return launch;
}

int run_text(Choices& choices, const std::string& text) {
    int launches = 0;
    simt::EngineDevice device(0);
    device.set_printer([](std::string_view) {});
    try {
        const int module = device.load_module({text});
        const simt::DeviceAddress memory = device.allocate(4096);
        device.fill(memory, 0x3F, 1, 4096);
        std::vector<std::string> names = device.function_names(module);
        names.resize(std::min<std::size_t>(names.size(), 4));
        for (const std::string& name : names) {
            const int function = device.find_function(module, name);
            if (function < 0) continue;
            device.launch(launch_of(choices, device.function(function), function, memory));
            ++launches;
        }
    } catch (const simt::DeviceError&) {
        // Refused with a message.
    }
    device.reset();
    return launches;
}

}  // namespace fuzz
