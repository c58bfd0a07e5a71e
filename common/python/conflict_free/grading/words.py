# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Names for which a submission has no honest use, and what each is called.

Nothing is kept out by these: whoever gets round them comes upon the sandbox, and finds nothing there. They are here so that
who means no harm is told the line.
"""

from __future__ import annotations

FORBIDDEN = {
    **dict.fromkeys(("simt", "conflict_free", "CONFLICT_FREE_SIMT"), "a name of the grader"),
    **dict.fromkeys(
        ("system", "popen", "fork", "vfork", "execve", "execv", "execvp", "execl", "execlp", "posix_spawn"), "starting a process"
    ),
    **dict.fromkeys(
        (
            "fopen",
            "fdopen",
            "freopen",
            "open",
            "openat",
            "fread",
            "fscanf",
            "tmpfile",
            "opendir",
            "readdir",
            "ifstream",
            "ofstream",
            "fstream",
            "filesystem",
            "mmap",
            "mprotect",
        ),
        "reaching files",
    ),
    **dict.fromkeys(("kill", "sigaction", "ptrace", "prctl", "setitimer"), "reaching other processes"),
    **dict.fromkeys(("pthread_create", "jthread"), "a thread of the host"),
    "socket": "reaching the network",
    **dict.fromkeys(
        ("_exit", "_Exit", "quick_exit", "atexit", "on_exit", "at_quick_exit", "longjmp", "setjmp", "siglongjmp", "sigsetjmp"),
        "leaving by a way around the driver",
    ),
    **dict.fromkeys(("syscall", "dlopen", "dlsym", "getenv", "setenv", "putenv"), "reaching the system"),
    **dict.fromkeys(("cudaLaunchHostFunc", "cudaStreamAddCallback"), "a call back into host code"),
    **dict.fromkeys(("cudaMallocManaged", "__managed__"), "managed memory"),
    **dict.fromkeys(("cudaHostRegister", "cudaHostGetDevicePointer", "cudaHostAllocMapped"), "memory of the host for kernels"),
    "cudaDeviceReset": "a reset of the device",
}
#: Of those, the ones that are words of everyday use: only a call of them is meant.
ONLY_CALLED = frozenset(("system", "fork", "open", "kill", "socket"))
#: What a macro may not be called: it would change what others mean by it.
NO_MACRO_PATTERN = (
    r"__\w+|cuda[A-Z]\w*|cooperative_groups|threadIdx|blockIdx|blockDim|gridDim|warpSize|dim3|atomic[A-Z]\w*"
    r"|(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]|std|size_t|u?int(?:8|16|32|64)_t"
)
KEYWORDS = frozenset(
    """
    alignas alignof auto bool break case catch char class const constexpr const_cast continue decltype default delete do double
    dynamic_cast else enum explicit extern false float for friend goto if inline int long mutable namespace new noexcept nullptr
    operator private protected public register reinterpret_cast return short signed sizeof static static_assert static_cast struct
    switch template this throw true try typedef typename union unsigned using virtual void volatile while
""".split()
)
#: Names of CUDA that a misspelled one may be meant to be.
CUDA_NAMES = tuple(
    """
    __global__ __device__ __host__ __shared__ __constant__ __restrict__ __launch_bounds__ __forceinline__ __noinline__
    threadIdx blockIdx blockDim gridDim warpSize dim3
    __syncthreads __syncthreads_and __syncthreads_or __syncthreads_count __syncwarp __threadfence __threadfence_block
    __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync __activemask __reduce_add_sync
    __popc __ffs __clz __brev __ldg __ldcs __ldcg __stcs __float2int_rn __int2float_rn __fmaf_rn
    atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec atomicCAS atomicAnd atomicOr atomicXor
    cudaMalloc cudaFree cudaMemcpy cudaMemcpyAsync cudaMemset cudaMemsetAsync cudaDeviceSynchronize cudaGetLastError
    cudaPeekAtLastError cudaGetErrorString cudaError_t cudaSuccess cudaStream_t cudaStreamCreate cudaStreamSynchronize
    cudaFuncSetAttribute cudaFuncAttributeMaxDynamicSharedMemorySize cudaMemcpyDeviceToDevice cudaMemcpyHostToDevice
    cudaMemcpyDeviceToHost cudaMemcpyToSymbol cudaOccupancyMaxActiveBlocksPerMultiprocessor
    float2 float4 double2 int2 int4 uint4 make_float2 make_float4 make_double2 make_int2 make_int4
""".split()
)
