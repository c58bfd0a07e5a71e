// Arrays, textures and surfaces of the driver.

#include <algorithm>

#include "calls/driver/forward.hpp"
#include "calls/runtime/arrays.hpp"

namespace simt::calls {

cudaChannelFormatDesc channels_of(CUarray_format format, unsigned channels) {
    int bits = 0;
    cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;
    switch (format) {
        case CU_AD_FORMAT_UNSIGNED_INT8: bits = 8; break;
        case CU_AD_FORMAT_UNSIGNED_INT16: bits = 16; break;
        case CU_AD_FORMAT_UNSIGNED_INT32: bits = 32; break;
        case CU_AD_FORMAT_SIGNED_INT8: bits = 8, kind = cudaChannelFormatKindSigned; break;
        case CU_AD_FORMAT_SIGNED_INT16: bits = 16, kind = cudaChannelFormatKindSigned; break;
        case CU_AD_FORMAT_SIGNED_INT32: bits = 32, kind = cudaChannelFormatKindSigned; break;
        case CU_AD_FORMAT_HALF: bits = 16, kind = cudaChannelFormatKindFloat; break;
        case CU_AD_FORMAT_FLOAT: bits = 32, kind = cudaChannelFormatKindFloat; break;
        default: fail(cudaErrorNotSupported);
    }
    const auto channel = [&](unsigned number) { return channels > number ? bits : 0; };
    return {channel(0), channel(1), channel(2), channel(3), kind};
}

void driver_format(const cudaChannelFormatDesc& description, CUarray_format& format, unsigned& channels) {
    channels = 1U + (description.y != 0) + (description.z != 0) + (description.w != 0);
    const bool is_signed = description.f == cudaChannelFormatKindSigned;
    if (description.f == cudaChannelFormatKindFloat) format = description.x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    else if (description.x == 8) format = is_signed ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
    else if (description.x == 16) format = is_signed ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
    else format = is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
}

}  // namespace simt::calls

using namespace simt::calls;

namespace {

cudaError_t create(CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR& description) {
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc channels = channels_of(description.Format, description.NumChannels);
    // The runtime's flags have the driver's numbers.
    const cudaError_t error =
        cudaMalloc3DArray(&array, &channels, {description.Width, description.Height, description.Depth}, description.Flags);
    *handle = reinterpret_cast<CUarray>(array);
    return error;
}

CUDA_ARRAY3D_DESCRIPTOR description_of(CUarray handle) {
    const cudaArray& array = require_array(array_of(handle));
    CUDA_ARRAY3D_DESCRIPTOR description{};
    description.Width = array.shape.width;
    description.Height = array.shape.height;
    description.Depth = array.shape.depth;
    driver_format(array.description, description.Format, description.NumChannels);
    description.Flags = array.flags;
    return description;
}

cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC& from) {
    cudaResourceDesc resource{};
    switch (from.resType) {
        case CU_RESOURCE_TYPE_ARRAY:
            resource.resType = cudaResourceTypeArray;
            resource.res.array.array = array_of(from.res.array.hArray);
            break;
        case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
            resource.resType = cudaResourceTypeMipmappedArray;
            resource.res.mipmap.mipmap = reinterpret_cast<cudaMipmappedArray_t>(from.res.mipmap.hMipmappedArray);
            break;
        case CU_RESOURCE_TYPE_LINEAR:
            resource.resType = cudaResourceTypeLinear;
            resource.res.linear.devPtr = pointer_of(from.res.linear.devPtr);
            resource.res.linear.desc = channels_of(from.res.linear.format, from.res.linear.numChannels);
            resource.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
            break;
        case CU_RESOURCE_TYPE_PITCH2D:
            resource.resType = cudaResourceTypePitch2D;
            resource.res.pitch2D.devPtr = pointer_of(from.res.pitch2D.devPtr);
            resource.res.pitch2D.desc = channels_of(from.res.pitch2D.format, from.res.pitch2D.numChannels);
            resource.res.pitch2D.width = from.res.pitch2D.width;
            resource.res.pitch2D.height = from.res.pitch2D.height;
            resource.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
            break;
        default: fail(cudaErrorInvalidValue);
    }
    return resource;
}

/// True if reads of a texture give integers as fractions: the driver's default for integers of at most 16 bits.
bool reads_as_fractions(const CUDA_TEXTURE_DESC& texture, const cudaResourceDesc& resource) {
    constexpr int widest = 16;
    cudaChannelFormatDesc channels{};
    switch (resource.resType) {
        case cudaResourceTypeArray: channels = require_array(resource.res.array.array).description; break;
        case cudaResourceTypeMipmappedArray: channels = require_mipmapped(resource.res.mipmap.mipmap).description; break;
        case cudaResourceTypeLinear: channels = resource.res.linear.desc; break;
        default: channels = resource.res.pitch2D.desc; break;
    }
    return !(texture.flags & CU_TRSF_READ_AS_INTEGER) && channels.f != cudaChannelFormatKindFloat && channels.x <= widest;
}

cudaTextureDesc texture_of(const CUDA_TEXTURE_DESC& from, const cudaResourceDesc& resource) {
    cudaTextureDesc texture{};
    for (int i = 0; i < 3; ++i) texture.addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
    texture.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
    texture.readMode = reads_as_fractions(from, resource) ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    texture.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
    std::ranges::copy(from.borderColor, texture.borderColor);
    texture.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    texture.maxAnisotropy = from.maxAnisotropy;
    texture.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
    texture.mipmapLevelBias = from.mipmapLevelBias;
    texture.minMipmapLevelClamp = from.minMipmapLevelClamp;
    texture.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
    return texture;
}

}  // namespace

extern "C" {

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* description) {
    return driver_call([&] {
        require(array && description);
        return create(array, {description->Width, description->Height, 0, description->Format, description->NumChannels, 0});
    });
}

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description) {
    return driver_call([&] {
        require(array && description);
        return create(array, *description);
    });
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* description, CUarray array) {
    return driver_call([&] {
        require(description != nullptr);
        const CUDA_ARRAY3D_DESCRIPTOR whole = description_of(array);
        *description = {whole.Width, whole.Height, whole.Format, whole.NumChannels};
    });
}

SIMT_DRIVER_ANSWER(cuArray3DGetDescriptor, (CUDA_ARRAY3D_DESCRIPTOR * description, CUarray array), description, description_of(array))
SIMT_FORWARD(1, cuArrayDestroy, cudaFreeArray)

CUresult cuMipmappedArrayCreate(CUmipmappedArray* handle, const CUDA_ARRAY3D_DESCRIPTOR* description, unsigned levels) {
    return driver_call([&] {
        require(handle && description);
        const cudaChannelFormatDesc channels = channels_of(description->Format, description->NumChannels);
        cudaMipmappedArray_t array = nullptr;
        const cudaError_t error = cudaMallocMipmappedArray(&array, &channels, {description->Width, description->Height, description->Depth},
                                                           levels, description->Flags);
        *handle = reinterpret_cast<CUmipmappedArray>(array);
        return error;
    });
}

SIMT_FORWARD(1, cuMipmappedArrayDestroy, cudaFreeMipmappedArray)
SIMT_FORWARD(3, cuMipmappedArrayGetLevel, cudaGetMipmappedArrayLevel)

CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* texture,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
    return driver_call([&] {
        require(object && resource && texture);
        require(!view || view->format == CU_RES_VIEW_FORMAT_NONE, cudaErrorNotSupported);
        const cudaResourceDesc of_runtime = resource_of(*resource);
        const cudaTextureDesc sampling = texture_of(*texture, of_runtime);
        cudaTextureObject_t created = 0;
        const cudaError_t error = cudaCreateTextureObject(&created, &of_runtime, &sampling, nullptr);
        *object = created;
        return error;
    });
}

SIMT_FORWARD(1, cuTexObjectDestroy, cudaDestroyTextureObject)

CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
    return driver_call([&] {
        require(object && resource);
        const cudaResourceDesc of_runtime = resource_of(*resource);
        cudaSurfaceObject_t created = 0;
        const cudaError_t error = cudaCreateSurfaceObject(&created, &of_runtime);
        *object = created;
        return error;
    });
}

SIMT_FORWARD(1, cuSurfObjectDestroy, cudaDestroySurfaceObject)

}  // extern "C"
