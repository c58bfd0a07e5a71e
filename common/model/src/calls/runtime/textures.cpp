// Texture and surface objects.

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "calls/runtime/arrays.hpp"
#include "calls/runtime/memory.hpp"

namespace simt::calls {

namespace {

/// The descriptions of an object, which a program may query.
struct TextureObject {
    cudaResourceDesc resource{};
    cudaTextureDesc texture{};
    std::optional<cudaResourceViewDesc> view;
    int device = 0;
};

struct LiveTextures {
    std::mutex mutex;
    std::map<std::uint64_t, TextureObject> textures, surfaces;
};

LiveTextures& live_textures() {
    static LiveTextures& instance = *new LiveTextures;
    return instance;
}

void set_resource(TextureRequest& request, const cudaResourceDesc& resource) {
    switch (resource.resType) {
        case cudaResourceTypeArray: {
            const cudaArray& array = require_array(resource.res.array.array);
            request.array = array.number;
            request.format = array.shape.format;
            request.min_level = request.max_level = static_cast<float>(array.level);
            request.mipmapped = array.level != 0;
            break;
        }
        case cudaResourceTypeMipmappedArray: {
            const cudaArray& whole = require_mipmapped(resource.res.mipmap.mipmap);
            request.array = whole.number;
            request.format = whole.shape.format;
            request.mipmapped = true;
            break;
        }
        case cudaResourceTypeLinear:
            request.resource = TextureRequest::Resource::linear;
            request.address = address_of(resource.res.linear.devPtr);
            request.bytes = resource.res.linear.sizeInBytes;
            request.format = format_of(resource.res.linear.desc);
            request.width = request.bytes / static_cast<std::size_t>(std::max(1, request.format.bytes()));
            require(on_device(resource.res.linear.devPtr, request.bytes));
            break;
        case cudaResourceTypePitch2D:
            request.resource = TextureRequest::Resource::pitched;
            request.address = address_of(resource.res.pitch2D.devPtr);
            request.width = resource.res.pitch2D.width;
            request.height = resource.res.pitch2D.height;
            request.pitch = resource.res.pitch2D.pitchInBytes;
            request.format = format_of(resource.res.pitch2D.desc);
            request.bytes = request.bytes_of_texels();
            require(request.width != 0 && request.height != 0 && request.pitch % 32 == 0);
            require(on_device(resource.res.pitch2D.devPtr, request.bytes));
            break;
        default: fail(cudaErrorInvalidValue);
    }
}

TextureRequest::Address address_mode(cudaTextureAddressMode mode) {
    switch (mode) {
        case cudaAddressModeWrap: return TextureRequest::Address::wrap;
        case cudaAddressModeMirror: return TextureRequest::Address::mirror;
        case cudaAddressModeBorder: return TextureRequest::Address::border;
        default: return TextureRequest::Address::clamp;
    }
}

TextureRequest::Filter filter_mode(cudaTextureFilterMode mode) {
    return mode == cudaFilterModeLinear ? TextureRequest::Filter::linear : TextureRequest::Filter::point;
}

void set_sampling(TextureRequest& request, const cudaTextureDesc& texture) {
    for (std::size_t i = 0; i < request.address_mode.size(); ++i) {
        request.address_mode[i] = address_mode(texture.addressMode[i]);
        // Only normalized coordinates can repeat.
        const bool repeats = texture.addressMode[i] == cudaAddressModeWrap || texture.addressMode[i] == cudaAddressModeMirror;
        if (repeats && !texture.normalizedCoords) request.address_mode[i] = TextureRequest::Address::clamp;
    }
    request.filter = filter_mode(texture.filterMode);
    request.mipmap_filter = filter_mode(texture.mipmapFilterMode);
    request.normalized_coordinates = texture.normalizedCoords != 0;
    request.srgb = texture.sRGB != 0;
    std::ranges::copy(texture.borderColor, request.border.begin());
    const bool is_float = request.format.kind == ChannelFormat::Kind::floating_point;
    request.read_as_normalized_float = texture.readMode == cudaReadModeNormalizedFloat && !is_float;
    constexpr int widest_normalized = 16;
    require(!request.read_as_normalized_float || request.format.bits[0] <= widest_normalized, cudaErrorInvalidNormSetting);
    require(request.filter == TextureRequest::Filter::point || is_float || request.read_as_normalized_float, cudaErrorInvalidFilterSetting);
}

/// Sets the levels that are sampled: all of a mipmapped array, or the one that the program gave.
void set_levels(TextureRequest& request, const cudaResourceDesc& resource, const cudaTextureDesc& texture) {
    request.mipmap_bias = texture.mipmapLevelBias;
    if (resource.resType != cudaResourceTypeMipmappedArray) return;
    request.min_level = texture.minMipmapLevelClamp;
    request.max_level = texture.maxMipmapLevelClamp;
}

/// Reads the description of a live object.
template <class Objects, class Body> cudaError_t with_object(Objects LiveTextures::* objects, std::uint64_t handle, const Body& body) {
    return call([&] {
        const std::scoped_lock lock(live_textures().mutex);
        const auto found = (live_textures().*objects).find(handle);
        require(found != (live_textures().*objects).end());
        body(found->second);
    });
}

template <class Objects> cudaError_t destroy(Objects LiveTextures::* objects, std::uint64_t handle) {
    return call([&] {
        if (handle == 0) return;
        const std::scoped_lock lock(live_textures().mutex);
        const auto found = (live_textures().*objects).find(handle);
        require(found != (live_textures().*objects).end());
        device(found->second.device).destroy_texture(handle);
        (live_textures().*objects).erase(found);
    });
}

}  // namespace

}  // namespace simt::calls

using namespace simt::calls;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* handle, const cudaResourceDesc* resource, const cudaTextureDesc* texture,
                                    const cudaResourceViewDesc* view) {
    return call([&] {
        require(handle && resource && texture);
        require(!view || view->format == cudaResViewFormatNone, cudaErrorNotSupported);
        simt::TextureRequest request;
        set_resource(request, *resource);
        set_sampling(request, *texture);
        set_levels(request, *resource, *texture);
        *handle = current_device().create_texture(request);
        const std::scoped_lock lock(live_textures().mutex);
        live_textures().textures[*handle] = {*resource, *texture, view ? std::optional(*view) : std::nullopt, thread_state().device};
    });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) { return destroy(&LiveTextures::textures, handle); }

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t handle) {
    return with_object(&LiveTextures::textures, handle, [&](const TextureObject& object) { *resource = object.resource; });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t handle) {
    return with_object(&LiveTextures::textures, handle, [&](const TextureObject& object) { *texture = object.texture; });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view, cudaTextureObject_t handle) {
    return with_object(&LiveTextures::textures, handle, [&](const TextureObject& object) {
        require(object.view.has_value());
        *view = *object.view;
    });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* handle, const cudaResourceDesc* resource) {
    return call([&] {
        require(handle && resource && resource->resType == cudaResourceTypeArray);
        const cudaArray& array = require_array(resource->res.array.array);
        // Levels of a mipmapped array can be written to, whatever its flags.
        require(array.shape.surface || array.whole);
        simt::TextureRequest request;
        set_resource(request, *resource);
        request.surface = true;
        *handle = current_device().create_texture(request);
        const std::scoped_lock lock(live_textures().mutex);
        live_textures().surfaces[*handle] = {*resource, {}, std::nullopt, thread_state().device};
    });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) { return destroy(&LiveTextures::surfaces, handle); }

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t handle) {
    return with_object(&LiveTextures::surfaces, handle, [&](const TextureObject& object) { *resource = object.resource; });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, const cudaChannelFormatDesc* description, int device) {
    return call([&] {
        require(texels && description);
        require_device(device);
        *texels = std::size_t{1} << 28;
    });
}

}  // extern "C"
