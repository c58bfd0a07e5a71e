// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Memory, streams and events of the runtime library, on a device that runs nothing.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "fake_device.hpp"

namespace {

using simt::test::fake_device;

class RuntimeObjects : public testing::Test {
protected:
    void SetUp() override { cudaGetLastError(); }
};

TEST_F(RuntimeObjects, CopiesGoWhereTheKindSays) {
    std::vector<int> from(256), to(256);
    std::iota(from.begin(), from.end(), 1);
    int* memory = nullptr;
    ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory), 1024), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory, from.data(), 1024, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(to.data(), memory, 1024, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(from, to);
    EXPECT_EQ(cudaMemcpy(to.data(), memory + 1, 1024, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(to.data(), from.data(), 1024, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(to.data(), memory, 4, static_cast<cudaMemcpyKind>(7)), cudaErrorInvalidMemcpyDirection);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(to.data(), memory, 4, cudaMemcpyDefault), cudaErrorInvalidValue) << "freed memory is no host memory";
    EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

TEST_F(RuntimeObjects, CopiesRowsBetweenPitches) {
    constexpr std::size_t width = 10, height = 3;
    char* memory = nullptr;
    std::size_t pitch = 0;
    ASSERT_EQ(cudaMallocPitch(reinterpret_cast<void**>(&memory), &pitch, width, height), cudaSuccess);
    EXPECT_EQ(pitch, 512U);
    std::vector<char> from(width * height), to(width * height);
    std::iota(from.begin(), from.end(), char{0});
    ASSERT_EQ(cudaMemset2D(memory, pitch, 0x55, width, height), cudaSuccess);
    ASSERT_EQ(cudaMemcpy2D(memory, pitch, from.data(), width, width, height - 1, cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(cudaMemcpy2D(to.data(), width, memory, pitch, width, height, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(to[19], 19);
    EXPECT_EQ(to[20], 0x55);
    EXPECT_EQ(cudaMemcpy2D(memory, 5, from.data(), width, width, height, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    cudaFree(memory);
}

TEST_F(RuntimeObjects, CopiesBoxesOfArrays) {
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t array = nullptr;
    ASSERT_EQ(cudaMalloc3DArray(&array, &channels, {8, 4, 2}, 0), cudaSuccess);
    std::vector<unsigned> from(64), to(64, 0);
    std::iota(from.begin(), from.end(), 0U);
    cudaMemcpy3DParms in{};
    in.srcPtr = {from.data(), 32, 8, 4};
    in.dstArray = array;
    in.extent = {8, 4, 2};
    in.kind = cudaMemcpyHostToDevice;
    ASSERT_EQ(cudaMemcpy3D(&in), cudaSuccess);
    cudaMemcpy3DParms out{};
    out.srcArray = array;
    out.srcPos = {2, 1, 1};
    out.dstPtr = {to.data(), 32, 8, 4};
    out.extent = {3, 2, 1};
    out.kind = cudaMemcpyDeviceToHost;
    ASSERT_EQ(cudaMemcpy3D(&out), cudaSuccess);
    EXPECT_EQ(to[0], 42U);
    EXPECT_EQ(to[2], 44U);
    EXPECT_EQ(to[3], 0U);
    EXPECT_EQ(to[8], 50U);
    out.extent = {7, 1, 1};
    EXPECT_EQ(cudaMemcpy3D(&out), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
    EXPECT_EQ(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeObjects, KnowsWhosePointersTheyAre) {
    int *device = nullptr, *managed = nullptr, *pinned = nullptr, own = 0;
    cudaMalloc(reinterpret_cast<void**>(&device), 64);
    cudaMallocManaged(reinterpret_cast<void**>(&managed), 64, cudaMemAttachGlobal);
    cudaMallocHost(reinterpret_cast<void**>(&pinned), 64);
    managed[3] = pinned[3] = 7;
    cudaPointerAttributes attributes{};
    const auto type = [&](const void* pointer) {
        EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
        return attributes.type;
    };
    EXPECT_EQ(type(device + 1), cudaMemoryTypeDevice);
    EXPECT_EQ(type(managed + 1), cudaMemoryTypeManaged);
    EXPECT_EQ(type(pinned + 1), cudaMemoryTypeHost);
    EXPECT_EQ(type(&own), cudaMemoryTypeUnregistered);
    ASSERT_EQ(cudaHostRegister(&own, sizeof own, cudaHostRegisterDefault), cudaSuccess);
    EXPECT_EQ(type(&own), cudaMemoryTypeHost);
    EXPECT_EQ(cudaHostRegister(&own, sizeof own, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(cudaHostUnregister(&own), cudaSuccess);
    EXPECT_EQ(cudaHostUnregister(&own), cudaErrorHostMemoryNotRegistered);
    EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
    for (const auto error : {cudaFree(device), cudaFree(managed), cudaFreeHost(pinned)}) EXPECT_EQ(error, cudaSuccess);
}

TEST_F(RuntimeObjects, TexturesAreDescribedToTheDevice) {
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    cudaArray_t array = nullptr;
    ASSERT_EQ(cudaMallocArray(&array, &channels, 16, 8, 0), cudaSuccess);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc sampling{};
    sampling.addressMode[0] = cudaAddressModeWrap;
    sampling.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture = 0;
    EXPECT_EQ(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr), cudaErrorInvalidFilterSetting);
    sampling.readMode = cudaReadModeNormalizedFloat;
    ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr), cudaSuccess);
    const simt::TextureRequest& request = fake_device().textures.at(texture);
    EXPECT_TRUE(request.read_as_normalized_float);
    EXPECT_EQ(request.address_mode[0], simt::TextureRequest::Address::clamp) << "only normalized coordinates repeat";
    cudaSurfaceObject_t surface = 0;
    EXPECT_EQ(cudaCreateSurfaceObject(&surface, &resource), cudaErrorInvalidValue) << "not made for surfaces";
    EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
    EXPECT_EQ(cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
    cudaFreeArray(array);
    cudaMipmappedArray_t whole = nullptr;
    ASSERT_EQ(cudaMallocMipmappedArray(&whole, &channels, cudaExtent{16, 8, 0}, 2, 0), cudaSuccess);
    ASSERT_EQ(cudaGetMipmappedArrayLevel(&resource.res.array.array, whole, 1), cudaSuccess);
    EXPECT_EQ(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess) << "levels are for surfaces, too";
    EXPECT_EQ(cudaDestroySurfaceObject(surface), cudaSuccess);
    cudaFreeMipmappedArray(whole);
}

TEST_F(RuntimeObjects, PoolsCountWhatIsInUse) {
    cudaMemPool_t pool = nullptr;
    ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    void* memory = nullptr;
    ASSERT_EQ(cudaMallocAsync(&memory, 4096, nullptr), cudaSuccess);
    std::uint64_t used = 0;
    ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
    EXPECT_EQ(used, 4096U);
    EXPECT_EQ(cudaFreeAsync(memory, nullptr), cudaSuccess);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    EXPECT_EQ(used, 0U);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used);
    EXPECT_EQ(used, 4096U);
}

TEST_F(RuntimeObjects, StreamsAndEventsAreHandles) {
    cudaStream_t stream = nullptr;
    cudaEvent_t start = nullptr, end = nullptr;
    ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2), cudaSuccess);
    int priority = 0;
    unsigned flags = 0;
    EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
    EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
    EXPECT_EQ(priority, -2);
    EXPECT_EQ(flags, cudaStreamNonBlocking);
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    float milliseconds = 0;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventRecord(start, stream), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(end, stream), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
    EXPECT_TRUE(std::isnan(milliseconds));
    EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(start, stream), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
    cudaEventDestroy(end);
}

}  // namespace
