"""Tests the messages about common mistakes, with the real tools, and the reading of a source that they need."""

from dataclasses import replace
from pathlib import Path

import pytest
from grading_tools import graded, padding

from conflict_free.grading import running
from conflict_free.grading.source_text import calls, functions, host_accesses, kept_variables, launches, meant, simple_name, unclosed_brace

KERNEL = """#include <cuda_runtime.h>

__global__ void transpose(double* output, const double* input, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 8 + threadIdx.y;
    if (x < width && y < height) output[x * height + y] = input[y * width + x];
}

"""
LAUNCH = "transpose<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(output, input, width, height);"
FUNCTION = f"void transpose_doubles(double* output, const double* input, int width, int height)\n{{\n    {LAUNCH}\n}}\n"
IN_KERNEL = "    const int x"


def changed(*changes: tuple[str, str]) -> str:
    """Return the kernel and the function with texts replaced."""
    text = KERNEL + FUNCTION
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


#: By the name of a mistake: the source, the failing check, the named lines, and words of `seen` and of `help`.
MISTAKES = {
    "too much shared memory": (
        changed(
            (
                IN_KERNEL,
                f"    __shared__ double tile[128][65];\n    tile[threadIdx.y][threadIdx.x] = 1;\n    __syncthreads();\n{IN_KERNEL}",
            ),
            ("+ x];", "+ x] * tile[threadIdx.y][threadIdx.x];"),
        ),
        "safe",
        [5, 15],
        "it declares 66560 bytes of shared memory; more than 49152 have to be dynamic",
        "Declare a smaller array",
    ),
    "kernel called as a function": (
        changed((LAUNCH, "transpose(output, input, width, height);")),
        "compiles",
        [12],
        "a __global__ function call must be configured",
        "kernel<<<grid, block>>>(arguments)",
    ),
    "kernel called by a pointer": (
        changed((LAUNCH, "void (*kernel)(double*, const double*, int, int) = transpose;\n    kernel(output, input, width, height);")),
        "safe",
        [],
        "a kernel is called without <<<grid, block>>>",
        "say how many blocks and threads run it",
    ),
    "misspelled barrier": (
        changed((IN_KERNEL, f"    __synchthreads();\n{IN_KERNEL}")),
        "compiles",
        [5],
        'identifier "__synchthreads" is undefined; did you mean __syncthreads?',
        "Fix the first error first",
    ),
    "misspelled name of one's own": (
        changed(("height + y]", "hieght + y]")),
        "compiles",
        [7],
        'identifier "hieght" is undefined; did you mean height?',
        "Fix the first",
    ),
    "grid rounded down to 0": (
        changed(("(width + 31) / 32", "width / 4096")),
        "safe",
        [12],
        "no grid has 0 x 8 x 1 blocks",
        "round it up, as in (n + size - 1) / size",
    ),
    "host code reads device memory": (
        changed((LAUNCH, f"const double first = input[0];\n    *output = first;\n    {LAUNCH}")),
        "safe",
        [12, 13],
        "host code reads or writes device memory, which only kernels and copies reach",
        "Let a kernel do that",
    ),
    "missing semicolon": (
        changed(("* 32 + threadIdx.x;", "* 32 + threadIdx.x")),
        "compiles",
        [6],
        'expected a ";"',
        "The end of the line before may lack it.",
    ),
    "missing semicolon of host code": (
        changed((LAUNCH, f"int blocks = 2\n    {LAUNCH}")),
        "compiles",
        [13],
        'expected a ";"',
        "The end of the line before may lack it.",
    ),
    "missing brace of a kernel": (
        changed(("[y * width + x];\n}", "[y * width + x];\n")),
        "compiles",
        [4],
        'a "{" without a "}" (the compiler says in line 11: expected a ";")',
        "Close the block that begins in this line.",
    ),
    "missing brace of a block": (
        changed((IN_KERNEL, f"    if (width > 0) {{\n{IN_KERNEL}")),
        "compiles",
        [5],
        'a "{" without a "}"',
        "Close the block that begins in this line.",
    ),
    "missing brace at the end": (
        changed((f"{LAUNCH}\n}}\n", f"{LAUNCH}\n")),
        "compiles",
        [11],
        'a "{" without a "}"',
        "Close the block that begins in this line.",
    ),
    "guard that lets blocks overlap": (
        changed(
            ("x < width && y < height", "x <= width && y < height && y * width + x < width * height"),
            ("output[x * height + y] = input[y * width + x]", "output[y * width + x] = x"),
            ("(width + 31)", "(width + 32)"),
        ),
        "safe",
        [7],
        "race in transpose",
        "Look at the guard and the index of this line",
    ),
    "thread of the host": (
        "#include <thread>\n" + changed((LAUNCH, f"std::thread other([] {{}});\n    other.join();\n    {LAUNCH}")),
        "safe",
        [13],
        "thread of the host: line 13",
        "a kernel's threads are enough",
    ),
    "function by another name": (
        changed(("void transpose_doubles", "void transpose_double")),
        "compiles",
        [10],
        "it defines no function transpose_doubles; is transpose_double meant to be it?",
        f"Define exactly: {padding().declaration}",
    ),
    "function with other parameters": (
        changed(("int width, int height)\n{\n    tr", "int width, long height)\n{\n    tr")),
        "compiles",
        [10],
        "it defines `void transpose_doubles(double* output, const double* input, int width, long height)`",
        f"Define exactly: {padding().declaration}",
    ),
    **{
        f"{words} before the function": (
            changed(("void transpose_doubles", f"{words} void transpose_doubles")),
            "compiles",
            [10],
            f"it defines `{words} void transpose_doubles(",
            f"Take `{words}` away.",
        )
        for words in ("inline", "static", 'extern "C"')
    },
    "function that is not defined": (
        changed(
            ("void transpose_d", "namespace mine { int halves(const float* x, unsigned n); }\nvoid transpose_d"),
            (LAUNCH, f"mine::halves(nullptr, 2);\n    {LAUNCH}"),
        ),
        "compiles",
        [10],
        "`int halves(const float* x, unsigned n)` is declared and nowhere defined",
        "Define it in this file",
    ),
    "kernel that is not defined": (
        changed(
            ("void transpose_d", "__global__ void missing(double* output);\nvoid transpose_d"),
            (LAUNCH, f"missing<<<1, 1>>>(output);\n    {LAUNCH}"),
        ),
        "compiles",
        [10],
        "`__global__ void missing(double* output)` is declared and nowhere defined",
        "Define it in this file",
    ),
    "inline assembly with a brace too many": (
        changed((IN_KERNEL, f'    asm volatile("}}");\n{IN_KERNEL}')),
        "compiles",
        [],
        "the assembler of PTX says: ",
        "Look at the inline assembly",
    ),
    "variable that is not defined": (
        changed(("void transpose_d", "extern int counter;\nvoid transpose_d"), (LAUNCH, f"counter = 1;\n    {LAUNCH}")),
        "compiles",
        [10],
        "counter is used and nowhere defined",
        "nothing else is linked with it",
    ),
    "device function that is not defined": (
        changed(
            ("__global__", "__device__ double twice(double x, unsigned n);\n\n__global__"),
            ("= input[y * width + x]", "= twice(input[y * width + x], 1u)"),
        ),
        "safe",
        [3, 9],
        "`__device__ double twice(double x, unsigned n)` is called by kernel transpose and nowhere defined",
        "Define it in this file",
    ),
    "endless loop without memory": (
        changed(
            (IN_KERNEL, f"    unsigned odd = width | 1;\n    while (odd)\n        odd = odd * 3 | 1;\n    if (odd) return;\n{IN_KERNEL}")
        ),
        "safe",
        [7],
        "did not end within 0.5 s",
        "Look for a loop",
    ),
    "endless loop of the host": (
        changed((f"    {LAUNCH}", f"    for (volatile int n = 1; n;) n = 1;\n    {LAUNCH}")),
        "safe",
        [12],
        "it ran for more than 0.5 seconds",
        "Look for a loop",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told(tmp_path, monkeypatch, mistake):
    text, name, lines, seen, help_ = MISTAKES[mistake]
    path = tmp_path / "ada.cu"
    path.write_text(text, encoding="utf-8")
    task = padding()
    if mistake.startswith("endless"):
        monkeypatch.setattr(running, "_SECONDS_MORE", 0.5)
        task = replace(task, limits=replace(task.limits, seconds=0.5))
    check = graded(path, task).first_failed
    assert (check.name, [place.line for place in check.lines]) == (name, lines)
    assert seen in check.seen and help_ in check.help and check.wanted
    assert "more)" not in check.seen


def test_an_exchange_whose_result_nobody_reads_is_a_write(tmp_path: Path):
    path = tmp_path / "ada.cu"
    lock = "    __shared__ int lock;\n    if (threadIdx.x + threadIdx.y == 0) {}atomicExch(&lock, 0);\n    __syncthreads();\n"
    for before, hazard in (("", False), ("output[0] = ", True)):
        path.write_text(
            changed((IN_KERNEL, lock.replace("{}", before) + IN_KERNEL), ("y < height)", "y < height && lock == 0)")), encoding="utf-8"
        )
        checks = {check.name: check for check in graded(path).checks}
        assert checks["safe"].passed is not hazard
        assert not hazard or (
            "reads shared memory that no thread" in checks["safe"].seen and [place.line for place in checks["safe"].lines] == [6]
        )


def test_a_source_is_read_without_a_compiler():
    text = (
        "template <int N = (3), class T = int>\n__global__ void __launch_bounds__(256) run(int* a,\n    int b)\n{ if (a) { g(b); } }\n"
        'extern "C" { int g(int); }\nconst int table[] = {f(1), 2};\nint x = h(2);\n// int comment(int);\nvoid last() {}\n'
    )
    assert [(each.name, each.line, each.body is None, each.is_host) for each in functions(text)] == [
        ("run", 2, False, False),
        ("g", 5, True, True),
        ("last", 9, False, True),
    ]
    assert functions(text)[0].head == "template <int N = (3), class T = int> __global__ void __launch_bounds__(256) run(int* a, int b)"
    assert launches("// run\nrun<3,\n int><<<1, 2>>>(p);\nrun <<<1, 2>>>(p);\nrunner<<<1, 2>>>(p);") == [
        ("run", 2),
        ("run", 4),
        ("runner", 5),
    ]
    assert launches("k<a < b, (c > d)><<<1, 2>>>(p);\nl<m<2>><<<1, 2, 0, s>>>(p, n<3><<<1, 2>>>());") == [("k", 1), ("l", 2), ("n", 2)]
    assert host_accesses(
        "void f(double* o, int n) {\n n = n * n;\n *o = 1;\n f(o, 2 * *o);\n o + n;\n}\n__global__ void g(int* o) { *o = o[1]; }"
    ) == [3, 4]
    assert [simple_name(name) for name in ("float rounded<float>(float)", "mine::halves(float const*, int)", "mine::counter", "main")] == [
        "rounded",
        "halves",
        "counter",
        "main",
    ]
    assert meant("int unrelated;", "qwertyuiop") is None
    assert functions("") == functions("}}}((") == functions("void f() {")[1:] == []
    assert calls("cudaMemcpy(a);\ncudaMemcpyAsync (b); cudaMemcpyKind kind; // cudaMemcpy(c)", "cudaMemcpy") == [
        ("cudaMemcpy", 1),
        ("cudaMemcpyAsync", 2),
    ]
    assert [unclosed_brace(text) for text in ("", "{}", "{\n{\n}\n", "{\n  {\n}\n", "{\n  {\n  }\n", "}\n{")] == [0, 0, 1, 2, 1, 0]


def test_variables_that_outlive_a_call_are_found_and_nothing_else():
    text = """static int a;
__device__ int f(int x);
__device__ unsigned n[3], m;
static const int c = 3;
void g() { static float* b = nullptr; }
template <class T> static __device__ T h(T x) { return x; }
static __device__ unsigned z{};
// static int in_a_comment;
"""
    assert kept_variables(text) == [1, 3, 5, 7]
