// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "memory/textures.hpp"

namespace simt::memory {

namespace {
constexpr int error_not_supported = 801;
}

Textures& Textures::instance()
{
    static Textures& textures = *new Textures;
    return textures;
}

int Textures::create_array(const ArrayShape&) { throw DeviceError(error_not_supported, "CUDA arrays are not supported"); }
bool Textures::destroy_array(int) { return false; }
void Textures::copy_to(int, const ArrayBox&, const void*, std::size_t, std::size_t) {}
void Textures::copy_from(int, const ArrayBox&, void*, std::size_t, std::size_t) {}
std::uint64_t Textures::create_texture(const TextureRequest&) { throw DeviceError(error_not_supported, "textures are not supported"); }
bool Textures::destroy_texture(std::uint64_t) { return false; }

}  // namespace simt::memory
