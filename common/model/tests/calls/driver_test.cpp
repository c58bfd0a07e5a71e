#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "device/links.hpp"
#include "interpreter/asynchronous/tensor_map.hpp"
#include "recording_device.hpp"
#include "report/session.hpp"

namespace {

using simt::memory::TensorMap;
using simt::test::recording_device;

constexpr const char* program = R"(
.version 9.0
.target sm_90
.visible .global .align 4 .u32 total;
.visible .entry kernel(
    .param .u64 kernel_param_0,
    .param .u32 kernel_param_1
)
{ ret; }
)";

class Driver : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
        recording_device().launches.clear();
        cudaGetLastError();
    }
};

TEST_F(Driver, LaunchesKernelsOfModules) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    ASSERT_EQ(cuModuleLoadData(&module, program), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&function, module, "kernel"), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, module, "none"), CUDA_ERROR_NOT_FOUND);
    CUdeviceptr memory = 0;
    ASSERT_EQ(cuMemAlloc(&memory, 64), CUDA_SUCCESS);
    int value = 3;
    void* arguments[]{&memory, &value};
    EXPECT_EQ(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
    struct {
        CUdeviceptr memory;
        int value;
    } buffer{memory, value};
    std::size_t bytes = 12;
    void* extra[]{CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    EXPECT_EQ(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra), CUDA_SUCCESS);
    ASSERT_EQ(recording_device().launches.size(), 2U);
    EXPECT_EQ(recording_device().launches[0].parameters, recording_device().launches[1].parameters);
    EXPECT_EQ(cuMemFree(memory), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, module, "kernel"), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, LibrariesHaveKernelsAndVariables) {
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr, listed = nullptr;
    CUfunction function = nullptr;
    CUdeviceptr variable = 0;
    std::size_t bytes = 0;
    unsigned count = 0;
    ASSERT_EQ(cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "kernel"), CUDA_SUCCESS);
    EXPECT_EQ(cuLibraryGetKernelCount(&count, library), CUDA_SUCCESS);
    EXPECT_EQ(cuLibraryEnumerateKernels(&listed, 3, library), CUDA_SUCCESS);
    EXPECT_TRUE(count == 1 && listed == kernel);
    EXPECT_EQ(cuLibraryEnumerateKernels(nullptr, 3, library), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
    EXPECT_EQ(static_cast<void*>(function), static_cast<void*>(kernel));
    EXPECT_EQ(cuLibraryGetGlobal(&variable, &bytes, library, "total"), CUDA_SUCCESS);
    EXPECT_TRUE(variable != 0 && bytes == 4);
    EXPECT_EQ(cuLibraryGetManaged(&variable, &bytes, library, "total"), CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
    EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "kernel"), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuLibraryLoadFromFile(&library, "/none", nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(Driver, LinksTexts) {
    CUlinkState state = nullptr;
    ASSERT_EQ(cuLinkCreate(0, nullptr, nullptr, &state), CUDA_SUCCESS);
    const std::string second = ".version 9.0\n.target sm_90\n.visible .entry other(\n    .param .u32 other_param_0\n)\n{ ret; }\n";
    for (const std::string& text : {std::string(program), second})
        ASSERT_EQ(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text.data()), text.size() + 1, "text", 0, nullptr, nullptr),
                  CUDA_SUCCESS);
    std::string library = "!<arch>\nmachine code";
    std::string cubin = "\177ELF....";
    EXPECT_EQ(cuLinkAddData(state, CU_JIT_INPUT_LIBRARY, library.data(), library.size(), "libcudadevrt.a", 0, nullptr, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, cubin.data(), cubin.size(), "cubin", 0, nullptr, nullptr),
              CUDA_ERROR_NO_BINARY_FOR_GPU);
    void* image = nullptr;
    std::size_t bytes = 0;
    ASSERT_EQ(cuLinkComplete(state, &image, &bytes), CUDA_SUCCESS);
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    ASSERT_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS);
    EXPECT_EQ(cuLinkDestroy(state), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, module, "kernel"), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, module, "other"), CUDA_SUCCESS);
    cuModuleUnload(module);
}

TEST_F(Driver, ContextsAreAStack) {
    CUcontext primary = nullptr, own = nullptr, current = nullptr;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate(&own, nullptr, 0, 0), CUDA_SUCCESS);
    cuCtxGetCurrent(&current);
    EXPECT_EQ(current, own);
    EXPECT_EQ(cuCtxPopCurrent(&current), CUDA_SUCCESS);
    EXPECT_EQ(current, own);
    cuCtxGetCurrent(&current);
    EXPECT_EQ(current, primary);
    EXPECT_EQ(cuCtxDestroy(own), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxPushCurrent(own), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Driver, CopiesBetweenContexts) {
    setenv("SIMT_DEVICES", "2", 1);
    constexpr std::size_t bytes = 64;
    struct Side {
        CUcontext context = nullptr;
        CUdeviceptr memory = 0;
    } to, from;
    for (Side* side : {&from, &to}) {
        ASSERT_EQ(cuCtxCreate(&side->context, nullptr, 0, side == &to), CUDA_SUCCESS);
        ASSERT_EQ(cuMemAlloc(&side->memory, bytes), CUDA_SUCCESS);
    }
    ASSERT_EQ(cuMemsetD8(from.memory, 7, bytes), CUDA_SUCCESS);
    const auto box = [&] {
        CUDA_MEMCPY3D_PEER copy{};
        copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = from.memory;
        copy.srcContext = from.context;
        copy.dstDevice = to.memory;
        copy.dstContext = to.context;
        copy.WidthInBytes = bytes;
        copy.Height = copy.Depth = 1;
        return copy;
    };
    const std::vector<std::function<CUresult()>> forms{
        [&] { return cuMemcpyPeer(to.memory, to.context, from.memory, from.context, bytes); },
        [&] { return cuMemcpyPeerAsync(to.memory, to.context, from.memory, from.context, bytes, nullptr); },
        [&] { return cuMemcpy3DPeer(std::array{box()}.data()); },
        [&] { return cuMemcpy3DPeerAsync(std::array{box()}.data(), nullptr); },
    };
    const auto sent = [] { return simt::memory::Links::instance().bytes(0, 1); };
    for (const auto& form : forms) {
        const std::uint64_t before = sent();
        EXPECT_EQ(form(), CUDA_SUCCESS);
        EXPECT_EQ(sent() - before, bytes);
        for (CUcontext* context : {&to.context, &from.context})
            for (const CUcontext bad : {CUcontext{}, reinterpret_cast<CUcontext>(&to)}) {
                const CUcontext own = std::exchange(*context, bad);
                EXPECT_EQ(form(), CUDA_ERROR_INVALID_CONTEXT);
                *context = own;
            }
        EXPECT_EQ(sent() - before, bytes) << "a refused copy sends nothing";
    }
    std::vector<std::uint8_t> copied(bytes);
    EXPECT_EQ(cuMemcpyDtoH(copied.data(), to.memory, bytes), CUDA_SUCCESS);
    EXPECT_EQ(copied, std::vector<std::uint8_t>(bytes, 7));
    EXPECT_EQ(cuMemFree(to.memory), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree(from.memory), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxDestroy(to.context), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyPeer(to.memory, to.context, from.memory, from.context, bytes), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxDestroy(from.context), CUDA_SUCCESS);
    unsetenv("SIMT_DEVICES");
}

TEST_F(Driver, LeavesTheRuntimesLastErrorAlone) {
    EXPECT_EQ(cuMemFree(1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    const char* name = nullptr;
    EXPECT_EQ(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &name), CUDA_SUCCESS);
    EXPECT_STREQ(name, "CUDA_ERROR_INVALID_PTX");
}

TEST_F(Driver, SetsWords) {
    CUdeviceptr memory = 0;
    ASSERT_EQ(cuMemAlloc(&memory, 64), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD32(memory, 0x01020304, 16), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD16(memory + 4, 0xABCD, 1), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD32(memory, 0, 17), CUDA_ERROR_INVALID_VALUE);
    std::vector<std::uint32_t> words(16);
    EXPECT_EQ(cuMemcpyDtoH(words.data(), memory, 64), CUDA_SUCCESS);
    EXPECT_EQ(words[0], 0x01020304U);
    EXPECT_EQ(words[1], 0x0102ABCDU);
    EXPECT_EQ(words[15], 0x01020304U);
    cuMemFree(memory);
}

TEST_F(Driver, MapsMemoryIntoReservedAddresses) {
    const CUmemAllocationProp properties{.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    std::size_t step = 0;
    ASSERT_EQ(cuMemGetAllocationGranularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM), CUDA_SUCCESS);
    CUdeviceptr address = 0;
    CUmemGenericAllocationHandle first = 0, second = 0;
    ASSERT_EQ(cuMemAddressReserve(&address, 2 * step, 0, 0, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemCreate(&first, step + 1, &properties, 0), CUDA_ERROR_INVALID_VALUE);
    ASSERT_EQ(cuMemCreate(&first, step, &properties, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemCreate(&second, step, &properties, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemMap(address + 2 * step, step, 0, first, 0), CUDA_ERROR_INVALID_VALUE);
    ASSERT_EQ(cuMemMap(address, step, 0, first, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemMap(address + step, step, 0, first, 0), CUDA_ERROR_NOT_SUPPORTED);
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    EXPECT_EQ(cuMemSetAccess(address, 2 * step, &access, 1), CUDA_ERROR_INVALID_VALUE) << "the second half has no memory yet";
    ASSERT_EQ(cuMemMap(address + step, step, 0, second, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemSetAccess(address, 2 * step, &access, 1), CUDA_SUCCESS);
    int value = 5;
    EXPECT_EQ(cuMemcpyHtoD(address + step - 2, &value, sizeof value), CUDA_SUCCESS) << "across both";
    EXPECT_EQ(cuMemRelease(first), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAddressFree(address, 2 * step), CUDA_ERROR_INVALID_VALUE) << "it is still mapped";
    EXPECT_EQ(cuMemUnmap(address, 2 * step), CUDA_SUCCESS);
    EXPECT_EQ(cuMemRelease(second), CUDA_SUCCESS);
    EXPECT_EQ(cuMemRelease(second), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAddressFree(address, 2 * step), CUDA_SUCCESS);
}

TEST_F(Driver, EncodesTensorMaps) {
    CUtensorMap handle{};
    const cuuint64_t sizes[]{100, 50}, strides[]{400};
    const cuuint32_t box[]{32, 8}, element_strides[]{1, 1};
    const auto encode = [&](void* address, const cuuint64_t* stride, const cuuint32_t* of_box) {
        return cuTensorMapEncodeTiled(&handle, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, address, sizes, stride, of_box, element_strides,
                                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    const auto address = reinterpret_cast<void*>(0x10000);
    ASSERT_EQ(encode(address, strides, box), CUDA_SUCCESS);
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), &handle, sizeof map);
    EXPECT_EQ(map.magic, TensorMap::right_magic);
    EXPECT_EQ(map.type, TensorMap::Type::f32);
    EXPECT_EQ(map.rank, 2);
    EXPECT_EQ(map.address, 0x10000U);
    EXPECT_EQ(map.extent(0), 100U);
    EXPECT_EQ(map.extent(1), 50U);
    EXPECT_EQ(map.strides[0], 400U);
    EXPECT_EQ(map.box[1], 8);
    EXPECT_EQ(map.swizzle, TensorMap::Swizzle::bytes_128);
    const cuuint64_t odd_strides[]{404};
    const cuuint32_t wide_box[]{64, 8};
    EXPECT_EQ(encode(reinterpret_cast<void*>(0x10008), strides, box), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(encode(address, odd_strides, box), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(encode(address, strides, wide_box), CUDA_ERROR_INVALID_VALUE) << "wider than the swizzle";
}

TEST_F(Driver, TellsARuntimeInsideTheProgramHowToBuildItOnce) {
    const void* table = nullptr;
    const CUuuid id{};
    testing::internal::CaptureStderr();
    EXPECT_EQ(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "error: cuGetExportTable is not supported by the model; a program with the CUDA runtime in it asks for it: build it with "
              "nvcc -cudart shared, of CUDA 13\n");
    EXPECT_EQ(std::exchange(recording_device().errors, {}).size(), 1U);
}

}  // namespace
