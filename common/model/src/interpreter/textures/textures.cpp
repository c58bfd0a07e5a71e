#include "interpreter/textures/textures.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "device/bounds.hpp"

namespace simt::memory {

namespace {

constexpr int error_invalid_value = 1, error_out_of_memory = 2;

/// Calls `copy(in the array, in linear memory)` for each row of a box.
template <class Copy> void each_row(Array& array, const ArrayBox& box, std::size_t pitch, std::size_t slice_pitch, Copy&& copy) {
    if (box.level < 0 || static_cast<std::size_t>(box.level) >= array.levels.size())
        throw DeviceError(error_invalid_value, {MessageCode::no_such_level, {{"level", box.level}, {"levels", array.levels.size()}}});
    const Level& level = array.levels[static_cast<std::size_t>(box.level)];
    if (!has_room(level.width * array.texel_bytes(), box.x_bytes, box.width_bytes) || !has_room(level.height, box.y, box.height) ||
        !has_room(level.depth, box.z, box.depth))
        throw DeviceError(error_invalid_value,
                          {MessageCode::box_outside_array, {{"width", box.width_bytes}, {"height", box.height}, {"depth", box.depth}}});
    if (box.width_bytes == 0) return;  // nothing may be copied from or to a null pointer
    for (std::size_t z = 0; z < box.depth; ++z)
        for (std::size_t y = 0; y < box.height; ++y)
            copy(array.bytes.data() + array.place(level, box.x_bytes, box.y + y, box.z + z), z * slice_pitch + y * pitch);
}

}  // namespace

Textures& Textures::instance() {
    static Textures& textures = *new Textures;
    return textures;
}

int Textures::create_array(const ArrayShape& shape) {
    auto array = std::make_shared<Array>();
    array->shape = shape;
    std::size_t bytes = 0;
    for (int number = 0; number < std::max(shape.levels, 1); ++number) {
        const auto shrunk = [number](std::size_t side) { return std::max<std::size_t>(side >> number, 1); };
        Level level{shrunk(shape.width), shrunk(shape.height), shrunk(shape.depth), bytes};
        if (shape.layered || shape.cubemap) level.depth = std::max<std::size_t>(shape.depth, 1);
        bytes += level.width * level.height * level.depth * array->texel_bytes();
        array->levels.push_back(level);
    }
    try {
        array->bytes.resize(bytes, 0xCD);
    } catch (const std::exception&) {
        throw DeviceError(error_out_of_memory, {MessageCode::no_memory_for_array, {{"bytes", bytes}}});
    }
    const std::scoped_lock lock(mutex_);
    arrays_[next_array_] = std::move(array);
    return next_array_++;
}

bool Textures::destroy_array(int array) {
    const std::scoped_lock lock(mutex_);
    return arrays_.erase(array) > 0;
}

std::shared_ptr<Array> Textures::array(int number) const {
    const std::shared_lock lock(mutex_);
    const auto found = arrays_.find(number);
    if (found == arrays_.end())
        throw DeviceError(error_invalid_value, {MessageCode::no_such_number, {{"object", "array"}, {"number", number}}});
    return found->second;
}

void Textures::copy_to(int number, const ArrayBox& box, const void* from, std::size_t pitch, std::size_t slice_pitch) {
    const auto to = array(number);
    each_row(*to, box, pitch, slice_pitch, [&](unsigned char* texels, std::size_t offset) {
        std::memcpy(texels, static_cast<const unsigned char*>(from) + offset, box.width_bytes);
    });
}

void Textures::copy_from(int number, const ArrayBox& box, void* to, std::size_t pitch, std::size_t slice_pitch) {
    const auto from = array(number);
    each_row(*from, box, pitch, slice_pitch, [&](const unsigned char* texels, std::size_t offset) {
        std::memcpy(static_cast<unsigned char*>(to) + offset, texels, box.width_bytes);
    });
}

std::uint64_t Textures::create_texture(const TextureRequest& request) {
    auto texture = std::make_shared<Texture>();
    texture->request = request;
    if (request.resource == TextureRequest::Resource::array) {
        texture->array = array(request.array);
        texture->request.format = texture->array->shape.format;
        const float last = static_cast<float>(texture->array->levels.size() - 1);
        for (float* level : {&texture->request.min_level, &texture->request.max_level})
            *level = *level > 0 ? std::min(*level, last) : 0;  // 0 for NaN, too
    }
    const std::scoped_lock lock(mutex_);
    textures_[next_texture_] = std::move(texture);
    return next_texture_++;
}

bool Textures::destroy_texture(std::uint64_t handle) {
    const std::scoped_lock lock(mutex_);
    return textures_.erase(handle) > 0;
}

std::shared_ptr<const Texture> Textures::find(std::uint64_t handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = textures_.find(handle);
    return found == textures_.end() ? nullptr : found->second;
}

}  // namespace simt::memory
