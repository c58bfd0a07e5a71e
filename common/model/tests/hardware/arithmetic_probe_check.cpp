// Reads the output of arithmetic_probe.cu on a GPU from standard input, executes each line's instruction by the model's
// handlers, and prints the lines with different results. Approximate results may differ in their last bits.

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "interpreter/arithmetic_bench.hpp"

namespace {

using namespace simt::interpreter;
using namespace simt::interpreter::test;

/// The handler's result in a register of `bytes` bytes.
std::uint64_t execute(const std::string& text, const std::vector<std::uint64_t>& sources, std::size_t bytes, bool& known) {
    Bench bench;
    std::vector<std::size_t> operands{0};
    for (std::size_t n = 0; n < sources.size(); ++n) {
        const auto type = find_lanewise(instruction_of(text, sources.size() + 1)).types[n + 1];
        std::memcpy(bench.at<unsigned char>(n + 1), &sources[n], static_cast<std::size_t>(simt::ptx::bytes_of(type)));
        operands.push_back(n + 1);
    }
    known = bench.run(instruction_of(text, sources.size() + 1), operands, 1, 0, {static_cast<std::uint8_t>(bytes)});
    std::uint64_t result = 0;
    std::memcpy(&result, bench.at<unsigned char>(0), bytes);
    return result;
}

}  // namespace

int main() {
    std::map<std::string, int> differences;
    std::string line;
    int lines = 0;
    for (; std::getline(std::cin, line); ++lines) {
        std::istringstream words(line);
        std::string text, word;
        words >> text;
        std::vector<std::uint64_t> sources;
        while (words >> word && word != "=") sources.push_back(std::stoull(word, nullptr, 16));
        if (!(words >> word)) continue;
        bool known = false;
        const std::uint64_t result = execute(text, sources, word.size() / 2, known);
        if (known && result == std::stoull(word, nullptr, 16)) continue;
        if (++differences[text] <= 4) std::printf("%s; here %llx\n", line.c_str(), static_cast<unsigned long long>(result));
    }
    for (const auto& [text, count] : differences) std::printf("%s: %d lines differ\n", text.c_str(), count);
    std::printf("%d lines, %zu instructions with differences\n", lines, differences.size());
    return differences.empty() ? 0 : 1;
}
