"""Names for which a submission has no honest use, and the kind of each.

They protect nothing: a submission that hides such a name meets the sandbox. They give an honest student the line.
"""

_KINDS = {
    "a name of the grader": "simt conflict_free CONFLICT_FREE_SIMT",
    "starting a process": "system popen fork vfork execve execv execvp execl execlp posix_spawn",
    "reaching files": "fopen fdopen freopen open openat fread fscanf tmpfile opendir readdir ifstream ofstream fstream filesystem"
    " mmap mprotect",
    "reaching other processes": "kill sigaction ptrace prctl setitimer",
    "a thread of the host": "pthread_create jthread",
    "reaching the network": "socket",
    "leaving by a way around the driver": "_exit _Exit quick_exit atexit on_exit at_quick_exit longjmp setjmp siglongjmp sigsetjmp",
    "reaching the system": "syscall dlopen dlsym getenv setenv putenv",
    "a call back into host code": "cudaLaunchHostFunc cudaStreamAddCallback",
    "managed memory": "cudaMallocManaged __managed__",
    "memory of the host for kernels": "cudaHostRegister cudaHostGetDevicePointer cudaHostAllocMapped",
    "a reset of the device": "cudaDeviceReset",
    "a part of the L2 that is set aside": "cudaLimitPersistingL2CacheSize cudaCtxResetPersistingL2Cache cudaStreamAttributeAccessPolicyWindow"
    " cudaLaunchAttributeAccessPolicyWindow",
}
FORBIDDEN = {name: kind for kind, names in _KINDS.items() for name in names.split()}
#: Names among them that are everyday words. Only a call of them is refused.
ONLY_CALLED = frozenset(("system", "fork", "open", "kill", "socket"))
#: Names that a macro may not have, because the headers of CUDA and C++ use them.
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
#: Names of CUDA that are suggested for a misspelled name.
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
