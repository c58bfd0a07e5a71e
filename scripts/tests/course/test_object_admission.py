# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Object admission: what is refused of a compiler's code, what is guarded, and that honest code gets through unchanged.

The tests that build take the grader's tools from the build folder that CONFLICT_FREE_BUILD names, as CTest does.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from grading.assembly import Confinement

BUILD = os.environ.get("CONFLICT_FREE_BUILD")

FRAME = "\t.text\nf:\n\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n"


def kinds(assembly: str) -> set[str]:
    return {each.kind for each in Confinement(assembly, "wanted").refusals}


def code(*instructions: str) -> str:
    return FRAME + "".join(f"\t{line}\n" for line in instructions)


@pytest.mark.parametrize(("instruction", "kind"), [
    ("syscall", "instruction that is not admitted"),
    ("int\t$128", "instruction that is not admitted"),
    ("wrfsbase\t%rax", "instruction that is not admitted"),
    ("lock addl\t$1, (%rax)", "instruction that is not admitted"),
    ("rep stosq", "instruction that is not admitted"),
    ("fxsave\t(%rax)", "instruction that is not admitted"),
    ("movnti\t%eax, (%rdi)", "instruction that is not admitted"),
    ("movl\t%fs:0, %eax", "instruction that is not admitted"),
    ("movabsq\t%rax, 4096", "instruction that is not admitted"),
    ("movq\t%rax, %rsp", "instruction that is not admitted"),
    ("subq\t%rax, %rsp", "instruction that is not admitted"),
    ("subq\t$8192, %rsp", "instruction that is not admitted"),
    ("leaq\t-8(%r10), %rsp", "instruction that is not admitted"),
    ("movq\t%rsp, %rbp", "changed stack"),
    ("xorl\t%ebp, %ebp", "instruction that is not admitted"),
    ("xchgq\t%rax, %rsp", "instruction that is not admitted"),
    ("call\t*%rax", "call through a pointer"),
    ("jmp\t*.L4(,%rax,8)", "call through a pointer"),
    ("call\tfork@PLT", "starting a process"),
    ("jmp\tsystem", "starting a process"),
    ("call\tkill", "reaching other processes"),
    ("call\tfopen", "reaching files"),
    ("call\tsocket", "reaching the network"),
    ("call\t_exit", "leaving by a way around the driver"),
    ("call\t_ZN4simt13take_launchesEv", "name of the grader"),
    ("call\t_ZSt4cout", "part of the C++ library that is not admitted"),
    ("leaq\tsystem(%rip), %rax", "starting a process"),
    ("movl\t$0, simt_told(%rip)", "name of the grader"),
    (".byte\t15, 5", "data among code"),
    (".incbin\t\"/etc/passwd\"", "directive of an assembler"),
    (".macro x", "directive of an assembler"),
])
def test_what_reaches_out_is_refused(instruction, kind):
    assert kind in kinds(code(instruction))


@pytest.mark.parametrize(("assembly", "kind"), [
    ('\t.section\t.init_array,"aw"\n\t.quad\tf\n', "code that runs before main"),
    ('\t.section\t.init_array.00099,"aw"\n\t.quad\tf\n', "code that runs before main"),
    ('\t.section\t.ctors,"aw"\n\t.quad\tf\n', "code that runs before main"),
    ('\t.section\t.fini_array,"aw"\n\t.quad\tf\n', "code that runs before main"),
    ('\t.section\t.mine,"ax"\n', "section of its own"),
    ('\t.section\tsimt_submission_entries,"aw"\n\t.quad\tf\n', "section of its own"),
    ("\t.text\n_sub_I_00099_0:\n\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n\tcall\tsystem\n", "code that runs before main"),
    ("#APP\n\tnop\n#NO_APP\n", "inline assembly"),
    ("\t.text\nmain:\n", "main function"),
    ("\t.text\ncudaMalloc:\n", "name of CUDA or of the system that is defined anew"),
    ("\t.text\n__tsan_read4:\n", "name of CUDA or of the system that is defined anew"),
    ("\t.text\nsimt_guard_load_4:\n", "name of the grader"),
    ("\t.text\nf:\n\tmovl\t$1, %eax\n", "function without a frame"),
    ("\t.type\tf, @gnu_indirect_function\n", "symbol of a kind that is not admitted"),
    ("\t.set\tf,system\n", "symbol of a kind that is not admitted"),
    ("\t.data\nf:\n\t.quad\tsystem\n", "starting a process"),
    ("\t.data\n\tnop\n", "code among data"),
])
def test_what_changes_the_program_is_refused(assembly, kind):
    assert kind in kinds(assembly)


@pytest.mark.parametrize(("instruction", "guard"), [
    ("movl\t%eax, (%rdx)", "store_4"), ("movq\t%rax, 8(%rdx,%rcx,8)", "store_8"), ("movups\t%xmm0, (%rdx)", "store_16"),
    ("movb\t$1, (%rdx)", "store_1"), ("movw\t%ax, (%rdx)", "store_2"), ("addsd\t(%rdx), %xmm0", "load_8"), ("addl\t$1, (%rdx)", "store_4"),
    ("movzbl\t(%rdx), %eax", "load_1"), ("cvtsi2sdl\t(%rdx), %xmm0", "load_4"), ("cmpl\t$3, (%rdx)", "load_4"), ("sete\t(%rdx)", "store_1"),
    ("movl\t%eax, -48(%rbp,%rcx,4)", "store_4"), ("movl\t%eax, 8(%rbp)", "store_4"), ("movq\t%rax, -4(%rbp)", "store_8"),
    ("movl\t%eax, (%rsp)", "store_4"), ("movl\t%eax, x(%rip)", "store_4"), ("movl\t%eax, 4096", "store_4"), ("fstpt\t(%rdx)", "store_16"),
    ("bts\t%rax, (%rdx)", "store_8"),
])
def test_accesses_are_guarded(instruction, guard):
    made = Confinement(code(instruction) + '\t.bss\nx:\n\t.zero\t4\n', "wanted")
    assert not made.refusals
    assert f"\tcall\tsimt_guard_{guard}\n\tpopq\t%rdi\n\t{instruction}\n" in made.text


@pytest.mark.parametrize("instruction", ["movl\t%eax, -48(%rbp)", "movl\t-48(%rbp), %eax", "movl\t8(%rsp), %eax", "movl\tx(%rip), %eax",
                                         "leaq\t(%rdx,%rcx,4), %rax", "addl\t%eax, %edx", "nopw\t0(%rax,%rax)"])
def test_the_frame_itself_needs_no_guard(instruction):
    assert "simt_guard" not in Confinement(code(instruction) + '\t.bss\nx:\n\t.zero\t4\n', "wanted").text


def test_a_place_by_the_stack_pointer_is_found_behind_the_push():
    assert "leaq\t8+16(%rsp), %rdi" in Confinement(code("movl\t%eax, 16(%rsp)"), "wanted").text


def test_calls_go_to_what_checks_them_and_names_stay_inside():
    made = Confinement(code("call\tcudaMalloc@PLT", "call\t__tsan_read4@PLT", "call\tsqrtf@PLT", "call\tf")
                       + "\t.globl\t_Z6wantedPf\n\t.globl\t_Z7wantedsv\n\t.globl\t_Z6wantedIiEvv\n\t.weak\tother\n", "wanted")
    assert not made.refusals
    for name in ("simt_confined_cudaMalloc@PLT", "simt_confined___tsan_read4@PLT", "sqrtf@PLT", "f"):
        assert f"\tcall\t{name}\n" in made.text
    assert [line for line in made.text.splitlines() if ".globl" in line or ".weak" in line] == ["\t.globl\t_Z6wantedPf"]


STYLES = r"""
#include <cooperative_groups.h>
#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

#define CUDA_CHECK(call)                                                                     \
    do {                                                                                     \
        const cudaError_t error = (call);                                                    \
        if (error != cudaSuccess) {                                                          \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                                    \
        }                                                                                    \
    } while (0)

template <int n>
struct Tile {
    static constexpr int side = n, pitch = n + 1;
    __device__ static int at(int y, int x) { return y * pitch + x; }
};
struct Sizes {
    int width, height;
    __host__ __device__ int blocks(int side) const { return (std::max(width, height) + side - 1) / side; }
};
__constant__ double factors[8];
__device__ unsigned long long visits;
__device__ int latest;
static int calls = 0;

template <class T, int n>
__global__ void __launch_bounds__(n* 8) transpose(T* __restrict__ output, const T* __restrict__ input, Sizes sizes, bool loud)
{
    extern __shared__ double memory[];
    __shared__ float4 vectors[n];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    T held[n / 8] = {};
    int x = blockIdx.x * n + threadIdx.x;
    const auto inside = [&](int row) { return x < sizes.width && row < sizes.height; };
#pragma unroll
    for (int j = 0; j < n; j += 8) {
        const int y = blockIdx.y * n + threadIdx.y + j;
        if (inside(y)) held[j / 8] = input[y * sizes.width + x] * factors[(x + y) & 7];
    }
    for (int j = 0; j < n; j += 8) memory[Tile<n>::at(threadIdx.y + j, threadIdx.x)] = held[j / 8];
    if (threadIdx.y == 0) vectors[threadIdx.x] = make_float4(x, 1.f, 2.f, 3.f);
    int rank = warp.shfl_xor(static_cast<int>(threadIdx.x), 1) ^ 1;
    rank = __shfl_sync(0xffffffffu, rank, threadIdx.x % 32);
    assert(rank == static_cast<int>(threadIdx.x));
    switch (loud ? rank % 7 : 9) {
        case 0: printf("thread %d\n", rank); break;
        case 1: latest = 1; break;
        case 2: case 3: rank += static_cast<int>(sinf(0.f)); break;
        default: break;
    }
    block.sync();
    double sine, cosine;
    sincos(vectors[rank].y * 0.0, &sine, &cosine);
    if (block.thread_rank() == 0) atomicAdd(&visits, 1ull);
    x = blockIdx.y * n + threadIdx.x;
    for (int j = 0; j < n; j += 8) {
        const int y = blockIdx.x * n + threadIdx.y + j;
        if (x < sizes.height && y < sizes.width) output[y * sizes.height + x] = memory[Tile<n>::at(threadIdx.x, threadIdx.y + j)] * cosine;
    }
}

__global__ void copy_back(double* to, const double* from, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) to[i] = from[i];
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    std::vector<double> ones(8);
    std::fill(ones.begin(), ones.end(), 1.0);
    for (int i = 0; i < 100; ++i) ones.push_back(i);
    std::array<int, 4> order{3, 1, 2, 0};
    std::sort(order.begin(), order.end());
    CUDA_CHECK(cudaMemcpyToSymbol(factors, ones.data(), sizeof factors));
    constexpr int n = 32;
    const int bytes = n * (n + 1) * sizeof(double);
    const std::size_t all = sizeof(double) * width * height;
    double* scratch = nullptr;
    CUDA_CHECK(cudaMalloc(&scratch, all));
    CUDA_CHECK(cudaMemset(scratch, 0, all));
    CUDA_CHECK(cudaFuncSetAttribute(transpose<double, n>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    const Sizes sizes{width, height};
    dim3 grid(sizes.blocks(n), sizes.blocks(n));
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    transpose<double, n><<<grid, dim3(n, 8), bytes, stream>>>(scratch, input, sizes, ++calls == 0);
    CUDA_CHECK(cudaGetLastError());
    copy_back<<<4, 128>>>(output, scratch, width * height);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaStreamDestroy(stream));
    unsigned long long seen = 0;
    CUDA_CHECK(cudaMemcpyFromSymbol(&seen, visits, sizeof seen));
    if (seen != 1ull * grid.x * grid.y) std::printf("%llu blocks\n", seen);
    CUDA_CHECK(cudaFree(scratch));
    double* probe = new double[3]{1, 2, 3};
    delete[] probe;
}
"""


@pytest.mark.skipif(not BUILD, reason="CONFLICT_FREE_BUILD names no build folder")
def test_honest_code_in_many_styles_is_admitted_and_runs(tmp_path):
    from grading import assignment, sandbox
    from grading.building import Toolchain
    from grading.judging import grade

    path = tmp_path / "styles.cu"
    path.write_text(STYLES, encoding="utf-8")
    result = grade(assignment.load("padding"), path, tools=Toolchain.of(Path(BUILD)), confined=sandbox.available() is None)
    checks = {check.name: check for check in result.checks}
    for name in ("compiles", "safe", "correct"):
        assert checks[name].passed, f"{name}: {checks[name].seen} {[place for place in checks[name].lines]}"
