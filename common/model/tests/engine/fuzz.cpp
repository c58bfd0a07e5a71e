// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// model_fuzz SECONDS SEED KEPT FILE.ptx…: changes the texts at random, loads each and launches its kernels with arguments of any kind. What
// it reaches for beyond its memory shows as a crash, in a build with sanitizers also where it would not crash. KEPT holds the text that is
// tried, so that a finding is there afterwards. The same seed tries the same texts.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "report/session.hpp"
#include "simt/model.hpp"

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text)
{
    Lines lines;
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != text.npos; begin = end + 1, end = text.find('\n', begin))
        lines.push_back(text.substr(begin, end - begin));
    return lines;
}

class Fuzzer {
public:
    Fuzzer(unsigned seed, std::vector<Lines> texts) : random_(seed), texts_(std::move(texts)) {}

    std::string changed_text()
    {
        Lines lines = texts_[below(texts_.size())];
        const std::size_t changes = 1 + below(4);
        for (std::size_t n = 0; n < changes && !lines.empty(); ++n) change(lines);
        std::string text;
        for (const std::string& line : lines) text += line + "\n";
        return text;
    }

    simt::LaunchRequest launch_of(const simt::FunctionInfo& info, int function, simt::DeviceAddress memory)
    {
        simt::LaunchRequest launch;
        launch.function = function;
        const auto side = [this] { return below(20) == 0 ? static_cast<unsigned>(random_()) : static_cast<unsigned>(1 + below(3)); };
        launch.grid = {side(), below(8) ? 1 : side(), 1};
        launch.block = {below(8) ? static_cast<unsigned>(1 + below(96)) : side(), below(8) ? 1 : side(), 1};
        if (below(4) == 0) launch.cluster = {side(), 1, 1};
        launch.dynamic_shared_bytes = below(8) ? below(2048) : random_();
        launch.parameters.resize(info.parameter_bytes);
        for (const simt::FunctionParameter& parameter : info.parameters)
            for (std::size_t at = 0; at + 8 <= parameter.bytes; at += 8) put(launch.parameters, parameter.offset + at, argument(memory));
        for (const simt::FunctionParameter& parameter : info.parameters)
            if (parameter.bytes == 4)
                put(launch.parameters, parameter.offset, static_cast<std::uint32_t>(below(4) ? below(64) : random_()));
        return launch;
    }

private:
    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

    template <class Value> static void put(std::vector<std::uint8_t>& bytes, std::size_t at, Value value)
    {
        if (at + sizeof value <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof value);
    }

    std::uint64_t argument(simt::DeviceAddress memory)
    {
        if (below(4)) return memory + 8 * below(64);
        const std::array<std::uint64_t, 8> likely{0,
                                                  1,
                                                  ~std::uint64_t{0},
                                                  std::uint64_t{1} << 56,
                                                  std::uint64_t{1} << 57,
                                                  std::uint64_t{1} << 58,
                                                  std::uint64_t{1} << 63,
                                                  memory + 4095};
        return likely[below(likely.size())];
    }

    /// Replaces the n-th match of a pattern in a line, n at random.
    void replace(std::string& line, const std::regex& pattern, const std::string& with)
    {
        const auto count = std::distance(std::sregex_iterator(line.begin(), line.end(), pattern), std::sregex_iterator());
        if (count == 0) return;
        auto found = std::sregex_iterator(line.begin(), line.end(), pattern);
        std::advance(found, static_cast<std::ptrdiff_t>(below(static_cast<std::size_t>(count))));
        line.replace(static_cast<std::size_t>(found->position()), static_cast<std::size_t>(found->length()), with);
    }

    std::string any_match(const Lines& lines, const std::regex& pattern)
    {
        for (int attempt = 0; attempt < 8; ++attempt) {
            std::smatch found;
            if (const std::string& line = lines[below(lines.size())]; std::regex_search(line, found, pattern)) return found.str();
        }
        return "";
    }

    void change(Lines& lines)
    {
        static const std::regex number("\\b[0-9]+\\b"), reg("%[a-z]+[0-9]+"), part("\\.[a-z][a-z0-9]*"), opcode("\\b[a-z]+\\b(?=[.;])");
        static const std::array<const char*, 14> numbers{
            "0", "1", "2", "3", "16", "31", "64", "-1", "2147483647", "4294967295", "-64", "65536", "18446744073709551615", "4096"};
        const std::size_t at = below(lines.size());
        switch (below(8)) {
            case 0: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at)); break;
            case 1: lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), lines[below(lines.size())]); break;
            case 2: std::swap(lines[at], lines[below(lines.size())]); break;
            case 3: replace(lines[at], number, numbers[below(numbers.size())]); break;
            case 4: replace(lines[at], reg, any_match(lines, reg)); break;
            case 5: replace(lines[at], part, any_match(lines, part)); break;
            case 6: replace(lines[at], opcode, any_match(lines, opcode)); break;
            default: {
                const Lines& other = texts_[below(texts_.size())];
                if (!other.empty()) lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), other[below(other.size())]);
            }
        }
    }

    std::mt19937_64 random_;
    std::vector<Lines> texts_;
};

/// Loads a text and launches its first kernels. Returns how many launches there were.
int run(const std::string& text, Fuzzer& fuzzer)
{
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
            device.launch(fuzzer.launch_of(device.function(function), function, memory));
            ++launches;
        }
    } catch (const simt::DeviceError&) {
        // Refused with a message.
    }
    device.reset();
    simt::take_launches();
    simt::take_hazards();
    simt::take_errors();
    return launches;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 5) return std::fprintf(stderr, "usage: model_fuzz SECONDS SEED KEPT FILE.ptx...\n"), 2;
    std::vector<Lines> texts;
    for (int i = 4; i < argc; ++i) {
        std::ifstream file(argv[i]);
        texts.push_back(lines_of({std::istreambuf_iterator<char>(file), {}}));
        if (texts.back().empty()) return std::fprintf(stderr, "model_fuzz: no lines in '%s'\n", argv[i]), 2;
    }
    simt::report::session().timeout = std::chrono::duration<double>(0.1);
    Fuzzer fuzzer(static_cast<unsigned>(std::atoi(argv[2])), texts);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[1]));
    int tried = 0, launches = 0;
    while (std::chrono::steady_clock::now() < end) {
        const std::string text = fuzzer.changed_text();
        std::ofstream(argv[3]) << text;
        launches += run(text, fuzzer);
        ++tried;
    }
    std::printf("%d texts, %d launches\n", tried, launches);
    return launches > 0 ? 0 : 1;
}
