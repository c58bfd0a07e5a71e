// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The parts of CUDA that the counting model does not know are named where they stand.

#include <gtest/gtest.h>

#include <string>

#include "translation.hpp"

namespace simt::translate {
namespace {

std::string in_kernel(const std::string& statements) { return "__global__ void kernel() {\n" + statements + "\n}"; }

TEST(Unsupported, ConstructsAreNamedWithFileAndLine)
{
    const std::pair<std::string, std::string> cases[] = {
        {in_kernel("tex2D<float>(t, 1, 2);"), "file.cu:2: texture or surface access (tex2D) is not supported by the counting model: "},
        {in_kernel("surf2Dwrite(1.f, s, 0, 0);"), "file.cu:2: texture or surface access (surf2Dwrite) is not supported"},
        {"texture<float, 2> t;", "file.cu:1: texture or surface access (texture) is not supported"},
        {"\n\ncudaTextureObject_t t;", "file.cu:3: texture or surface access (cudaTextureObject_t) is not supported"},
        {in_kernel("child<<<1, 2>>>(x);"), "file.cu:2: a launch in device code (dynamic parallelism) is not supported"},
        {"__device__ void f() { child<<<1, 2>>>(x); }", "file.cu:1: a launch in device code (dynamic parallelism) is not supported"},
        {in_kernel("cudaMalloc(&p, 4);"), "file.cu:2: dynamic parallelism (cudaMalloc) is not supported"},
        {"\ncudaArray_t a;", "file.cu:2: texture or surface access (cudaArray_t) is not supported"},
        {"cudaStreamBeginCapture(s, m);", "file.cu:1: a CUDA graph (cudaStreamBeginCapture) is not supported"},
        {"#include <cuda_fp16.h>", "file.cu:1: half precision (#include <cuda_fp16.h>) is not supported"},
        {"#include <mma.h>", "file.cu:1: tensor core access (#include <mma.h>) is not supported"},
        {in_kernel("nvcuda::wmma::fragment<int> f;"), "file.cu:2: tensor core access (nvcuda) is not supported"},
        {in_kernel("asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));"), "file.cu:2: inline PTX (asm) is not supported by the counting model: use CUDA's built-in functions, "
         "or give the model a branch of its own under #ifdef CONFLICT_FREE_SIMT"},
        {"__host__ __device__ void f() { __asm__(\"exit;\"); }", "file.cu:1: inline PTX (asm) is not supported"},
        {"#define LANE(x) asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x))\n" + in_kernel("LANE(a);"), "file.cu:3: inline PTX (asm) is not supported"},
        {"__global__ void __cluster_dims__(2, 1, 1) k() {}", "file.cu:1: a thread block cluster (__cluster_dims__) is not supported"},
        {"cudaLaunchAttribute a;\na.id = cudaLaunchAttributeClusterDimension;", "file.cu:2: a thread block cluster (cudaLaunchAttributeClusterDimension) is not supported"},
        {"void f() { cudaLaunchKernelExC(&c, (void*)k, arguments); }",
         "file.cu:1: a launch that has lost the parameters of its kernel (cudaLaunchKernelExC) is not supported by the counting model: call cudaLaunchKernelEx("},
        {in_kernel("cudaLaunchKernelEx(&c, k, x);"), "file.cu:2: dynamic parallelism (cudaLaunchKernelEx) is not supported"},
        {in_kernel("auto c = cg::this_cluster();"), "file.cu:2: a thread block cluster (this_cluster) is not supported"},
        {in_kernel("__shared__ cuda::barrier<cuda::thread_scope_block> b;"), "file.cu:2: an asynchronous copy or barrier (cuda::barrier) is not supported"},
        {in_kernel("cg::memcpy_async(block, a, b, 4);"), "file.cu:2: an asynchronous copy or barrier (memcpy_async) is not supported"},
        {in_kernel("__pipeline_commit();"), "file.cu:2: an asynchronous copy or barrier (__pipeline_commit) is not supported"},
        {in_kernel("cg::this_grid().sync();"), "file.cu:2: synchronization of the whole grid (this_grid) is not supported"},
        {"#include <cuda/barrier>", "file.cu:1: libcu++ (#include <cuda/barrier>) is not supported"},
        {"#include <cuda/std/array>", "file.cu:1: libcu++ (#include <cuda/std/array>) is not supported"},
        {"#include <thrust/sort.h>", "file.cu:1: a library of device algorithms (#include <thrust/sort.h>) is not supported"},
        {"# include \"cub/cub.cuh\" // x", "file.cu:1: a library of device algorithms (#include <cub/cub.cuh>) is not supported"},
        {"#include <curand_kernel.h>", "file.cu:1: a CUDA math library (#include <curand_kernel.h>) is not supported"},
        {"#include <nvrtc.h>", "file.cu:1: the driver API (#include <nvrtc.h>) is not supported"},
    };
    for (const auto& [source, message] : cases) EXPECT_TRUE(contains(error_of(source), message)) << source << "\n" << error_of(source);
}

TEST(Unsupported, EveryOneIsNamedOnce)
{
    EXPECT_EQ(error_of("#include <mma.h>\n" + in_kernel("__pipeline_commit(); __pipeline_commit();")),
              "file.cu:1: tensor core access (#include <mma.h>) is not supported by the counting model: multiply in a loop over shared memory\n"
              "file.cu:3: an asynchronous copy or barrier (__pipeline_commit) is not supported by the counting model: "
              "copy with plain loads and stores, and wait with __syncthreads()");
}

TEST(Unsupported, WhatOnlyLooksAlikeIsLeftAlone)
{
    for (const std::string source :
         {"// asm cudaTextureObject_t\nconst char* s = \"nvcuda\";", "#if 0\n#include <mma.h>\n#endif\n", "void f() { asm volatile(\"pause\"); }",
          "__device__ void f() { asm volatile(\"\" ::: \"memory\"); }", "void f() { a.memcpy_async(1); p->this_grid(); tex2D(3); }",
          "struct texture { int a; }; std::vector<texture> v;", "template <class T> struct texture {}; texture<int> t;", "namespace cuda { int x; } int y = cuda::x;",
          "#include <cuda_runtime.h>\n#include <cuda.h>\n#include <cooperative_groups.h>\n", "__host__ __device__ int f() { return cudaDeviceSynchronize(); }", "__host__ __device__ void f() { k<<<1, 2>>>(x); }",
          "void f() { cudaLaunchKernelEx(&c, k<A, B>, x); }", "__global__ void k() { cudaGridDependencySynchronize(); cudaTriggerProgrammaticLaunchCompletion(); }",
          "__device__ int f(); void g() { k<<<1, 2>>>(x); }", "#define LANE(x) asm(\"exit\")\n"})
        EXPECT_NO_THROW(translate(source, "file.cu")) << source;
}

const std::string ptx = "asm volatile(\"exit;\");\n";

TEST(BranchesOfTheModel, LeaveOutWhatIsForOthers)
{
    for (const std::string begin :
         {"#ifndef CONFLICT_FREE_SIMT", "#if !defined(CONFLICT_FREE_SIMT)", "#if !defined CONFLICT_FREE_SIMT", "#if not_model && !CONFLICT_FREE_SIMT",
          "# if ! defined ( CONFLICT_FREE_SIMT ) // why", "#if !(defined(CONFLICT_FREE_SIMT) || A > (1))", "#if defined(A) && \\\n !defined(CONFLICT_FREE_SIMT) && B",
          "#ifdef CONFLICT_FREE_SIMT\n#else", "#if defined(CONFLICT_FREE_SIMT)\n#else", "#if defined CONFLICT_FREE_SIMT\n#elif 1", "#if CONFLICT_FREE_SIMT\n#else",
          "#if A\n#elif defined(CONFLICT_FREE_SIMT)\n#else", "#if A\n#elifdef CONFLICT_FREE_SIMT\n#else", "#ifdef CONFLICT_FREE_SIMT\n#else\n#if A\n#else",
          "#if 0 && A", "#if A\n#elif 0"}) {
        const bool nested = begin.ends_with("#if A\n#else");
        const std::string source = in_kernel("a = 1;\n" + begin + "\n" + ptx + (nested ? "#endif\n" : "") + "#endif\nb = 2;");
        EXPECT_NO_THROW(translate(source, "file.cu")) << source;
    }
}

TEST(BranchesOfTheModel, KeepWhatMayBeCompiled)
{
    for (const std::string begin :
         {"#ifdef CONFLICT_FREE_SIMT", "#if defined(CONFLICT_FREE_SIMT)", "#if CONFLICT_FREE_SIMT", "#ifndef CONFLICT_FREE_SIMT\n#else", "#if !defined(CONFLICT_FREE_SIMT)\n#else",
          "#ifndef CONFLICT_FREE_SIMT_2", "#if A\n#else", "#if A || !defined(CONFLICT_FREE_SIMT)", "#if CONFLICT_FREE_SIMT == 0", "#if 0 == A", "#if A ? 1 : 1 && 0", "#if (A",
          "#if !defined(CONFLICT_FREE_SIMT) == A", "#if 0\n#elif A", "#ifdef CONFLICT_FREE_SIMT\n#else\n#endif\n#if A", "#if", "#ifdef"})
        EXPECT_TRUE(contains(error_of(in_kernel(begin + "\n" + ptx + "#endif")), "inline PTX (asm) is not supported")) << begin;
}

TEST(BranchesOfTheModel, KeepTheirLines)
{
    const std::string source = "#ifdef CONFLICT_FREE_SIMT\nint a;\n#else\n__shared__ nonsense { <<<\n#endif\nint b;\n";
    EXPECT_EQ(translated(source), source);
    EXPECT_TRUE(contains(error_of("#ifndef CONFLICT_FREE_SIMT\n#include <mma.h>\n#endif\n" + in_kernel(ptx)), "file.cu:5: inline PTX"));
    EXPECT_NO_THROW(translate("#ifndef CONFLICT_FREE_SIMT\n#define F(x) asm(\"exit;\")\n#else\n#define F(x) x\n#endif\n" + in_kernel("F(1);"), "file.cu"));
}

}  // namespace
}  // namespace simt::translate
