// The common parts of instructions on textures and surfaces.
#pragma once

#include <array>
#include <memory>

#include "interpreter/decode/decoder.hpp"
#include "interpreter/schedule/launch.hpp"
#include "interpreter/textures/sampling.hpp"

namespace simt::interpreter::texture {

using memory::Geometry;

/// The geometry that a modifier names (`2d`, `a1d`, `cube`, …). Refuses an instruction without a known geometry.
Geometry geometry_of(Decoder& decoder, const ptx::Instruction& instruction);
/// The number of coordinates along x, y and z that a geometry takes.
int dimensions_of(Geometry geometry);
bool is_layered(Geometry geometry);

/// The positions of the coordinates in the list of operands; -1 for a coordinate that is absent.
struct CoordinateOperands {
    int layer = -1;
    int first = 0;
    int count = 1;
};

/// Adds the handle and the coordinates of `[handle, {…}]`.
/// @param handle gets the place of the handle
CoordinateOperands add_coordinates(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out,
                                   const ptx::Operand& operand, Geometry geometry, ptx::Type type, int& handle);

/// Finds the objects of the lanes' handles. Keeps the last object until a lane has another handle.
class Lookup {
public:
    Lookup(Warp& warp, const DecodedInstruction& instruction, int handle_operand, bool surface)
        : warp_(warp), instruction_(instruction), handle_(handle_operand), surface_(surface) {}
    /// @throws LaunchStopped if there is no such object
    const memory::Texture& at(std::size_t lane);
    /// The host's pointer to the object's linear memory; null for an array.
    const unsigned char* linear() const { return linear_; }

private:
    Warp& warp_;
    const DecodedInstruction& instruction_;
    int handle_;
    bool surface_;
    std::uint64_t known_ = 0;
    std::shared_ptr<const memory::Texture> texture_;
    const unsigned char* linear_ = nullptr;
};

/// The number of adjacent lanes in a request of most textures (measured on an H200: tests/hardware/h200_features.json).
inline constexpr int lanes_of_fetch = 4;

/// Sets up `warp.access` for textures; the caller fills in the addresses and counts it. `request_lanes` adjacent lanes make a request.
void begin_access(Warp& warp, const DecodedInstruction& instruction, Operation operation, int bytes, int request_lanes);

/// Writes a texel of a format: integers that do not fit become the nearest that does, and floats are truncated.
void encode_texel(const ChannelFormat& format, const std::array<std::uint32_t, 4>& values, unsigned char* to);

}  // namespace simt::interpreter::texture
