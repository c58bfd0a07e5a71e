// The host functions of the runtime API: their effects and their errors.

#include <cuda_profiler_api.h>
#include <dlfcn.h>

#include <cmath>
#include <cstring>

#include "support.hpp"

__constant__ int table[4];
__device__ float total;
__managed__ int shared_by_both = 5;

namespace {

TEST(Errors, HaveCudasNumbersNamesAndTexts) {
    EXPECT_EQ(static_cast<int>(cudaErrorInvalidConfiguration), 9);
    EXPECT_EQ(static_cast<int>(cudaErrorIllegalAddress), 700);
    EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
    EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
    EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
    EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
    EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST(Names, AreAllThatTheToolkitDeclares) {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    ASSERT_NE(driver, nullptr);
    const std::pair<const char*, const char*> same[]{{"cudaMemcpy_ptds", "cudaMemcpy"},
                                                     {"cudaLaunchKernel_ptsz", "cudaLaunchKernel"},
                                                     {"cudaMemPrefetchBatchAsync_ptsz", "cudaMemPrefetchBatchAsync"},
                                                     {"cuMemcpyHtoD_v2_ptds", "cuMemcpyHtoD_v2"}};
    for (const auto& [per_thread, name] : same) {
        EXPECT_NE(dlsym(driver, name), nullptr) << name;
        EXPECT_EQ(dlsym(driver, per_thread), dlsym(driver, name)) << per_thread;
    }
    testing::internal::CaptureStderr();
    const auto unsupported = reinterpret_cast<cudaError_t (*)()>(dlsym(driver, "cudaVDPAUGetDevice"));
    ASSERT_NE(unsupported, nullptr);
    expect_error(unsupported(), cudaErrorNotSupported);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: cudaVDPAUGetDevice is not supported by the model\n");
}

TEST(DeviceQueries, DescribeTheMachine) {
    int count = 0, device = 7, value = 0;
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    expect_error(cudaSetDevice(1), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 0);

    cudaDeviceProp properties;
    EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    expect_error(cudaGetDeviceProperties(&properties, -1), cudaErrorInvalidDevice);
    const simt::Machine& machine = model::current_machine();
    EXPECT_EQ(properties.name, "Conflict-Free model of " + machine.name);
    EXPECT_EQ(properties.sharedMemPerBlock, 48u << 10);
    EXPECT_EQ(properties.sharedMemPerBlockOptin, static_cast<std::size_t>(machine.max_shared_bytes));
    EXPECT_EQ(properties.maxThreadsPerMultiProcessor, 2048);
    const std::pair<cudaDeviceAttr, int> attributes[] = {
        {cudaDevAttrWarpSize, 32},
        {cudaDevAttrMaxThreadsPerBlock, machine.max_block_threads},
        {cudaDevAttrMultiProcessorCount, machine.multiprocessors},
        {cudaDevAttrComputeCapabilityMajor, machine.compute_major},
        {cudaDevAttrL2CacheSize, machine.l2_bytes},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, machine.max_shared_bytes},
        {cudaDevAttrMaxGridDimX, 2147483647},
        {cudaDevAttrMaxGridDimY, 65535},
    };
    for (const auto& [attribute, expected] : attributes) {
        EXPECT_EQ(cudaDeviceGetAttribute(&value, attribute, 0), cudaSuccess);
        EXPECT_EQ(value, expected) << attribute;
    }
    expect_error(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared), cudaSuccess);
    EXPECT_EQ(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte), cudaSuccess);
    EXPECT_EQ(cudaProfilerStart(), cudaSuccess);
    EXPECT_EQ(cudaProfilerStop(), cudaSuccess);
}

TEST(Memory, IsGivenBackAsWhatItWasTakenAs) {
    int* device = nullptr;
    int* pinned = nullptr;
    EXPECT_EQ(cudaMalloc(&device, 64), cudaSuccess);
    EXPECT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
    expect_error(cudaFreeHost(device), cudaErrorInvalidValue);
    expect_error(cudaFree(pinned), cudaErrorInvalidValue);
    expect_error(cudaFree(device + 1), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(device), cudaSuccess);
    expect_error(cudaFree(device), cudaErrorInvalidValue);
    int own = 0;
    expect_error(cudaMemcpy(&own, device, sizeof own, cudaMemcpyDefault), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
    EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
    void* huge = nullptr;
    expect_error(cudaMalloc(&huge, std::size_t{1} << 60), cudaErrorMemoryAllocation);
    expect_error(cudaMalloc(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
    expect_error(cudaMallocManaged(&device, 0), cudaErrorInvalidValue);
    std::size_t free_bytes = 0, total_bytes = 0;
    EXPECT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
    EXPECT_LE(free_bytes, total_bytes);
}

TEST(Memory, CopiesGoWhereTheirKindSays) {
    Device<int> device(4);
    int host[8] = {1, 2, 3, 4}, back[4] = {};
    int* pinned = nullptr;
    ASSERT_EQ(cudaHostAlloc(&pinned, sizeof back, cudaHostAllocMapped), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(device.data, host, sizeof back, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(pinned, device.data, sizeof back, cudaMemcpyDeviceToHost, 0), cudaSuccess);
    EXPECT_EQ(pinned[3], 4);
    EXPECT_EQ(cudaMemcpy(back, pinned, sizeof back, cudaMemcpyHostToHost), cudaSuccess);
    EXPECT_EQ(back[2], 3);
    EXPECT_EQ(cudaMemcpy(back, device.data, sizeof back, cudaMemcpyDefault), cudaSuccess);
    expect_error(cudaMemcpy(device.data, host, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    expect_error(cudaMemcpy(device.data, host, sizeof back, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    expect_error(cudaMemcpy(back, host, sizeof back, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    expect_error(cudaMemcpy(back, device.data + 1, sizeof back, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    expect_error(cudaMemcpy(back, nullptr, sizeof back, cudaMemcpyDefault), cudaErrorInvalidValue);
    expect_error(cudaMemcpy(back, device.data, 4, static_cast<cudaMemcpyKind>(77)), cudaErrorInvalidMemcpyDirection);
    EXPECT_EQ(cudaMemset(device.data, 0x11, 8), cudaSuccess);
    EXPECT_EQ(device.host(), (std::vector<int>{0x11111111, 0x11111111, 3, 4}));
    expect_error(cudaMemset(device.data + 2, 0, 12), cudaErrorInvalidValue);
    expect_error(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
    int* mapped = nullptr;
    EXPECT_EQ(cudaHostGetDevicePointer(&mapped, pinned, 0), cudaSuccess);
    EXPECT_EQ(mapped, pinned);
    expect_error(cudaHostGetDevicePointer(&mapped, host, 0), cudaErrorInvalidValue);
    cudaFreeHost(pinned);
}

TEST(Memory, RowsOfAPitch) {
    int* device = nullptr;
    std::size_t pitch = 0;
    ASSERT_EQ(cudaMallocPitch(&device, &pitch, 7 * sizeof(int), 5), cudaSuccess);
    EXPECT_EQ(pitch, 512u);
    int host[5][7], back[5][7] = {};
    for (int i = 0; i < 35; ++i) host[i / 7][i % 7] = i;
    EXPECT_EQ(cudaMemset2D(device, pitch, 0xff, 28, 5), cudaSuccess);
    EXPECT_EQ(cudaMemcpy2D(device, pitch, host, 28, 28, 4, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpy2DAsync(back, 28, device, pitch, 28, 5, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(back[3][6], 27);
    EXPECT_EQ(back[4][0], -1);
    expect_error(cudaMemcpy2D(device, 16, host, 28, 28, 5, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    expect_error(cudaMemcpy2D(device, pitch, host, 28, 28, 6, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    expect_error(cudaMemset2D(device, 512, 0, 513, 1), cudaErrorInvalidPitchValue);
    cudaFree(device);
}

__global__ void use_all_kinds(int* managed, int* pinned) {
    managed[threadIdx.x] += table[threadIdx.x % 4];
    pinned[threadIdx.x] = managed[threadIdx.x] + shared_by_both;
    if (threadIdx.x == 0) total = 1.5f;
}

TEST(Memory, ManagedAndPinnedMemoryAreReachedFromBothSides) {
    int *managed = nullptr, *pinned = nullptr;
    ASSERT_EQ(cudaMallocManaged(&managed, 32 * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(&pinned, 32 * sizeof(int)), cudaSuccess);
    const int values[4] = {10, 20, 30, 40};
    ASSERT_EQ(cudaMemcpyToSymbol(table, values, sizeof values), cudaSuccess);
    shared_by_both = 7;
    const auto counts = counts_of([&] {
        for (int i = 0; i < 32; ++i) managed[i] = i;
        use_all_kinds<<<1, 32>>>(managed, pinned);
    });
    EXPECT_EQ(counts.global_store.bytes, 32u * 8 + 4) << "the host's own stores do not count";
    for (int i = 0; i < 32; ++i) {
        EXPECT_EQ(managed[i], i + values[i % 4]);
        EXPECT_EQ(pinned[i], managed[i] + 7);
    }
    EXPECT_EQ(cudaMemPrefetchAsync(managed, 64, cudaMemLocation{cudaMemLocationTypeHost, 0}, 0), cudaSuccess);
    expect_error(cudaMemPrefetchAsync(pinned, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0), cudaErrorInvalidValue);
    cudaFree(managed);
    cudaFreeHost(pinned);
}

TEST(Memory, HasTheTypeOfItsAllocation) {
    int *device = nullptr, *managed = nullptr, *pinned = nullptr, own = 0;
    ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&managed, 64), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
    const auto type = [](const void* pointer) {
        cudaPointerAttributes attributes{};
        EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
        return attributes.type;
    };
    EXPECT_EQ(type(device + 1), cudaMemoryTypeDevice);
    EXPECT_EQ(type(managed + 1), cudaMemoryTypeManaged);
    EXPECT_EQ(type(pinned + 1), cudaMemoryTypeHost);
    EXPECT_EQ(type(&own), cudaMemoryTypeUnregistered);
    EXPECT_EQ(cudaHostRegister(&own, sizeof own, cudaHostRegisterDefault), cudaSuccess);
    EXPECT_EQ(type(&own), cudaMemoryTypeHost);
    expect_error(cudaHostRegister(&own, sizeof own, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(cudaHostUnregister(&own), cudaSuccess);
    expect_error(cudaHostUnregister(&own), cudaErrorHostMemoryNotRegistered);
    for (const auto error : {cudaFree(device), cudaFree(managed), cudaFreeHost(pinned)}) EXPECT_EQ(error, cudaSuccess);
}

TEST(Symbols, AreCopiedInParts) {
    const int values[2] = {8, 9};
    int back[4] = {};
    EXPECT_EQ(cudaMemcpyToSymbol(table, values, sizeof values, 2 * sizeof(int)), cudaSuccess);
    EXPECT_EQ(cudaMemcpyFromSymbol(back, table, 2 * sizeof(int), 2 * sizeof(int)), cudaSuccess);
    EXPECT_EQ(back[1], 9);
    expect_error(cudaMemcpyToSymbol(table, values, sizeof values, 3 * sizeof(int)), cudaErrorInvalidValue);
    expect_error(cudaMemcpyToSymbol(table, values, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    static int not_on_the_device[4];
    expect_error(cudaMemcpyToSymbol(not_on_the_device, values, 4), cudaErrorInvalidSymbol);
    float* address = nullptr;
    std::size_t bytes = 0;
    EXPECT_EQ(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), total), cudaSuccess);
    EXPECT_EQ(cudaGetSymbolSize(&bytes, table), cudaSuccess);
    EXPECT_EQ(bytes, 16u);
    const float pi = 3.14f;
    float read = 0;
    EXPECT_EQ(cudaMemcpy(address, &pi, 4, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpyFromSymbol(&read, total, 4), cudaSuccess);
    EXPECT_EQ(read, pi);
    expect_error(cudaMemcpy(address, &pi, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
}

TEST(Streams, ExistFromCreationToDestruction) {
    cudaStream_t stream;
    EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(0), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
    int called = 0;
    EXPECT_EQ(cudaLaunchHostFunc(stream, [](void* data) { ++*static_cast<int*>(data); }, &called), cudaSuccess);
    EXPECT_EQ(called, 1);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    expect_error(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    expect_error(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    expect_error(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
    int priority = 0;
    unsigned flags = 0;
    EXPECT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2), cudaSuccess);
    EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
    EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
    EXPECT_TRUE(priority == -2 && flags == cudaStreamNonBlocking);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    expect_error(cudaStreamCreateWithFlags(&stream, 17), cudaErrorInvalidValue);
}

TEST(Events, KnowNoTime) {
    cudaEvent_t start, stop, untimed;
    EXPECT_EQ(cudaEventCreate(&start), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&stop), cudaSuccess);
    EXPECT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
    float milliseconds = 1;
    EXPECT_EQ(cudaEventRecord(start), cudaSuccess);
    expect_error(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventRecord(stop, 0), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(untimed, 0), cudaSuccess);
    EXPECT_EQ(cudaEventSynchronize(stop), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(0, stop, 0), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
    EXPECT_TRUE(std::isnan(milliseconds));
    expect_error(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);
    for (cudaEvent_t event : {start, stop, untimed}) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    expect_error(cudaEventRecord(start), cudaErrorInvalidResourceHandle);
}

__constant__ int in_constant_memory[2];

enum Spaces : unsigned { is_global = 1, is_shared = 2, is_local = 4, is_constant = 8 };

__device__ unsigned spaces_of(const void* address) {
    // The compiler knows the spaces of its variables, but not those of an address in memory.
    const void* volatile hidden = address;
    const void* const any = hidden;
    return (__isGlobal(any) ? is_global : 0) | (__isShared(any) ? is_shared : 0) | (__isLocal(any) ? is_local : 0) |
           (__isConstant(any) ? is_constant : 0);
}

__global__ void find_spaces(unsigned* found) {
    __shared__ int shared;
    int local = 0;
    found[0] = spaces_of(found);
    found[1] = spaces_of(&shared);
    found[2] = spaces_of(&local);
    found[3] = spaces_of(&in_constant_memory[1]) & is_constant;
}

TEST(AddressSpaces, AreToldApartByTheAddress) {
    Device<unsigned> found(4);
    counts_of([&] { find_spaces<<<1, 1>>>(found.data); });
    EXPECT_EQ(found.host(), (std::vector<unsigned>{is_global, is_shared, is_local, is_constant}));
}

}  // namespace
