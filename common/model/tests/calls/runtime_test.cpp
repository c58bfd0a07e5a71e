#include <cuda_runtime_api.h>
#include <fatbinary_section.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "recording_device.hpp"
#include "report/session.hpp"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
char __cudaInitModule(void**);
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, CUstream_st*);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*);
}

namespace {

using simt::test::recording_device;

constexpr const char* registered = R"(
.version 9.0
.target sm_90
.visible .const .align 4 .b8 table[16];
.visible .global .attribute(.managed) .align 4 .u32 shared_count;
.visible .entry mixed(
    .param .u8 mixed_param_0,
    .param .u64 mixed_param_1,
    .param .u16 mixed_param_2,
    .param .align 8 .b8 mixed_param_3[24]
)
{ ret; }
.visible .entry plain(
    .param .u32 plain_param_0
)
{ ret; }
)";

// Objects in place of the stubs and the shadows of variables in a program's host code.
char mixed, plain, missing, table[16], no_symbol;
int* shared_count = nullptr;

std::vector<std::uint64_t> container_of(const std::string& text) {
    const std::size_t padded = (text.size() + 7) / 8 * 8;
    std::vector<std::uint64_t> words(2 + 8 + padded / 8);
    words[0] = 0x00100001ba55ed50;
    words[1] = 64 + padded;
    words[2] = 0x0000004001010001;
    words[3] = padded;
    words[5] = std::uint64_t{90} << 32;  // compute_90
    std::memcpy(&words[10], text.data(), text.size());
    return words;
}

void register_program() {
    static const std::vector<std::uint64_t> container = container_of(registered);
    static __fatBinC_Wrapper_t wrapper{FATBINC_MAGIC, FATBINC_VERSION, reinterpret_cast<const unsigned long long*>(container.data()),
                                       nullptr};
    static void** handle = nullptr;
    if (handle) return;
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &mixed, nullptr, "mixed", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFunction(handle, &plain, nullptr, "plain", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFunction(handle, &missing, nullptr, "missing", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle, table, nullptr, "table", 0, sizeof table, 1, 0);
    __cudaRegisterManagedVar(handle, reinterpret_cast<void**>(&shared_count), nullptr, "shared_count", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

class Runtime : public testing::Test {
protected:
    void SetUp() override {
        register_program();
        recording_device().launches.clear();
        recording_device().launch_result = 0;
        cudaGetLastError();
    }
    static cudaError_t launch_plain(dim3 grid, dim3 block, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr, int value = 3) {
        void* arguments[]{&value};
        return cudaLaunchKernel(&plain, grid, block, arguments, shared_bytes, stream);
    }
};

TEST_F(Runtime, PacksArgumentsAsTheKernelLaysThemOut) {
    struct Structure {
        char c;
        double d;
        short s;
    } structure{1, 2.5, 3};
    char c = 'a';
    void* pointer = &c;
    short number = 4;
    void* arguments[]{&c, &pointer, &number, &structure};
    ASSERT_EQ(cudaLaunchKernel(&mixed, {1, 2, 3}, {32, 2, 1}, arguments, 100, nullptr), cudaSuccess);
    ASSERT_EQ(recording_device().launches.size(), 1U);
    const simt::LaunchRequest& request = recording_device().launches[0];
    EXPECT_EQ(request.grid, (simt::Extent{1, 2, 3}));
    EXPECT_EQ(request.block, (simt::Extent{32, 2, 1}));
    EXPECT_EQ(request.dynamic_shared_bytes, 100U);
    ASSERT_EQ(request.parameters.size(), 48U);
    EXPECT_EQ(request.parameters[0], 'a');
    EXPECT_EQ(std::memcmp(&request.parameters[8], &pointer, 8), 0);
    EXPECT_EQ(std::memcmp(&request.parameters[16], &number, 2), 0);
    EXPECT_EQ(std::memcmp(&request.parameters[32], &structure.d, 8), 0);
}

TEST_F(Runtime, RefusesLaunchesThatNoGpuTakes) {
    EXPECT_EQ(launch_plain(0, 32), cudaErrorInvalidConfiguration);
    EXPECT_EQ(launch_plain(1, 1025), cudaErrorInvalidConfiguration);
    EXPECT_EQ(launch_plain(1, {1, 1, 65}), cudaErrorInvalidConfiguration);
    EXPECT_EQ(launch_plain({1, 65536}, 1), cudaErrorInvalidConfiguration);
    EXPECT_EQ(launch_plain(1, 32, 49153), cudaErrorInvalidValue);
    EXPECT_TRUE(recording_device().launches.empty());
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(std::exchange(recording_device().errors, {}).size(), 5U);
}

TEST_F(Runtime, KernelErrorsAreToldByWhoeverWaits) {
    recording_device().launch_result = cudaErrorIllegalAddress;
    EXPECT_EQ(launch_plain(1, 32), cudaSuccess);
    recording_device().launch_result = 0;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(launch_plain(1, 32), cudaSuccess);
}

TEST_F(Runtime, LastErrorsBelongToThreads) {
    EXPECT_EQ(cudaFree(&no_symbol), cudaErrorInvalidValue);
    std::thread([] { EXPECT_EQ(cudaGetLastError(), cudaSuccess); }).join();
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Runtime, KernelThatIsNotInThePtxIsAnError) {
    int value = 0;
    void* arguments[]{&value};
    EXPECT_EQ(cudaLaunchKernel(&missing, 1, 1, arguments, 0, nullptr), cudaErrorInvalidDeviceFunction);
    EXPECT_EQ(cudaLaunchKernel(&no_symbol, 1, 1, arguments, 0, nullptr), cudaErrorInvalidDeviceFunction);
}

TEST_F(Runtime, CallConfigurationsAreAStack) {
    __cudaPushCallConfiguration({1, 2, 3}, {4, 5, 6}, 7, nullptr);
    __cudaPushCallConfiguration({8}, {9}, 10, nullptr);
    dim3 grid, block;
    std::size_t bytes = 0;
    cudaStream_t stream = nullptr;
    ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &bytes, &stream), cudaSuccess);
    EXPECT_EQ(bytes, 10U);
    ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &bytes, &stream), cudaSuccess);
    EXPECT_EQ(block.z, 6U);
    EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &bytes, &stream), cudaErrorMissingConfiguration);
}

TEST_F(Runtime, ManagedVariablesAreTheHosts) {
    ASSERT_EQ(launch_plain(1, 1), cudaSuccess);
    ASSERT_NE(shared_count, nullptr);
    *shared_count = 5;
    int value = 0;
    ASSERT_EQ(cudaMemcpyFromSymbol(&value, shared_count, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(value, 5);
}

TEST_F(Runtime, CapturedWorkIsDoneWhenTheGraphIsLaunched) {
    cudaStream_t stream = nullptr, other = nullptr;
    cudaEvent_t fork = nullptr, join = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    int calls = 0;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(launch_plain(1, 1, 0, stream, 1), cudaSuccess);
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(other, fork, 0);
    EXPECT_EQ(launch_plain(1, 1, 0, other, 2), cudaSuccess);
    EXPECT_EQ(launch_plain(1, 1, 0, stream, 3), cudaSuccess);
    cudaEventRecord(join, other);
    cudaStreamWaitEvent(stream, join, 0);
    cudaLaunchHostFunc(stream, [](void* count) { ++*static_cast<int*>(count); }, &calls);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    EXPECT_TRUE(recording_device().launches.empty());
    std::size_t nodes = 0, edges = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
    EXPECT_EQ(nodes, 4U);
    EXPECT_EQ(edges, 4U);
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    cudaGraphLaunch(executable, stream);
    cudaGraphLaunch(executable, stream);
    EXPECT_EQ(recording_device().launches.size(), 6U);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(recording_device().launches[4].parameters[0], 2);
    cudaGraphExecDestroy(executable);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
}

TEST_F(Runtime, CaptureThatIsNotJoinedIsAnError) {
    cudaStream_t stream = nullptr, other = nullptr;
    cudaEvent_t fork = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    cudaEventCreate(&fork);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    launch_plain(1, 1, 0, stream);
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(other, fork, 0);
    launch_plain(1, 1, 0, other);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(launch_plain(1, 1, 0, other), cudaSuccess);
    EXPECT_EQ(recording_device().launches.size(), 1U);
}

/// A reset frees all memory, and an executable graph that is destroyed later frees nothing a second time.
TEST_F(Runtime, GraphsWithMemorySurviveAReset) {
    cudaStream_t stream = nullptr;
    void* memory = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    std::uint64_t bytes = 0;
    const auto ask = [&] { return cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes); };
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    EXPECT_EQ(cudaMallocAsync(&memory, 4000, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_TRUE(ask() == cudaSuccess && bytes == 4000);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_TRUE(ask() == cudaSuccess && bytes == 0);
    EXPECT_EQ(cudaGraphLaunch(executable, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Runtime, ExecutableGraphsAreUpdated) {
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t first = nullptr, second = nullptr;
    cudaGraphCreate(&graph, 0);
    int value = 1;
    void* arguments[]{&value};
    cudaKernelNodeParams parameters{};
    parameters.func = &plain;
    parameters.gridDim = parameters.blockDim = 1;
    parameters.kernelParams = arguments;
    ASSERT_EQ(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &parameters), cudaSuccess);
    ASSERT_EQ(cudaGraphAddEmptyNode(&second, graph, &first, 1), cudaSuccess);
    cudaGraphExec_t executable = nullptr;
    cudaGraphInstantiate(&executable, graph, 0);
    value = 9;
    ASSERT_EQ(cudaGraphExecKernelNodeSetParams(executable, first, &parameters), cudaSuccess);
    cudaGraphLaunch(executable, nullptr);
    EXPECT_EQ(recording_device().launches.back().parameters[0], 9);
    cudaKernelNodeParams held{};
    ASSERT_EQ(cudaGraphKernelNodeGetParams(first, &held), cudaSuccess);
    EXPECT_EQ(*static_cast<int*>(held.kernelParams[0]), 1);
    cudaGraphExecUpdateResultInfo result{};
    EXPECT_EQ(cudaGraphExecUpdate(executable, graph, &result), cudaSuccess);
    cudaGraphDestroyNode(second);
    EXPECT_EQ(cudaGraphExecUpdate(executable, graph, &result), cudaErrorGraphExecUpdateFailure);
    EXPECT_EQ(result.result, cudaGraphExecUpdateErrorTopologyChanged);
    EXPECT_EQ(cudaGraphNodeSetEnabled(executable, first, 0), cudaSuccess);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
}

TEST_F(Runtime, ClustersAndCooperativeLaunchesAreChecked) {
    int value = 0;
    void* arguments[]{&value};
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = 16;
    configuration.blockDim = 32;
    configuration.attrs = &attribute;
    configuration.numAttrs = 1;
    EXPECT_EQ(cudaLaunchKernelExC(&configuration, &plain, arguments), cudaSuccess);
    EXPECT_EQ(recording_device().launches.back().cluster, (simt::Extent{4, 1, 1}));
    configuration.gridDim = 15;
    EXPECT_EQ(cudaLaunchKernelExC(&configuration, &plain, arguments), cudaErrorInvalidClusterSize);
    EXPECT_EQ(cudaLaunchCooperativeKernel(&plain, 132 * 32, 64, arguments, 0, nullptr), cudaSuccess);
    EXPECT_TRUE(recording_device().launches.back().cooperative);
    EXPECT_EQ(cudaLaunchCooperativeKernel(&plain, 132 * 32 + 1, 64, arguments, 0, nullptr), cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(Runtime, LibrariesAreLoadedFromTextAndErrorsAreTold) {
    cudaLibrary_t library = nullptr;
    ASSERT_EQ(cudaLibraryLoadData(&library, registered, nullptr, nullptr, 0, nullptr, nullptr, 0), cudaSuccess);
    cudaKernel_t kernel = nullptr;
    ASSERT_EQ(cudaLibraryGetKernel(&kernel, library, "plain"), cudaSuccess);
    int value = 0;
    void* arguments[]{&value};
    EXPECT_EQ(cudaLaunchKernel(kernel, 1, 1, arguments, 0, nullptr), cudaSuccess);
    EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "none"), cudaErrorSymbolNotFound);
    EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
    EXPECT_EQ(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaLibraryLoadData(&library, "not PTX", nullptr, nullptr, 0, nullptr, nullptr, 0), cudaErrorInvalidPtx);
    EXPECT_EQ(cudaLibraryLoadData(&library, "\177ELF....", nullptr, nullptr, 0, nullptr, nullptr, 0), cudaErrorNoKernelImageForDevice);
}

TEST_F(Runtime, ResetDeviceLoadsProgramsAgain) {
    int* memory = nullptr;
    ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory), 64), cudaSuccess);
    ASSERT_EQ(launch_plain(1, 1), cudaSuccess);
    const std::size_t loaded = recording_device().modules_loaded;
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
    EXPECT_EQ(launch_plain(1, 1), cudaSuccess);
    EXPECT_EQ(recording_device().modules_loaded, loaded + 1);
}

TEST_F(Runtime, LimitsReachTheDevice) {
    EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20), cudaSuccess);
    EXPECT_EQ(recording_device().heap_bytes, std::size_t{1} << 20);
}

}  // namespace
