// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Launches, kernels and macros, and what stays as it is.

#include "translator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "translation.hpp"

namespace simt::translate {
namespace {

/// The call that a launch of `kernel` with the configuration `configuration` becomes.
std::string launch(const std::string& kernel, const std::string& configuration)
{
    return "::simt::Launch(\"" + kernel + "\", [&](auto&&... simt_arguments) { " + kernel + "(simt_arguments...); }, " + configuration + ")";
}

TEST(Launches, BecomeCalls) { EXPECT_EQ(translated("k<<<grid, block>>>(a, b);"), launch("k", "grid, block") + "(a, b);"); }

TEST(Launches, InStringsAndCommentsAreNone)
{
    const std::string source = "auto a = \"k<<<1,2>>>()\"; // k<<<1,2>>>()\n/* k<<<1,2>>>() */ auto b = R\"(k<<<1>>>())\"; \n#pragma k<<<\n";
    EXPECT_EQ(translated(source), source);
}

TEST(Launches, InDisabledCodeAreNone)
{
    const std::string source = "#if 0 // off\nk<<<1;\n#if A\n#else\nk<<<1;\n#endif\n#endif\n";
    EXPECT_EQ(translated(source), source);
    EXPECT_TRUE(contains(translated("#if 0\nk<<<;\n#else\nk<<<1, 2>>>();\n#endif"), launch("k", "1, 2")));
    EXPECT_TRUE(contains(translated("#if 1\nk<<<1, 2>>>();\n#endif"), launch("k", "1, 2")));
}

TEST(Launches, NameTheirKernelInAnyWay)
{
    for (const std::string kernel :
         {"k", "n::m::k", "::k", "k<float, (3 > 2)>", "A<int>::k", "::k<A<B<int>>>", "k<A<B<C<int>>>>", "n::k<sizeof(A<B<int>>), 'x'>",
          "(flag ? a : b)", "table[i]", "table[i][j + 1]", "pick(3)", "pick<int>(3)", "s.k", "p->k", "this->k", "s.template k<3>", "S::template k<3>",
          "a.b->c::k", "k ## T"})
        EXPECT_EQ(translated("; " + kernel + "<<<1, 2>>>(x);"), "; " + launch(kernel, "1, 2") + "(x);");
}

TEST(Launches, FollowAnyOtherStatement)
{
    for (const std::string before : {"if (x) ", "else ", "do ", "for (;;) ", "return ", "return x, ", "case 1: ", "label: ", "x ? f() : ", "[&] { ", "CHECK("}) {
        EXPECT_EQ(translated(before + "k<<<1, 2>>>(x);"), before + launch("k", "1, 2") + "(x);");
        EXPECT_EQ(translated(before + "(k)<<<1, 2>>>(x);"), before + launch("(k)", "1, 2") + "(x);") << before;
        EXPECT_EQ(translated(before + "::k<<<1, 2>>>(x);"), before + launch("::k", "1, 2") + "(x);");
    }
}

TEST(BuiltInVariables, MayBeNamesOfMembers)
{
    EXPECT_EQ(translated("config.gridDim = p->blockDim; C c = {.gridDim = 1};"), "config.simt_gridDim = p->simt_blockDim; C c = {.simt_gridDim = 1};");
    EXPECT_EQ(translated("#define GRID(c) c.gridDim\n"), "#define GRID(c) c.simt_gridDim\n");
    for (const std::string source : {"x = gridDim.x;", "f(xs..., blockDim);", "// c.gridDim", "s = \"c.gridDim\";"}) EXPECT_EQ(translated(source), source);
}

TEST(Launches, HaveAnyConfiguration)
{
    for (const std::string configuration :
         {"dim3(1, 2), f<int>(3), n * sizeof(A<B<int>>)", "{1, 2}, {3}", "a < b ? 1 : 2, c > d", "A<B<int>>::value, 2", "A<B<C<int>>>::value, 2",
          "A<B<C<int>>>(3), 2", "n >> 1, 1 << 5, 0, stream", "[&] { return 3; }(), 2", "v<3>, w<A<4>>"})
        EXPECT_EQ(translated("k<<<" + configuration + ">>>(x);"), launch("k", configuration) + "(x);");
    EXPECT_EQ(translated("k<<<1, v<3>>>>(x);"), launch("k", "1, v<3>") + "(x);");
}

TEST(Launches, SpanLines)
{
    const std::string source = "k<float>\n<<<grid,\n  block>>>\n(a,\n#ifdef B\n b\n#endif\n);\nint x;\n";
    const std::string text = translated(source);
    EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(source, '\n'));
    EXPECT_TRUE(contains(text, "\nint x;\n"));
}

TEST(Launches, HandOnWhatHasNoTypeOfItsOwn)
{
    EXPECT_EQ(translated("k<<<1, 2>>>(NULL, a == NULL);"), launch("k", "1, 2") + "(nullptr, a == nullptr);");
    EXPECT_EQ(translated("k<<<1, 2>>>(0, a, {1, 2}, b, {});"),
              "::simt::Launch(\"k\", [&](auto&& simt_argument_11, auto&& simt_argument_22) "
              "{ k(0, simt_argument_11, {1, 2}, simt_argument_22, {}); }, 1, 2)( a,  b );");
    EXPECT_EQ(translated("k<<<1, 2>>>(0);"), "::simt::Launch(\"k\", [&]() { k(0); }, 1, 2)();");
    // A comma inside template arguments separates no arguments of the launch.
    EXPECT_EQ(translated("k<<<1, 2>>>(f<1, 0, 2>(x));"), launch("k", "1, 2") + "(f<1, 0, 2>(x));");
    EXPECT_EQ(translated("k<<<1, 2>>>(0, rest...);"), launch("k", "1, 2") + "(0, rest...);");
}

TEST(Launches, AreToldFromOperators)
{
    for (const std::string source : {"friend S& operator<<<int>(S&, int);", "x = a < b << c;", "A<B<C<int>>> x;"}) EXPECT_EQ(translated(source), source);
}

TEST(Launches, InMacrosAreTranslatedToo)
{
    EXPECT_EQ(translated("#define LAUNCH(k) \\\n  k<<<g, b>>>(x)\nint y;"), "#define LAUNCH(k) \\\n  " + launch("k", "g, b") + "(x)\nint y;");
    EXPECT_EQ(translated("#define LAUNCH(k, ...) do { k<<<1, 2>>>(__VA_ARGS__); } while (0) // k<<<"),
              "#define LAUNCH(k, ...) do { " + launch("k", "1, 2") + "(__VA_ARGS__); } while (0) // k<<<");
    EXPECT_EQ(translated("#define CONFIGURE(k) k<<<1, 2>>>\n"), "#define CONFIGURE(k) " + launch("k", "1, 2") + "\n");
    EXPECT_EQ(translated("#define NAMED(k) #k, k<<<1, 2>>>()\n"), "#define NAMED(k) #k, " + launch("k", "1, 2") + "()\n");
}

TEST(Kernels, OfTemplatesTellHowManyParametersTheyHave)
{
    const std::pair<const char*, int> cases[] = {
        {"template <class T, int N = (3 > 2)> __global__ void k(T x)", 2},
        {"template <class T> requires (sizeof(T) > 4) __global__ void k(T x)", 1},
        {"template <class T> __global__ void k(T x) requires std::integral<T> && (N > 3)", 1},
        {"template <class T> __global__ void k(T x) requires requires(T t) { t + 1; }", 1},
        {"template <class T> __global__ void k(T x) requires (A<T> || requires { T(); })", 1},
        {"template <class T> __global__ std::enable_if_t<A<T, 3>::value, void> k()", 1},
        {"template <template <class, int> class C, class F = int(int, int), class... Rest> __global__ void k()", 3},
        {"template <class T = std::pair<int, float>, int n = f(1, 2)> __global__ void k()", 2},
    };
    for (const auto& [head, parameters] : cases)
        EXPECT_EQ(translated(std::string(head) + " { f(); }"),
                  std::string(head) + " { ::simt::kernel_entry(__func__, __PRETTY_FUNCTION__, " + std::to_string(parameters) + "); f(); }");
}

TEST(Lambdas, TakeSharedVariablesByReference)
{
    const std::string tile = "__shared__ int tile[32]; ";
    EXPECT_TRUE(contains(translated_body(tile + "auto f = [=] { return tile[0]; };"), "[=, &tile] { return tile[0]; }"));
    EXPECT_TRUE(contains(translated_body(tile + "auto f = [=, &a](int i) mutable { return tile[i]; };"), "[=, &tile, &a](int i) mutable"));
    EXPECT_TRUE(contains(translated_body(tile + "auto f = [=] { return a[0]; };"), "[=] { return a[0]; }"));
    EXPECT_TRUE(contains(translated_body(tile + "auto f = [=](int* tile) { return tile[0]; };"), "[=](int* tile)"));
}

TEST(Kernels, BeginWithTheirEntry)
{
    const std::string entry = " ::simt::kernel_entry(__func__);";
    for (const std::string head :
         {"__global__ void k()", "void __global__ k(int a)", "static __global__ void k()",
          "__global__ void __launch_bounds__(64, N < 2 ? 3 : 4) k(int a = 3, S s = {1, 2})", "extern \"C\" __global__ void k()",
          "namespace n { inline namespace m { __global__ void k()", "template <> __global__ void k<3>(int (*f)(int), int a[4])",
          "[[maybe_unused]] __global__ void k()", "__global__ __attribute__((noinline)) void k()"})
        EXPECT_EQ(translated(head + " { f(); }"), head + " {" + entry + " f(); }");
    EXPECT_EQ(translated("__global__ void k(int);\n__global__ void k(int a) { f(); }"),
              "__global__ void k(int);\n__global__ void k(int a) {" + entry + " f(); }");
    EXPECT_EQ(translated("#define KERNEL(name) __global__ void name() { f(); }\n"), "#define KERNEL(name) __global__ void name() {" + entry + " f(); }\n");
}

TEST(Kernels, MayBeMarkedByAMacro)
{
    const std::string macro = "#define KERNEL extern \"C\" __global__ void\n";
    EXPECT_EQ(translated(macro + "KERNEL k(int* p) { f(); }"), macro + "KERNEL k(int* p) { ::simt::kernel_entry(__func__); f(); }");
}

TEST(Kernels, InDifferentBranchesAreMarkedEach)
{
    const std::string text = translated("#ifdef A\n__global__ void k(int a) {\n#else\n__global__ void k(float a) {\n#endif\n f(); }\n__global__ void m() { f(); }");
    std::size_t entries = 0;
    for (std::size_t at = 0; (at = text.find("kernel_entry", at)) != std::string::npos; ++at) ++entries;
    EXPECT_EQ(entries, 3u);
}

TEST(Translation, BeginsWithTheRuntimeAndTheNameOfTheFile)
{
    EXPECT_EQ(translate("int a;", "a \"b\"/c\\d.cu"), "#include <cuda_runtime.h>\n#line 1 \"a \\\"b\\\"/c\\\\d.cu\"\nint a;");
}

TEST(Translation, NamesWhatItCannotReadWithItsLine)
{
    EXPECT_EQ(error_of("int a;\nk<<<1, 2;"), "file.cu:2: '<<<' of a launch is never closed by '>>>'");
    EXPECT_EQ(error_of("k<<<1, 2>>>;"), "file.cu:1: '>>>' of a launch stands before no argument list");
    EXPECT_EQ(error_of("; <<<1, 2>>>(a);"), "file.cu:1: '<<<' stands after nothing that could be a kernel");
    EXPECT_EQ(error_of("k<<<1, 2>>>(a;"), "file.cu:1: '(' is never closed");
    EXPECT_EQ(error_of("#define A \\\n k \\\n <<<1, 2>>>;\n"), "file.cu:3: '>>>' of a launch stands before no argument list");
}

TEST(Translation, NamesAllThatItCannotRead)
{
    EXPECT_EQ(error_of("k<<<1>>>;\n\nm<<<1;"),
              "file.cu:1: '>>>' of a launch stands before no argument list\nfile.cu:3: '<<<' of a launch is never closed by '>>>'");
}

/// Files in memory.
class Files : public Includes {
public:
    explicit Files(std::map<std::string, std::string> files) : files_(std::move(files)) {}
    std::optional<File> find(std::string_view name, bool quoted, std::string_view) override
    {
        const auto found = files_.find(std::string(name));
        if (!quoted || found == files_.end()) return std::nullopt;
        return File{found->second, "folder/" + found->first, "out/" + found->first};
    }
    bool is_new(const File& file) override { return translations.try_emplace(file.name).second; }
    void translated(const File& file, const std::string& translation) override { translations.at(file.name) = translation; }
    std::map<std::string, std::string> translations;

private:
    std::map<std::string, std::string> files_;
};

TEST(IncludedFiles, AreTranslatedOnce)
{
    Files files(std::map<std::string, std::string>{{"a.cuh", "#include \"b.cuh\"\nvoid f() { k<<<1, 2>>>(); }"}, {"b.cuh", "#pragma once\n#include \"a.cuh\"\n"}});
    const std::string text = translate("#include \"a.cuh\" // here\n#include <a.cuh>\n#include \"b.cuh\"\n#include \"c.h\"\n", "main.cu", &files);
    EXPECT_TRUE(text.ends_with("#include \"out/a.cuh\" // here\n#include <a.cuh>\n#include \"out/b.cuh\"\n#include \"c.h\"\n")) << text;
    EXPECT_EQ(files.translations.at("folder/a.cuh"), "#line 1 \"folder/a.cuh\"\n#include \"out/b.cuh\"\nvoid f() { " + launch("k", "1, 2") + "(); }");
    EXPECT_EQ(files.translations.at("folder/b.cuh"), "#line 1 \"folder/b.cuh\"\n#pragma once\n#include \"out/a.cuh\"\n");
}

TEST(IncludedFiles, AreNamedInErrors)
{
    Files files(std::map<std::string, std::string>{{"a.cuh", "\nk<<<1;"}});
    try {
        translate("#include \"a.cuh\"\n", "main.cu", &files);
        ADD_FAILURE() << "translated";
    } catch (const TranslationError& error) {
        EXPECT_STREQ(error.what(), "folder/a.cuh:2: '<<<' of a launch is never closed by '>>>'");
    }
}

TEST(IncludedFiles, MakeTheirSharedVariablesAndMacrosKnown)
{
    Files files(std::map<std::string, std::string>{{"a.cuh", "extern __shared__ int s[];\n#define SHARED __shared__\n"}});
    const std::string text = translate("#include \"a.cuh\"\n__global__ void k() { SHARED int t; t = s[0]; }", "main.cu", &files);
    EXPECT_TRUE(contains(text, "auto& s = ::simt::dynamic_shared_array<int>();")) << text;
    EXPECT_TRUE(contains(text, "auto& t = ::simt::shared_variable<int, struct")) << text;
}

}  // namespace
}  // namespace simt::translate
