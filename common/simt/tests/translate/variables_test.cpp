// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Variables in shared, global and constant memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "translation.hpp"

namespace simt::translate {
namespace {

std::string shared(const std::string& name, const std::string& type, int number, const std::string& alignment = "")
{
    return "auto& " + name + " = ::simt::shared_variable<" + type + ", struct simt_shared_" + std::to_string(number) + alignment + ">();";
}

struct Case {
    std::string declaration, name, type, alignment = {};
};

TEST(Shared, VariablesBecomeReferences)
{
    const Case cases[] = {
        {"__shared__ float tile[32][33];", "tile", "float[32][33]"},
        {"__shared__ unsigned x;", "x", "unsigned"},
        {"__shared__ unsigned long long x[2];", "x", "unsigned long long[2]"},
        {"float __shared__ x[3];", "x", "float[3]"},
        {"__shared__ T x[N + 1][sizeof(int[2])];", "x", "T[N + 1][sizeof(int[2])]"},
        {"__shared__ typename T::type x;", "x", "typename T::type"},
        {"__shared__ ::n::T x;", "x", "::n::T"},
        {"static __shared__ std::pair<int, float> p;", "p", "std::pair<int, float>"},
        {"__shared__ A<B<C<int>>> x[2];", "x", "A<B<C<int>>>[2]"},
        {"volatile __shared__ int x[2];", "x", "volatile int[2]"},
        {"__shared__ volatile T x;", "x", "volatile T"},
        {"__shared__ T const volatile x;", "x", "T const volatile"},
        {"__shared__ float *p;", "p", "float*"},
        {"__shared__ T *p[2];", "p", "T*[2]"},
        {"__shared__ const T* __restrict__ p;", "p", "const T*__restrict__"},
        {"__shared__ float (*p)[33];", "p", "float(*)[33]"},
        {"__shared__ T (*p)[33];", "p", "T(*)[33]"},
        {"__shared__ int (*f[2])(int, float);", "f", "int(*[2])(int, float)"},
        {"__shared__ decltype(a + b) x;", "x", "decltype(a + b)"},
        {"__shared__ struct S x;", "x", "struct S"},
        {"__shared__ TYPE(float) x[3];", "x", "TYPE(float)[3]"},
        {"__shared__ __align__(16) char raw[64];", "raw", "char[64]", ", (16)"},
        {"__align__(16) __shared__ char raw[64];", "raw", "char[64]", ", (16)"},
        {"__shared__ char raw alignas(16) [64];", "raw", "char[64]", ", (16)"},
        {"alignas(sizeof(T)) __shared__ char raw[64];", "raw", "char[64]", ", (sizeof(T))"},
        {"[[maybe_unused]] __shared__ int x;", "x", "int"},
        {"__shared__ __attribute__((unused)) int x;", "x", "int"},
        {"__shared__\n\nint x;", "x", "int"},
    };
    for (const Case& c : cases) {
        std::string text = translated_body(" " + c.declaration);
        std::erase(text, '\n');
        EXPECT_EQ(text, " " + shared(c.name, c.type, 0, c.alignment)) << c.declaration;
    }
}

TEST(Shared, SeveralMayStandInOneDeclaration)
{
    EXPECT_EQ(translated_body("__shared__ unsigned int a, *b[2], c[3][4];"),
              shared("a", "unsigned int", 0) + " " + shared("b", "unsigned int*[2]", 1) + " " + shared("c", "unsigned int[3][4]", 2));
}

TEST(Shared, ClassesMayBeDefinedInTheDeclaration)
{
    EXPECT_EQ(translated_body("__shared__ struct P { int a, b; } p, q[2];"),
              "struct P { int a, b; }; " + shared("p", "P", 0) + " " + shared("q", "P[2]", 1));
    const std::string text = translated_body("__shared__ union {\n float f;\n int i;\n} u;");
    EXPECT_EQ(text.substr(0, 19), "union simt_unnamed_");
    EXPECT_TRUE(contains(text, " {\n float f;\n int i;\n}; auto& u = ::simt::shared_variable<simt_unnamed_")) << text;
}

TEST(Shared, LinesStayWhereTheyAre)
{
    const std::string source = "__global__ void k() { __shared__ // why\nfloat /* \n */ t\n[3]\n;\nint x; }";
    const std::string text = translated(source);
    EXPECT_EQ(std::ranges::count(text, '\n'), 5);
    EXPECT_TRUE(contains(text, "\nint x; }"));
}

TEST(Shared, DynamicArraysBecomeReferences)
{
    EXPECT_EQ(translated_body("extern __shared__ float tile[];"), "auto& tile = ::simt::dynamic_shared_array<float>();");
    EXPECT_EQ(translated_body("extern __shared__ int2 pairs[][4];"), "auto& pairs = ::simt::dynamic_shared_array<int2[4]>();");
    EXPECT_EQ(translated_body("extern volatile __shared__ T s[ ];"), "auto& s = ::simt::dynamic_shared_array<volatile T>();");
    EXPECT_EQ(translated_body("extern __shared__ __align__(16) unsigned char s[];"), "auto& s = ::simt::dynamic_shared_array<unsigned char>();");
    EXPECT_EQ(translated_body("__shared__ extern T* s[];"), "auto& s = ::simt::dynamic_shared_array<T*>();");
}

TEST(Shared, DeclarationsOutsideFunctionsHoldForThoseBelow)
{
    const std::string text = translated("extern __shared__ float s[]; namespace n { __shared__ int a, b[2]; }\n"
                                        "__global__ void k() { s[0] = 1; }\n__device__ void f() { n::b[0] = ::s[1]; }\n__global__ void m(int s, int a) { s = a; }");
    EXPECT_TRUE(contains(text, "namespace n {  }\n")) << text;
    EXPECT_TRUE(contains(text, "k() { ::simt::kernel_entry(__func__); auto& s = ::simt::dynamic_shared_array<float>(); s[0]")) << text;
    EXPECT_TRUE(contains(text, "f() { auto& b = ::simt::shared_variable<int[2], std::integral_constant<int, 2>>(); auto& s = ::simt::dynamic_shared_array<float>(); b[0] = s[1];")) << text;
    EXPECT_TRUE(contains(text, "{ ::simt::kernel_entry(__func__); s = a; }")) << text;
}

TEST(Shared, MayBeDeclaredThroughMacros)
{
    const std::string macro = "#define SHARED static __shared__\n", typed = "#define SHARED_FLOAT __shared__ volatile float\n";
    EXPECT_EQ(translated(macro + "void f() { SHARED T x[3]; }"), macro + "void f() { " + shared("x", "T[3]", 0) + " }");
    EXPECT_EQ(translated(typed + "void f() { SHARED_FLOAT x[3]; }"), typed + "void f() { " + shared("x", "volatile float[3]", 0) + " }");
    EXPECT_EQ(translated("#define TILE(T, x) \\\n  __shared__ T \\\n x[32]\n"), "#define TILE(T, x) \\\n  " + shared("x", "T[32]", 0) + " \\\n \n");
}

TEST(Shared, WhatCannotBeReadIsNamedWithItsLine)
{
    EXPECT_EQ(error_of("int a;\n__shared__ float t[4] = {1};"), "file.cu:2: the '__shared__' variable 't' cannot be initialized where it is declared");
    EXPECT_TRUE(contains(error_of("extern __shared__ float t;"), "file.cu:1: an 'extern __shared__' variable is an array of unknown extent"));
    EXPECT_TRUE(contains(error_of("void f() { __shared__ float t[4"), "cannot be read up to a ';'"));
    EXPECT_TRUE(contains(error_of("void f() { __shared__ t; }"), "names no type"));
    EXPECT_TRUE(contains(error_of("void f() { __shared__ float; }"), "names no variable"));
    EXPECT_TRUE(contains(error_of("__shared__ float f(int);"), "'f' is a function"));
}

std::string symbol(const std::string& name, const std::string& space)
{
    return " [[gnu::used, gnu::section(\"simt_device_symbols\")]] static constinit const ::simt::DeviceSymbol simt_symbol_" + name +
           "{(const void*)&" + name + ", sizeof(" + name + "), \"" + name + "\", ::simt::SymbolSpace::" + space + "};";
}

TEST(DeviceVariables, AreMadeKnown)
{
    for (const std::string declaration :
         {"__device__ int x;", "static __device__ int x = 3;", "__device__ float x = g(3);", "__device__ int x[4] = {1, 2};", "__device__ T x;",
          "__device__ const float x[] = {1.f, f<int, 2>(3)};", "int __device__ x;", "__device__ volatile unsigned x;", "__device__ float x{3.f};",
          "__device__ float x(3.f);", "__device__ std::array<float, 4> x;", "__managed__ int x;", "__device__ __managed__ int x;", "__device__ float* x;",
          "__device__ float (*x)(float) = f;", "__device__ float (*x[2])(float) = {f, g};", "__device__ struct P { int a; } x;", "__device__ constexpr int x = 3;",
          "__device__ auto x = [](int a) { return a; };", "[[maybe_unused]] __device__ alignas(16) char x[16];", "__device__ dim3 x(1, 2);"})
        EXPECT_EQ(translated(declaration), declaration + symbol("x", "global"));
    EXPECT_EQ(translated("__constant__ float c[16];"), "__constant__ float c[16];" + symbol("c", "constant"));
    EXPECT_EQ(translated("namespace n { __device__ int a, *b = nullptr, c[2]; }"),
              "namespace n { __device__ int a, *b = nullptr, c[2];" + symbol("a", "global") + symbol("b", "global") + symbol("c", "global") + " }");
    EXPECT_EQ(translated("#define DEVICE __device__\nDEVICE int x;"), "#define DEVICE __device__\nDEVICE int x;" + symbol("x", "global"));
}

TEST(DeviceVariables, AreToldFromFunctions)
{
    for (const std::string source :
         {"__device__ float f(float);", "__device__ float f() { return 1; }", "__device__ T f(T a, int b = 3) { return {a}; }", "__host__ __device__ auto f(int a) -> int;",
          "template <class T> __device__ T f(T);", "template <class T> __device__ __forceinline__ T f(T a) { return a; }", "struct S { __device__ S(int a) : x(a), y{a} {} int x, y; };",
          "struct S { __device__ ~S(); __device__ operator int() const; __device__ S& operator=(const S&) = default; };",
          "__device__ S operator+(S a, S b) { return a; }", "struct S { __device__ int operator()(int a) const { return a; } };", "__device__ int* f(int*);",
          "__device__ unsigned long long f(void);", "__device__ T S<T>::f(int a) { return a; }", "auto f = [] __device__ (int a) { return a; };",
          "extern __device__ int x;", "void f(int __device__);", "__device__ int f(int), g(float);", "friend __device__ int f();"})
        EXPECT_EQ(translated(source), source);
}

TEST(DeviceVariables, InFunctionsAndClassesAreLeftAlone)
{
    for (const std::string source : {"void f() { static __device__ int x; }", "struct S { static __device__ int x; };"}) EXPECT_EQ(translated(source), source);
}

TEST(DeviceVariables, AreFoundBehindBracesThatBranchesOpenTwice)
{
    const std::string source = "namespace n {\n#ifdef A\nvoid f(int) {\n#else\nvoid f() {\n#endif\n}\n__device__ int x;";
    EXPECT_EQ(translated(source + "\n}"), source + symbol("x", "global") + "\n}");
}

TEST(DeviceVariables, AsTemplatesAreAnError)
{
    EXPECT_EQ(error_of("\ntemplate <class T> __device__ T x = 3;"),
              "file.cu:2: a template of variables in device memory is not supported by the counting model: declare each variable by itself");
}

}  // namespace
}  // namespace simt::translate
