# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Which names and headers a submission may use."""

from __future__ import annotations

#: Headers of CUDA and of the C and C++ libraries in which there is nothing but what computes.
HEADERS = frozenset("""
    cuda.h cuda_runtime.h cuda_runtime_api.h cuda_profiler_api.h device_functions.h device_launch_parameters.h driver_types.h
    cooperative_groups.h cooperative_groups/reduce.h math_constants.h vector_types.h vector_functions.h builtin_types.h
    algorithm array bit cassert cerrno cfloat cinttypes climits cmath compare concepts cstddef cstdint cstdio cstdlib cstring
    functional initializer_list iterator limits memory numbers numeric optional ranges span stdexcept tuple type_traits utility
    vector assert.h float.h inttypes.h limits.h math.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h
""".split())

#: Reserved names, with two underscores or one and a capital letter, that CUDA or C++ defines for its users.
RESERVED = frozenset("""
    __global__ __device__ __host__ __shared__ __constant__ __managed__ __grid_constant__ __launch_bounds__ __maxnreg__
    __forceinline__ __noinline__ __inline__ __align__ __restrict__ __restrict __builtin_align__ __inline
    __syncthreads __syncthreads_count __syncthreads_and __syncthreads_or __syncwarp
    __threadfence __threadfence_block __threadfence_system __nanosleep __trap __brkpt
    __activemask __ballot_sync __all_sync __any_sync __match_any_sync __match_all_sync
    __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync
    __reduce_add_sync __reduce_min_sync __reduce_max_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync
    __ldg __ldca __ldcg __ldcs __ldcv __ldlu __stwb __stcg __stcs __stwt
    __CUDACC__ __CUDA_ARCH__ __NVCC__ __CUDACC_VER_MAJOR__ __CUDACC_VER_MINOR__ __cplusplus
    __FILE__ __LINE__ __func__ __FUNCTION__ __PRETTY_FUNCTION__ __COUNTER__ __VA_ARGS__ __VA_OPT__ __DATE__ __TIME__
    __popc __popcll __clz __clzll __ffs __ffsll __fns __brev __brevll __byte_perm __funnelshift_l __funnelshift_lc __funnelshift_r __funnelshift_rc
    __mul24 __umul24 __mulhi __umulhi __mul64hi __umul64hi __sad __usad __hadd __rhadd __uhadd __urhadd
    __dp2a_hi __dp2a_lo __dp4a __saturatef __isGridConstant __isGlobal __isShared __isConstant __isLocal
    __int128 __half __half2 __assume __builtin_assume __builtin_expect __builtin_unreachable __builtin_assume_aligned
    __builtin_popcount __builtin_popcountll __builtin_clz __builtin_clzll __builtin_ctz __builtin_ctzll __builtin_ffs
    _Static_assert _Bool
""".split())
#: Families of CUDA's intrinsics: arithmetic with a rounding mode, conversions, and fast mathematical functions.
RESERVED_PATTERN = (
    r"__(?:f|d)(?:add|sub|mul|div|ma|maf|rcp|sqrt|rsqrt)_r[nzud]|__fmaf?_r[nzud]|__frsqrt_rn|__fdividef"
    r"|__(?:sin|cos|tan|exp|exp10|log|log2|log10|pow|sincos)f"
    r"|__(?:float|double|int|uint|ll|ull|half|short|ushort)\d?2(?:float|double|int|uint|ll|ull|half|short|ushort|loint|hiint)\d?(?:_r[nzud])?"
    r"|__(?:float_as_(?:int|uint)|(?:int|uint)_as_float|double_as_longlong|longlong_as_double|hiloint2double|double2hiint|double2loint)"
    r"|__v[a-z]+[24]|__h[a-z0-9]+"
)

#: Names of the model, of the grader, and of what there is no honest use for, with what each is called.
FORBIDDEN = {
    **dict.fromkeys(("simt", "conflict_free", "CONFLICT_FREE_SIMT"), "a name of the grader"),
    **dict.fromkeys(("asm", "__asm__", "__asm"), "inline assembly"),
    **dict.fromkeys(("__attribute__", "__attribute", "__declspec"), "a compiler attribute"),
    **dict.fromkeys(("try", "catch", "throw"), "an exception"),
    **dict.fromkeys(("import", "module", "export"), "a module"),
    **dict.fromkeys(("thread_local", "_Thread_local", "__thread"), "a thread-local variable"),
    **dict.fromkeys(("co_await", "co_yield", "co_return"), "a coroutine"),
    **dict.fromkeys(("typeid", "dynamic_cast"), "run-time type information"),
    "virtual": "a virtual function",
    "gnu": "a compiler attribute",
    **dict.fromkeys(("system", "popen", "fork", "vfork", "execve", "execv", "execvp", "execl", "execlp", "posix_spawn"), "starting a process"),
    **dict.fromkeys(("fopen", "fdopen", "freopen", "open", "openat", "fread", "fscanf", "tmpfile", "opendir", "readdir", "ifstream",
                     "ofstream", "fstream", "filesystem", "mmap", "mprotect"), "reaching files"),
    **dict.fromkeys(("kill", "sigaction", "ptrace", "pthread_create", "prctl", "setitimer"), "reaching other processes"),
    "socket": "reaching the network",
    **dict.fromkeys(("_exit", "_Exit", "quick_exit", "atexit", "on_exit", "at_quick_exit", "longjmp", "setjmp", "siglongjmp", "sigsetjmp"),
                    "leaving by a way around the driver"),
    **dict.fromkeys(("syscall", "dlopen", "dlsym", "getenv", "setenv", "putenv"), "reaching the system"),
    **dict.fromkeys(("cudaLaunchHostFunc", "cudaStreamAddCallback"), "a call back into host code"),
    **dict.fromkeys(("cudaLaunchKernel", "cudaLaunchKernelEx"), "a launch through a function pointer"),
}
#: Of those, the ones that are words of everyday use: only a call of them is meant.
ONLY_CALLED = frozenset(("system", "fork", "open", "kill", "socket", "import", "module", "export"))
#: What a macro may not be called, besides keywords and reserved names: it would change what others mean by it.
NO_MACRO_PATTERN = (
    r"cuda[A-Z]\w*|CUDART_\w+|cooperative_groups|threadIdx|blockIdx|blockDim|gridDim|warpSize|dim3|atomic[A-Z]\w*|tex\dD\w*"
    r"|(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]|make_(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]"
    r"|printf|assert|NDEBUG|std|size_t|u?int(?:8|16|32|64)_t"
)
KEYWORDS = frozenset("""
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl concept
    const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default defined delete do double
    dynamic_cast else enum explicit export extern false final float for friend goto if import inline int long module mutable namespace new
    noexcept not not_eq nullptr operator or or_eq override private protected public register reinterpret_cast requires return
    short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef
    typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
""".split())
#: Attributes of C++ that change no code.
ATTRIBUTES = frozenset("maybe_unused nodiscard fallthrough likely unlikely noreturn deprecated no_unique_address".split())
DIRECTIVES = frozenset("include define undef if ifdef ifndef elif elifdef elifndef else endif error warning pragma".split())
PRAGMAS = frozenset(("unroll", "once"))
