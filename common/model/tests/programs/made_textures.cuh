// Helpers of programs with textures: arrays, texture objects, and comparisons.
#pragma once

#include <cmath>
#include <cstdio>
#include <vector>

inline int errors = 0;

inline void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    ++errors;
}

inline void expect(const char* what, int i, float got, float wanted, float tolerance = 0) {
    if (std::fabs(got - wanted) <= tolerance || ++errors > 40) return;
    std::printf("%s, value %d: %g, and not %g\n", what, i, got, wanted);
}

inline void expect(const char* what, const std::vector<float>& got, const std::vector<float>& wanted, float tolerance = 0) {
    for (std::size_t i = 0; i < wanted.size(); ++i) expect(what, static_cast<int>(i), got.at(i), wanted[i], tolerance);
}

/// An array that is filled with `value(x, y, z)`.
template <class T, class Value> cudaArray_t make_array(cudaExtent extent, unsigned flags, Value&& value) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    check(cudaMalloc3DArray(&array, &format, extent, flags), "cudaMalloc3DArray");
    const std::size_t height = extent.height ? extent.height : 1, depth = extent.depth ? extent.depth : 1;
    std::vector<T> texels;
    for (std::size_t z = 0; z < depth; ++z)
        for (std::size_t y = 0; y < height; ++y)
            for (std::size_t x = 0; x < extent.width; ++x) texels.push_back(value(x, y, z));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), extent.width * sizeof(T), extent.width, height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, height, depth);
    copy.kind = cudaMemcpyHostToDevice;
    check(cudaMemcpy3D(&copy), "cudaMemcpy3D");
    return array;
}

struct Settings {
    cudaTextureFilterMode filter = cudaFilterModePoint;
    cudaTextureAddressMode mode = cudaAddressModeClamp;
    bool normalized = false;
    cudaTextureReadMode read = cudaReadModeElementType;
    bool srgb = false;
    cudaTextureFilterMode mipmap_filter = cudaFilterModePoint;
};

inline cudaTextureObject_t make_texture(const cudaResourceDesc& resource, const Settings& settings) {
    cudaTextureDesc description{};
    for (cudaTextureAddressMode& mode : description.addressMode) mode = settings.mode;
    description.filterMode = settings.filter;
    description.readMode = settings.read;
    description.normalizedCoords = settings.normalized;
    description.sRGB = settings.srgb;
    description.borderColor[0] = 99;
    description.mipmapFilterMode = settings.mipmap_filter;
    description.maxMipmapLevelClamp = 10;
    cudaTextureObject_t texture = 0;
    check(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "cudaCreateTextureObject");
    return texture;
}

inline cudaTextureObject_t make_texture(cudaArray_t array, const Settings& settings) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return make_texture(resource, settings);
}
