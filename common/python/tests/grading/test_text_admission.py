"""Tests which texts are refused with their lines, and which are admitted."""

import pytest

from conflict_free.grading.text_admission import examine_text

REFUSED = {
    'fopen("x", "r");': "reaching files",
    'fo\\\npen("x", "r");': "reaching files",
    '#define HIDDEN fopen("x", "r")': "reaching files",
    'system("ls");': "starting a process",
    'R"(text)"; system("ls");': "starting a process",
    "kill(1, 9);": "reaching other processes",
    "std::thread other(f);": "thread of the host",
    "std ::\nasync(f);": "thread of the host",
    'getenv("HOME");': "reaching the system",
    '#include "/etc/passwd"': "include that is not admitted",
    '#include "../reference.py"': "include that is not admitted",
    '#include "my_own.cuh"': "include that is not admitted",
    "#include __FILE__": "include that is not admitted",
    "#define __syncthreads()": "macro in the place of a name of CUDA or C++",
    "#define cudaMemcpy(...)": "macro in the place of a name of CUDA or C++",
    "#undef threadIdx": "macro in the place of a name of CUDA or C++",
    "#define float double": "macro in the place of a name of CUDA or C++",
    "simt_trial_finish(nullptr);": "name of the grader",
    "namespace conflict_free {}": "name of the grader",
    "#ifdef CONFLICT_FREE_SIMT\n#endif": "name of the grader",
    "int main() {}": "main function",
    "cudaMallocManaged(&x, 4);": "managed memory",
    "cudaLaunchHostFunc(stream, function, nullptr);": "call back into host code",
    "cudaDeviceReset();": "reset of the device",
}
ADMITTED = (
    "#pragma unroll 4\nfor (;;) {}",
    "#pragma GCC optimize 3",
    'asm("mov.u32 %0, %laneid;" : "=r"(lane));',
    "__attribute__((noinline)) __device__ void f();",
    "struct A { virtual void f(); }; thread_local int x; void f() { throw 1; }",
    "cudaLaunchKernelEx(&config, kernel, output, input);",
    '#include <iostream>\n#include <cuda/barrier>\n#include "cuda_runtime.h"\n#include <cub/cub.cuh>',
    "#define JOIN(a, b) a##b",
    "a[b[0]] = c[d[e]];",
    "x = __fmaf_rn(a, b, __float2int_rn(c)); y = __shfl_xor_sync(0xffffffffu, y, 1);",
    "#define TILE 32\n#define CUDA_CHECK(call) do { if ((call) != cudaSuccess) std::exit(1); } while (0)\n#undef TILE",
    'printf("fopen system %s\\n", __FILE__); const char* s = R"x(main() system("ls") "(])x";',
    "// fopen, simt::, main()\n/* system(1) */",
    "int thread = 0; other::thread t; thread = async(thread);",
    "bool open = true, kill = false; struct { int main; } s; s.main = 1;",
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


def test_each_kind_stands_once_a_line_in_the_order_of_lines():
    found = examine_text("fopen(1); fopen(2);\nint main() { system(1); }\nfopen(3);")
    assert [(each.line, each.kind) for each in found] == [
        (1, "reaching files"),
        (2, "main function"),
        (2, "starting a process"),
        (3, "reaching files"),
    ]
