// CUDA arrays and mipmapped arrays.

#include "calls/runtime/arrays.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

/// A mipmapped array: one array of the device, with a handle for each level.
struct cudaMipmappedArray {
    cudaArray whole;
    std::vector<std::unique_ptr<cudaArray>> levels;
};

namespace simt::calls {

namespace {

struct LiveArrays {
    std::mutex mutex;
    std::set<const void*> arrays, mipmapped;
};

LiveArrays& live_arrays() {
    static LiveArrays& instance = *new LiveArrays;
    return instance;
}

ChannelFormat::Kind kind_of(cudaChannelFormatKind kind) {
    switch (kind) {
        case cudaChannelFormatKindSigned: return ChannelFormat::Kind::signed_integer;
        case cudaChannelFormatKindUnsigned: return ChannelFormat::Kind::unsigned_integer;
        case cudaChannelFormatKindFloat: return ChannelFormat::Kind::floating_point;
        default: fail(cudaErrorInvalidChannelDescriptor);
    }
}

ArrayShape shape_of(const cudaChannelFormatDesc& description, const cudaExtent& extent, unsigned flags, int levels) {
    ArrayShape shape;
    shape.format = format_of(description);
    require(extent.width != 0);
    shape.width = extent.width;
    shape.height = extent.height;
    shape.depth = extent.depth;
    shape.layered = (flags & cudaArrayLayered) != 0;
    shape.cubemap = (flags & cudaArrayCubemap) != 0;
    shape.surface = (flags & cudaArraySurfaceLoadStore) != 0;
    shape.gather = (flags & cudaArrayTextureGather) != 0;
    shape.levels = levels;
    constexpr std::size_t faces = 6;
    if (shape.cubemap)
        require(shape.width == shape.height && shape.depth != 0 && shape.depth % faces == 0 && (shape.layered || shape.depth == faces));
    return shape;
}

cudaArray make_array(const cudaChannelFormatDesc* description, const cudaExtent& extent, unsigned flags, int levels = 1) {
    require(description != nullptr);
    constexpr unsigned known = cudaArrayLayered | cudaArrayCubemap | cudaArraySurfaceLoadStore | cudaArrayTextureGather;
    require((flags & ~known) == 0, cudaErrorNotSupported);
    cudaArray array;
    array.shape = shape_of(*description, extent, flags, levels);
    array.number = current_device().create_array(array.shape);
    array.device = thread_state().device;
    array.flags = flags;
    array.description = *description;
    return array;
}

/// The shape of a level. Layers and missing dimensions do not shrink.
ArrayShape shape_of_level(ArrayShape shape, int level) {
    const auto shrunk = [level](std::size_t side) { return side == 0 ? 0 : std::max<std::size_t>(1, side >> level); };
    shape.width = shrunk(shape.width);
    shape.height = shrunk(shape.height);
    if (!shape.layered && !shape.cubemap) shape.depth = shrunk(shape.depth);
    return shape;
}

cudaError_t new_array(cudaArray_t* handle, const cudaChannelFormatDesc* description, const cudaExtent& extent, unsigned flags) {
    return call([&] {
        require(handle != nullptr);
        auto array = std::make_unique<cudaArray>(make_array(description, extent, flags));
        const std::scoped_lock lock(live_arrays().mutex);
        live_arrays().arrays.insert(array.get());
        *handle = array.release();
    });
}

}  // namespace

ChannelFormat format_of(const cudaChannelFormatDesc& description) {
    ChannelFormat format;
    format.kind = kind_of(description.f);
    format.bits = {description.x, description.y, description.z, description.w};
    require(format.is_valid(), cudaErrorInvalidChannelDescriptor);
    return format;
}

const cudaArray& require_array(cudaArray_const_t handle) {
    const std::scoped_lock lock(live_arrays().mutex);
    require(live_arrays().arrays.contains(handle), cudaErrorInvalidResourceHandle);
    return *handle;
}

const cudaArray& require_mipmapped(cudaMipmappedArray_const_t handle) {
    const std::scoped_lock lock(live_arrays().mutex);
    require(live_arrays().mipmapped.contains(handle), cudaErrorInvalidResourceHandle);
    return handle->whole;
}

}  // namespace simt::calls

using namespace simt::calls;

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) { return {x, y, z, w, kind}; }

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* description, std::size_t width, std::size_t height,
                            unsigned flags) {
    return new_array(array, description, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* description, cudaExtent extent, unsigned flags) {
    return new_array(array, description, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    return call([&] {
        if (!array) return;
        const cudaArray& freed = require_array(array);
        require(freed.whole == nullptr, cudaErrorInvalidResourceHandle);
        simt::device(freed.device).destroy_array(freed.number);
        const std::scoped_lock lock(live_arrays().mutex);
        live_arrays().arrays.erase(array);
        delete array;
    });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* handle, const cudaChannelFormatDesc* description, cudaExtent extent,
                                     unsigned levels, unsigned flags) {
    return call([&] {
        require(handle && levels > 0);
        const bool has_depth = !(flags & static_cast<unsigned>(cudaArrayLayered | cudaArrayCubemap));
        const auto most = static_cast<unsigned>(std::bit_width(std::max({extent.width, extent.height, has_depth ? extent.depth : 0})));
        const int count = static_cast<int>(std::min(levels, most));
        auto array = std::make_unique<cudaMipmappedArray>(make_array(description, extent, flags, count));
        for (int level = 0; level < count; ++level) {
            cudaArray part = array->whole;
            part.shape = shape_of_level(array->whole.shape, level);
            part.level = level;
            part.whole = array.get();
            array->levels.push_back(std::make_unique<cudaArray>(part));
        }
        const std::scoped_lock lock(live_arrays().mutex);
        for (const auto& level : array->levels) live_arrays().arrays.insert(level.get());
        live_arrays().mipmapped.insert(array.get());
        *handle = array.release();
    });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t handle) {
    return call([&] {
        if (!handle) return;
        const cudaArray& whole = require_mipmapped(handle);
        simt::device(whole.device).destroy_array(whole.number);
        const std::scoped_lock lock(live_arrays().mutex);
        for (const auto& level : handle->levels) live_arrays().arrays.erase(level.get());
        live_arrays().mipmapped.erase(handle);
        delete handle;
    });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t handle, unsigned level) {
    return call([&] {
        require(array != nullptr);
        require_mipmapped(handle);
        require(level < handle->levels.size());
        *array = handle->levels[level].get();
    });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* description, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
    return call([&] {
        const cudaArray& asked = require_array(array);
        if (description) *description = asked.description;
        if (extent) *extent = {asked.shape.width, asked.shape.height, asked.shape.depth};
        if (flags) *flags = asked.flags;
    });
}

SIMT_ANSWER(cudaGetChannelDesc, (cudaChannelFormatDesc * description, cudaArray_const_t array), description,
            require_array(array).description)

}  // extern "C"
