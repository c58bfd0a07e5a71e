// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// CUDA arrays, and the objects through which kernels read and write them.
#pragma once

#include <cstdint>

#include "runtime/device.hpp"

namespace simt::memory {

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

private:
    Textures() = default;
};

}  // namespace simt::memory
