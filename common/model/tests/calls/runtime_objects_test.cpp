// Arrays, textures and pools of the runtime library. The tests of surface/ have memory, streams and events.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "recording_device.hpp"

namespace {

using simt::test::recording_device;

class RuntimeObjects : public testing::Test {
protected:
    void SetUp() override { cudaGetLastError(); }
};

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
    const simt::TextureRequest& request = recording_device().textures.at(texture);
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

}  // namespace
