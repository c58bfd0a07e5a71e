// CUDA arrays, and the objects through which kernels read and write them.
//
// A GPU's layout of an array is not documented. In the model, texels lie row by row, slice by slice, level by level.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "device/device.hpp"

namespace simt::memory {

/// One level of an array. Extents are 1 where the array has no such dimension.
struct Level { std::size_t width = 1, height = 1, depth = 1, offset = 0; };

struct Array {
    ArrayShape shape;
    std::vector<Level> levels;
    std::vector<unsigned char> bytes;

    std::size_t texel_bytes() const { return static_cast<std::size_t>(shape.format.bytes()); }
    /// The offset of a texel in `bytes`.
    std::size_t place(const Level& level, std::size_t x_bytes, std::size_t y, std::size_t z) const {
        return level.offset + (z * level.height + y) * level.width * texel_bytes() + x_bytes;
    }
};

/// A texture or surface object. It keeps its array alive.
struct Texture {
    TextureRequest request;
    std::shared_ptr<Array> array;
};

/// All arrays, textures and surfaces of the process, by handle. Safe to use from several host threads.
class Textures {
public:
    static Textures& instance();

    int create_array(const ArrayShape& shape);
    bool destroy_array(int array);
    void copy_to(int array, const ArrayBox& box, const void* from, std::size_t pitch, std::size_t slice_pitch);
    void copy_from(int array, const ArrayBox& box, void* to, std::size_t pitch, std::size_t slice_pitch);
    std::uint64_t create_texture(const TextureRequest& request);
    bool destroy_texture(std::uint64_t handle);
    /// Null if there is no such object.
    std::shared_ptr<const Texture> find(std::uint64_t handle) const;

private:
    Textures() = default;
    std::shared_ptr<Array> array(int number) const;

    mutable std::shared_mutex mutex_;
    std::map<int, std::shared_ptr<Array>> arrays_;
    std::map<std::uint64_t, std::shared_ptr<const Texture>> textures_;
    int next_array_ = 1;
    std::uint64_t next_texture_ = 1;
};

}  // namespace simt::memory
