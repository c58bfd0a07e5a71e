// Launches without <<<>>>: their forms, their attributes, their errors, and how many blocks fit.

#include "support.hpp"

namespace {

__global__ void fill(int* out, int value) { out[threadIdx.x] = value + threadIdx.x; }

__global__ void use_dynamic_shared(int* out) {
    extern __shared__ int values[];
    values[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = values[threadIdx.x];
}

TEST(Launches, AreMadeByFunctionToo) {
    Device<int> out(32);
    int value = 3;
    void* arguments[] = {&out.data, &value};
    counts_of([&] { EXPECT_EQ(cudaLaunchKernel(fill, dim3(1), dim3(32), arguments, 0, nullptr), cudaSuccess); });
    EXPECT_EQ(out.host()[5], 8);
    value = 4;
    counts_of([&] { EXPECT_EQ(cudaLaunchKernel(reinterpret_cast<const void*>(fill), 1, 32, arguments), cudaSuccess); });
    EXPECT_EQ(out.host()[5], 9);
}

template <class Number, int Step> __global__ void add_up(Number* out, const Number* numbers, unsigned count) {
    extern __shared__ Number partial[];
    cudaGridDependencySynchronize();
    partial[threadIdx.x] = numbers[(blockIdx.x * blockDim.x + threadIdx.x) * Step % count];
    out[blockIdx.x * blockDim.x + threadIdx.x] = partial[threadIdx.x];
    cudaTriggerProgrammaticLaunchCompletion();
}

/// A launch that may overlap the one before it.
struct ConfiguredLaunch {
    explicit ConfiguredLaunch(unsigned threads = 32) {
        attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[0].val.programmaticStreamSerializationAllowed = 1;
        config.gridDim = 2;
        config.blockDim = threads;
        config.dynamicSmemBytes = threads * sizeof(float);
        config.attrs = attributes;
        config.numAttrs = 1;
    }
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
};

TEST(Launches, AreMadeByAConfigurationToo) {
    std::vector<float> numbers(64);
    for (int i = 0; i < 64; ++i) numbers[i] = static_cast<float>(i);
    Device<float> in(numbers), out(64);
    ConfiguredLaunch launch;
    float* values = in.data;
    const int count = 64;  // becomes unsigned, and float* const float*, as in CUDA
    const auto configured =
        counts_of([&] { EXPECT_EQ(cudaLaunchKernelEx(&launch.config, add_up<float, 3>, out.data, values, count), cudaSuccess); });
    EXPECT_EQ(configured.name, "add_up<float, 3>");
    EXPECT_EQ(configured.grid.x, 2u);
    EXPECT_EQ(configured.block.x, 32u);
    EXPECT_EQ(configured.shared_bytes, 128u);
    for (int i = 0; i < 64; ++i) EXPECT_EQ(out.host()[i], numbers[i * 3 % 64]);

    const auto plain = counts_of([&] { add_up<float, 3><<<2, 32, 128>>>(out.data, values, count); });
    EXPECT_EQ(configured.global_load.sectors, plain.global_load.sectors);
    EXPECT_EQ(configured.global_store.requests, plain.global_store.requests);
    EXPECT_EQ(configured.shared_store.wavefronts, plain.shared_store.wavefronts);
    EXPECT_EQ(configured.shared_store.instructions, 2u);

    const cudaLaunchConfig_t written_at_once = {.gridDim = 1, .blockDim = dim3(32, 1), .dynamicSmemBytes = 128};
    const auto* pointer = &written_at_once;
    EXPECT_EQ(pointer->gridDim.x * pointer->blockDim.x, 32u);
    EXPECT_EQ(counts_of([&] { cudaLaunchKernelEx(pointer, add_up<float, 3>, out.data, values, count); }).grid.x, 1u);
}

TEST(Launches, ByAConfigurationThatCannotBeAreRefused) {
    Device<int> out(32);
    ConfiguredLaunch too_wide(2048);
    model::take_errors();
    expect_error(cudaLaunchKernelEx(&too_wide.config, fill, out.data, 1), cudaErrorInvalidConfiguration);
    const std::vector<simt::Message> errors = model::take_errors();
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].code, simt::MessageCode::block_too_large);
    expect_error(cudaLaunchKernelEx(nullptr, fill, out.data, 1), cudaErrorInvalidValue);
    ConfiguredLaunch launch;
    launch.config.attrs = nullptr;
    expect_error(cudaLaunchKernelEx(&launch.config, fill, out.data, 1), cudaErrorInvalidValue);
    launch.config.numAttrs = 0;
    launch.config.gridDim = 1;
    cudaSetDevice(4);
    EXPECT_EQ(cudaLaunchKernelEx(&launch.config, fill, out.data, 1), cudaSuccess) << "the error of another call";
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice) << "stays";
    launch.config.dynamicSmemBytes = (48 << 10) + 1;
    expect_error(cudaLaunchKernelEx(&launch.config, fill, out.data, 1), cudaErrorInvalidValue);
}

TEST(Launches, TakeAttributesThatChangeNoCount) {
    Device<int> out(32);
    ConfiguredLaunch launch;
    launch.config.gridDim = 1;
    launch.config.numAttrs = 2;
    const auto launch_with = [&](int attribute, int value = 0) {
        launch.attributes[1].id = static_cast<cudaLaunchAttributeID>(attribute);
        launch.attributes[1].val.cooperative = value;
        cudaMemset(out.data, 0, 32 * sizeof(int));
        const cudaError_t error = cudaLaunchKernelEx(&launch.config, fill, out.data, 1);
        EXPECT_EQ(out.host()[0], error == cudaSuccess ? 1 : 0) << "a launch that is refused does nothing";
        return error;
    };
    model::take_errors();
    EXPECT_EQ(launch_with(cudaLaunchAttributeIgnore), cudaSuccess);
    EXPECT_EQ(launch_with(cudaLaunchAttributePriority, 1), cudaSuccess);
    EXPECT_EQ(launch_with(cudaLaunchAttributeCooperative, 0), cudaSuccess);
    EXPECT_EQ(launch_with(cudaLaunchAttributeCooperative, 1), cudaSuccess);
    EXPECT_EQ(model::take_errors().size(), 0u);
}

TEST(Launches, NeedLeaveForMoreThan48KilobytesOfDynamicSharedMemory) {
    Device<int> out(32);
    const int most = model::current_machine().max_shared_bytes;
    use_dynamic_shared<<<1, 32, 48 << 10>>>(out.data);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    use_dynamic_shared<<<1, 32, (48 << 10) + 1>>>(out.data);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    expect_error(cudaFuncSetAttribute(use_dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFuncSetAttribute(use_dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most), cudaSuccess);
    use_dynamic_shared<<<1, 32, most>>>(out.data);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    use_dynamic_shared<<<1, 32, most + 1>>>(out.data);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(Occupancy, FollowsFromThreadsBlocksAndDynamicSharedMemory) {
    int blocks = 0, grid = 0, size = 0;
    for (const auto [block_size, shared, expected] :
         {std::tuple{1024, 0, 2}, {256, 0, 8}, {32, 0, 32}, {33, 0, 32}, {256, 40 << 10, 5}, {1025, 0, 0}}) {
        EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, block_size, shared), cudaSuccess);
        EXPECT_EQ(blocks, expected) << block_size << " threads, " << shared << " bytes";
    }
    expect_error(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 0, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &size, fill), cudaSuccess);
    EXPECT_EQ(size, 1024);
    EXPECT_EQ(grid, 2 * model::current_machine().multiprocessors);
    EXPECT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &size, fill, 0, 300), cudaSuccess);
    EXPECT_EQ(size, 256) << "8 blocks of 256 fill a multiprocessor, 6 of 288 or 300 do not";
    cudaFuncAttributes attributes;
    EXPECT_EQ(cudaFuncGetAttributes(&attributes, fill), cudaSuccess);
    EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
    EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 48 << 10);
}

TEST(Reset, FreesMemoryAndForgetsErrors) {
    int* device = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
    cudaSetDevice(4);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    expect_error(cudaFree(device), cudaErrorInvalidValue);
    Device<int> out(32);
    use_dynamic_shared<<<1, 32, 64 << 10>>>(out.data);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue) << "the limit of shared memory is back";
}

}  // namespace
