// The tensor map that `cuTensorMapEncode…` makes: 128 bytes that describe a tensor in global memory to the engine that copies boxes
// of it. Programs may not look inside, so the layout is the model's own.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace simt::memory {

/// The numbers of all enumerations are those of the driver's `CUtensorMap…`.
struct alignas(64) TensorMap {
    static constexpr std::uint32_t right_magic = 0x7A5C'E4D1;
    static constexpr int most_dimensions = 5;

    enum class Type : std::uint8_t { u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, f32_ftz, tf32, tf32_ftz };
    enum class Swizzle : std::uint8_t {
        none,
        bytes_32,
        bytes_64,
        bytes_128,
        bytes_128_atom_32,
        bytes_128_atom_32_flip_8,
        bytes_128_atom_64
    };
    enum class Interleave : std::uint8_t { none, bytes_16, bytes_32 };
    enum class Fill : std::uint8_t { zeros, not_a_number };

    std::uint32_t magic = right_magic;
    Type type = Type::f32;
    std::uint8_t rank = 1;
    Swizzle swizzle = Swizzle::none;
    Interleave interleave = Interleave::none;
    Fill fill = Fill::zeros;
    /// Whether columns of pixels are copied (`im2col`) instead of boxes.
    std::uint8_t columns = 0;
    std::uint64_t address = 0;
    /// The stride of dimension i + 1 in bytes; elements of dimension 0 are contiguous.
    std::array<std::uint64_t, 4> strides{};
    /// Elements along each dimension, less 1.
    std::array<std::uint32_t, 5> last{};
    std::array<std::uint16_t, 5> box{};
    std::array<std::uint8_t, 5> element_strides{};
    /// For columns: the corners of the box that pixels are taken from, and the channels and pixels of one copy.
    std::array<std::int16_t, 3> lower{}, upper{};
    std::uint16_t channels = 0, pixels = 0;

    std::uint64_t extent(std::size_t dimension) const { return std::uint64_t{last[dimension]} + 1; }
    /// Whether cuTensorMapEncode… could have written it, addresses aside: kernels may write any bytes into a map.
    bool valid() const;
    /// Rows of elements of a box.
    std::uint64_t rows() const;
};

static_assert(sizeof(TensorMap) == 128);

/// Bytes of an element; 0 if the number names no type.
int element_bytes(TensorMap::Type type);
bool is_floating_point(TensorMap::Type type);
/// Bytes of the pattern within which a swizzle exchanges units of 16 bytes; 0 without a swizzle.
std::uint32_t span_of(TensorMap::Swizzle swizzle);

/// The arguments of `cuTensorMapEncodeTiled`. `strides` has one element less than `extents`.
struct TiledRequest {
    int type = 0;
    std::uint64_t address = 0;
    std::span<const std::uint64_t> extents, strides;
    std::span<const std::uint32_t> box, element_strides;
    int interleave = 0, swizzle = 0, fill = 0;
};

/// The arguments of `cuTensorMapEncodeIm2col`: corners for all dimensions but the first and the last.
struct ColumnsRequest {
    TiledRequest tensor;
    std::span<const int> lower, upper;
    std::uint32_t channels = 0, pixels = 0;
};

/// Fills `map`. Returns false where the driver would return CUDA_ERROR_INVALID_VALUE, and leaves `map` as it is.
bool encode_tiled(const TiledRequest& request, TensorMap& map);
bool encode_columns(const ColumnsRequest& request, TensorMap& map);

}  // namespace simt::memory
