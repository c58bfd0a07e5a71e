# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Text admission: what is refused however it is spelled, and what is not."""

from __future__ import annotations

import pytest
from conftest import REPOSITORY
from grading.admission import examine_text

REFUSED = {
    'asm("nop");': "inline assembly",
    'as\\\nm("nop");': "inline assembly",
    'as\\ \t\nm("nop");': "inline assembly",
    'int \\u0061sm;': "inline assembly",
    '/* " */ __asm__ volatile("nop"); // "': "inline assembly",
    "int x = 1'000'000; asm(\"\");": "inline assembly",
    '#define HIDDEN asm': "inline assembly",
    "[[gnu::noinline]] void f();": "compiler attribute",
    "[ /* */ [ gnu::noinline ] ] void f();": "compiler attribute",
    "<:<:gnu::noinline:>:> void f();": "compiler attribute",
    "__attribute__((noinline)) void f();": "compiler attribute",
    "#pragma GCC optimize 3": "pragma that is not admitted",
    "%:pragma GCC optimize 3": "pragma that is not admitted",
    "_Pragma(\"GCC optimize 3\")": "reserved name",
    "#include <iostream>": "include that is not admitted",
    '#include "/etc/passwd"': "include that is not admitted",
    "#include __FILE__": "include that is not admitted",
    "#include_next <cstdio>": "directive that is not admitted",
    "#line 7": "directive that is not admitted",
    "#define __syncthreads()": "macro in the place of a name of CUDA or C++",
    "#define cudaMemcpy(...)": "macro in the place of a name of CUDA or C++",
    "#undef threadIdx": "macro in the place of a name of CUDA or C++",
    "#define float double": "macro in the place of a name of CUDA or C++",
    "#define JOIN(a, b) a##b": "pasted token",
    'const char* s = R"(text)";': "raw string",
    "// why ??/\n": "trigraph",
    "int a\u202e;": "invisible character",
    "__tsan_read4(p);": "reserved name",
    "simt::take_launches();": "name of the grader",
    "namespace conflict_free {}": "name of the grader",
    "#ifdef CONFLICT_FREE_SIMT\n#endif": "name of the grader",
    "#if !defined(CONFLICT_FREE_SIMT)\n#endif": "name of the grader",
    "#define CONFLICT_FREE_SIMT 0": "name of the grader",
    "#undef CONFLICT_FREE_SIMT": "name of the grader",
    "namespace std {}": "namespace of others",
    "int main() {}": "main function",
    "throw 1;": "exception",
    "struct A { virtual void f(); };": "virtual function",
    "thread_local int x;": "thread-local variable",
    'system("ls");': "starting a process",
    'fopen("x", "r");': "reaching files",
    "cudaLaunchKernelEx(&config, kernel, output, input);": "launch through a function pointer",
}
ADMITTED = (
    "#pragma unroll 4\nfor (;;) {}",
    "#pragma once",
    "[[maybe_unused]] int x; [[nodiscard]] int f();",
    "using namespace std;",
    "a[b[0]] = c[d[e]];",
    "__shared__ float tile[32][33]; extern __shared__ double dynamic[];",
    "x = __fmaf_rn(a, b, __float2int_rn(c)); y = __shfl_xor_sync(0xffffffffu, y, 1); z = __popc(__ballot_sync(~0u, p));",
    "#define TILE 32\n#define CUDA_CHECK(call) do { if ((call) != cudaSuccess) std::exit(1); } while (0)\n#undef TILE",
    'printf("asm __attribute__ %s\\n", __FILE__);',
    "// asm, simt::, main()\n/* #pragma GCC optimize */",
    "bool open = true, kill = false; struct { int main; } s; s.main = 1;",
    "__global__ void __launch_bounds__(256) k(const float* __restrict__ in) {}",
    "cudaGridDependencySynchronize(); cudaTriggerProgrammaticLaunchCompletion();",
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700\n#endif",
)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused_is_called_by_its_name(text):
    found = examine_text(f"\n{text}\n")
    assert REFUSED[text] in {each.kind for each in found}
    assert all(each.line >= 2 and each.message and each.help for each in found)


@pytest.mark.parametrize("text", ADMITTED)
def test_what_honest_code_needs_is_admitted(text):
    assert examine_text(text) == []


def test_programs_of_this_repository_would_be_admitted_but_for_main():
    programs = sorted((REPOSITORY / "common" / "simt" / "mutation" / "subjects").glob("*.cu"))
    assert programs
    for path in programs:
        assert {each.kind for each in examine_text(path.read_text(encoding="utf-8"))} <= {"main function", "include that is not admitted"}


def test_each_kind_stands_once_a_line_in_the_order_of_lines():
    found = examine_text("asm(1); asm(2);\n__attribute__((x)) int y;\nasm(3);")
    assert [(each.line, each.kind) for each in found] == [(1, "inline assembly"), (2, "compiler attribute"), (3, "inline assembly")]
