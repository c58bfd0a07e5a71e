# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The functions of others that a submission's code may call, by the names that the linker knows."""

from __future__ import annotations

import re

_HOOKS = [f"__tsan_{kind}{size}" for kind in ("read", "write", "volatile_read", "volatile_write") for size in (1, 2, 4, 8, 16)]
_HOOKS += [f"__tsan_unaligned_{kind}{size}" for kind in ("read", "write", "volatile_read", "volatile_write") for size in (2, 4, 8, 16)]

#: Functions that take pointers. In their place one that looks at each of them is called; see common/simt/src/confined.
CHECKED = frozenset(_HOOKS) | frozenset("""
    __tsan_read_range __tsan_write_range
    _ZN4simt13record_atomicEPVKvmPKv _ZN4simt18record_vector_copyEPKvS1_mS1_ _ZN4simt8run_gridEPKc4dim3S2_mNS_10ThreadBodyE
    _ZN4simt13warp_exchangeEjmPKv _ZN4simt11stop_kernelEPKv _ZN4simt13block_barrierEPKv _ZN4simt19block_barrier_countEbPKv
    _ZN4simt12active_lanesEPKv _ZN4simt20report_inactive_laneEiPKv _ZN4simt12yield_threadEv
    _ZN4simt6detail11copy_symbolEPvmS1_mm14cudaMemcpyKindb _ZN4simt6detail15best_block_sizeEPiS1_PFmiPKvES3_i
    _ZN4simt6detail19function_attributesEP18cudaFuncAttributes _ZN4simt6detail15resident_blocksEPiim
    memcpy memmove memset memcmp malloc calloc free _Znwm _Znam _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm
    printf fprintf puts putchar fputs fputc fwrite fflush exit abort
    sincos sincosf modf modff frexp frexpf remquo remquof
    cudaGetDeviceCount cudaGetDevice cudaGetDeviceProperties cudaDeviceGetAttribute cudaDriverGetVersion cudaRuntimeGetVersion
    cudaMalloc cudaMallocHost cudaHostAlloc cudaHostGetDevicePointer cudaMallocManaged cudaMallocAsync cudaMallocPitch cudaMemGetInfo
    cudaPointerGetAttributes cudaMemcpy cudaMemcpyAsync cudaMemcpy2D cudaMemset cudaMemsetAsync cudaMemset2D
    cudaStreamCreate cudaStreamCreateWithFlags cudaStreamCreateWithPriority cudaEventCreateWithFlags cudaEventElapsedTime
    _Z15cudaEventCreatePP10CUevent_st _Z15cudaEventCreatePP10CUevent_stj
""".split())

_MATH = """acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 exp10 expm1 log log2 log10 log1p pow sqrt cbrt hypot
    erf erfc tgamma lgamma ceil floor round trunc rint nearbyint lrint llrint lround llround fmod remainder copysign nextafter
    fdim fmax fmin fma fabs ldexp scalbn scalbln ilogb logb j0 j1 y0 y1""".split()

#: Functions that take numbers, or text that they only read.
PASSED = frozenset(f"{name}{suffix}" for name in _MATH for suffix in ("", "f", "l")) | frozenset("""
    __sanitizer_cov_trace_pc __assert_fail clock strlen strcmp rand srand abs labs llabs div fegetround fesetround
    _ZN4simt12kernel_entryEPKcS1_i _ZN4simt13static_sharedEPKvmm _ZN4simt14dynamic_sharedEv _ZN4simt10lane_indexEv
    _ZN4simt12thread_indexEv _ZN4simt11block_indexEv _ZN4simt12block_extentEv _ZN4simt11grid_extentEv
    _ZN4simt6detail22set_function_attributeE17cudaFuncAttributei _ZN4simt6detail13reject_launchE11cudaError_t
    _ZN4simt6detail13reject_launchE9cudaError
    cudaGetLastError cudaPeekAtLastError cudaGetErrorString cudaGetErrorName cudaSetDevice cudaDeviceSynchronize cudaDeviceReset
    cudaDeviceSetLimit cudaDeviceSetCacheConfig cudaDeviceSetSharedMemConfig cudaSetDeviceFlags cudaProfilerStart cudaProfilerStop
    cudaFree cudaFreeHost cudaFreeAsync cudaMemPrefetchAsync cudaMemAdvise
    cudaStreamDestroy cudaStreamSynchronize cudaStreamQuery cudaStreamWaitEvent
    cudaEventRecord cudaEventRecordWithFlags cudaEventQuery cudaEventSynchronize cudaEventDestroy
    __cxa_throw_bad_array_new_length __udivti3 __umodti3 __divti3 __modti3 __popcountdi2
""".split())
_PASSED_PATTERN = re.compile(r"_ZSt\d+__throw_\w+")

#: Variables of others that may be read.
VARIABLES = frozenset(("stdout", "stderr"))

#: What a call of others is called; the first pattern that fits.
_KINDS = (
    (r"fork|vfork|clone\d?|exec\w+|posix_spawnp?|system|popen|daemon", "starting a process"),
    (r"kill|killpg|raise|tgkill|signal|sigaction|ptrace|pthread_\w+|thrd_\w+|prctl|setitimer|alarm|getppid|wait\w*|process_vm_\w+", "reaching other processes"),
    (r"socket\w*|connect|bind|listen|accept|send\w*|recv\w*|getaddrinfo", "reaching the network"),
    (r"(?:f|fd|fre|p)?open(?:at|dir)?(?:64)?|creat|fread|fgets|fgetc|f?scanf|__isoc99_\w+|read\w*|pread\w*|write|pwrite\w*|tmpfile|remove|rename"
     r"|unlink\w*|opendir|mmap(?:64)?|mprotect|munmap|ftruncate|truncate|f?stat\w*|_ZNSt\d*(?:basic_[io]?fstream|filesystem).*", "reaching files"),
    (r"_exit|_Exit|quick_exit|at_quick_exit|atexit|on_exit|__cxa_atexit|\w*longjmp\w*|_*(?:sig)?setjmp\w*|_Unwind_\w+|__cxa_\w+|_ZSt9terminatev",
     "leaving by a way around the driver"),
    (r"syscall|dl\w+|getenv|setenv|putenv|environ|getauxval|sysconf", "reaching the system"),
    (r"__tsan_atomic\w*|__atomic_\w+|__sync_\w+", "an atomic operation of the host"),
    (r"__tsan_\w+|__sanitizer_\w+|_ZNK?4simt.*|simt_\w+", "a name of the grader"),
    (r"_ZNK?12?conflict_free.*|_ZNK?13conflict_free.*", "a name of the grader"),
    (r"cudaLaunchHostFunc|cudaStreamAddCallback", "a call back into host code"),
    (r"_ZNK?S[abdios].*|_Z(?:NK?)?St.*|_ZTVN10__cxxabiv1.*", "a part of the C++ library that is not admitted"),
)


def confined_name(name: str) -> str | None:
    """What to call in the place of a function of others; None if it is not admitted."""
    if name in CHECKED:
        return f"simt_confined_{name}"
    return name if name in PASSED or _PASSED_PATTERN.fullmatch(name) else None


def kind_of(name: str) -> str:
    """What the use of a function or variable of others is called that is not admitted."""
    return next((kind for pattern, kind in _KINDS if re.fullmatch(pattern, name)), "a function that is not admitted")
