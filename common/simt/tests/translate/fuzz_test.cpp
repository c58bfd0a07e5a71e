// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The translator is given nonsense: random tokens, and real sources with random damage. The same nonsense every time.

#include "fuzz.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace simt::translate {
namespace {

constexpr int soups = 20000;
constexpr int damaged_copies = 400;

constexpr std::string_view pieces[] = {
    "k", "x", "T", "f", "int", "float", "unsigned", "const", "struct", "union", "typename", "template", "operator", "requires", "namespace", "extern",
    "static", "return", "else", "if", "decltype", "alignas", "__align__", "__attribute__", "__global__", "__device__", "__host__", "__shared__", "__constant__",
    "__managed__", "__noinline__", "__launch_bounds__", "asm", "cuda", "texture", "tex2D", "NULL", "0", "1", "1'0", "2.f", "\"s\"", "'c'", "R\"(<<<)\"", "\"", "'",
    "<<<", ">>>", "<", ">", ">>>>", "(", ")", "[", "]", "{", "}", ",", ";", ":", "::", "->", ".", "...", "*", "&", "=", "-", "!", "~", "#", "##", "\\\n", "\n",
    "\n\n", "//", "/*", "*/", "\n#define M ", "\n#define M(x) ", "\n#if 0\n", "\n#else\n", "\n#endif\n", "\n#include \"x\"\n", "\n#include <mma.h>\n", "extern \"C\"",
};

class Fuzz : public testing::Test {
protected:
    std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_); }

    std::string_view piece() { return pieces[below(std::size(pieces))]; }

    static void check(const std::string& source)
    {
        const auto broken = broken_promise(source);
        ASSERT_FALSE(broken) << *broken << " for:\n" << source;
    }

private:
    std::mt19937_64 random_{20260101};
};

TEST_F(Fuzz, AnySoupOfTokensIsTranslatedOrRefused)
{
    for (int i = 0; i < soups && !HasFatalFailure(); ++i) {
        std::string source;
        for (std::size_t n = below(60); n > 0; --n) source += std::string(piece()) + (below(3) ? " " : "");
        check(source);
    }
}

std::string text_of(const std::filesystem::path& path)
{
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

std::vector<std::string> real_sources()
{
    std::vector<std::string> sources;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(SIMT_SOURCES))
        if (entry.path().extension() == ".cu" || entry.path().extension() == ".cuh") sources.push_back(text_of(entry.path()));
    std::ranges::sort(sources);
    return sources;
}

TEST_F(Fuzz, RealSourcesAreTranslated)
{
    ASSERT_FALSE(real_sources().empty());
    for (const std::string& source : real_sources()) {
        check(source);
        EXPECT_NO_THROW(translate(source, "real.cu"));
    }
}

TEST_F(Fuzz, DamagedSourcesAreTranslatedOrRefused)
{
    const auto sources = real_sources();
    for (int i = 0; i < damaged_copies && !HasFatalFailure(); ++i) {
        std::string source = sources[below(sources.size())];
        for (std::size_t n = 1 + below(8); n > 0 && !source.empty(); --n) {
            const std::size_t at = below(source.size()), length = std::min(below(40), source.size() - at);
            switch (below(4)) {
                case 0: source.erase(at, length); break;
                case 1: source.insert(at, piece()); break;
                case 2: source.insert(at, source.substr(below(source.size()), length)); break;
                default: source[at] = static_cast<char>(below(256)); break;
            }
        }
        check(source);
    }
}

TEST_F(Fuzz, DeepAndLongSourcesTakeNoTimeToSpeakOf)
{
    constexpr int many = 20000;
    for (const std::string_view unit : {"(", "<", "k<<<", "x<", "__shared__ int a[", "{", ">>>", "requires ", "a::", "__device__ ", "#if 0\n", "\"", "f(", "k<<<1, 2>>>(", "__shared__ int a, "}) {
        std::string source;
        for (int i = 0; i < many; ++i) source += unit;
        check(source);
    }
}

}  // namespace
}  // namespace simt::translate
