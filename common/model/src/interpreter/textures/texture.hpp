// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What instructions on textures and surfaces have in common.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "interpreter/decode/decoder.hpp"
#include "interpreter/schedule/launch.hpp"
#include "interpreter/textures/sampling.hpp"

namespace simt::interpreter::texture {

using memory::Geometry;

/// The geometry that a modifier names (`2d`, `a1d`, `cube`, …). Refuses an instruction without one that is known.
Geometry geometry_of(Decoder& decoder, const ptx::Instruction& instruction);
/// Coordinates along x, y and z that a geometry takes.
int dimensions_of(Geometry geometry);
bool is_layered(Geometry geometry);

/// Where the coordinates stand in the list of operands; -1 where there is none.
struct CoordinateOperands {
    int layer = -1;
    int first = 0;
    int count = 1;
};

/// Adds the handle and the coordinates of `[handle, {…}]`.
/// @param handle gets the place of the handle
CoordinateOperands add_coordinates(Decoder& decoder, const ptx::Instruction& instruction, Instruction& out, const ptx::Operand& operand,
                                   Geometry geometry, ptx::Type type, int& handle);

/// What a lane's handle stands for; it stays until another handle is asked for.
class Lookup {
public:
    Lookup(Warp& warp, const Instruction& instruction, int handle_operand, bool surface)
        : warp_(warp), instruction_(instruction), handle_(handle_operand), surface_(surface)
    {}
    /// @throws LaunchStopped if there is no such object
    const memory::Texture& at(std::size_t lane);
    /// Where the object's linear memory is; null for an array.
    const unsigned char* linear() const { return linear_; }

private:
    Warp& warp_;
    const Instruction& instruction_;
    int handle_;
    bool surface_;
    std::uint64_t known_ = 0;
    std::shared_ptr<const memory::Texture> texture_;
    const unsigned char* linear_ = nullptr;
};

/// Lanes, side by side, that make a request of most textures (measured on an H200: tests/hardware/h200_features.json).
inline constexpr int lanes_of_fetch = 4;

/// Begins an access of textures, to be given addresses and counted. `request_lanes` lanes, side by side, make a request.
void begin_access(Warp& warp, const Instruction& instruction, Operation operation, int bytes, int request_lanes);

/// Writes a texel of a format: integers that do not fit become the nearest that does, and floats are cut.
void encode_texel(const ChannelFormat& format, const std::array<std::uint32_t, 4>& values, unsigned char* to);

}  // namespace simt::interpreter::texture
