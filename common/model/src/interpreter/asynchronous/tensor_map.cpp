#include "interpreter/asynchronous/tensor_map.hpp"

#include <algorithm>

namespace simt::memory {

namespace {

constexpr int types = 13, swizzles = 7, interleaves = 3, fills = 2;
constexpr std::uint64_t most_extent = std::uint64_t{1} << 32, most_stride = std::uint64_t{1} << 40;
constexpr std::uint32_t most_box = 256, most_element_stride = 8, most_channels = 256, most_pixels = 1024;

bool is_in(int number, int count) { return number >= 0 && number < count; }

/// Encodes the common parts of tiles and columns.
bool encode_tensor(const TiledRequest& request, TensorMap& map) {
    const std::size_t rank = request.extents.size();
    if (!is_in(request.type, types) || !is_in(request.swizzle, swizzles) || !is_in(request.interleave, interleaves) ||
        !is_in(request.fill, fills))
        return false;
    map.type = static_cast<TensorMap::Type>(request.type);
    map.swizzle = static_cast<TensorMap::Swizzle>(request.swizzle);
    map.interleave = static_cast<TensorMap::Interleave>(request.interleave);
    map.fill = static_cast<TensorMap::Fill>(request.fill);
    if (rank < 1 || rank > TensorMap::most_dimensions || request.strides.size() != rank - 1 || request.element_strides.size() != rank)
        return false;
    if (map.interleave != TensorMap::Interleave::none && rank < 3) return false;
    if (map.fill == TensorMap::Fill::not_a_number && !is_floating_point(map.type)) return false;
    if (map.interleave == TensorMap::Interleave::bytes_32 && map.swizzle != TensorMap::Swizzle::bytes_32) return false;
    const std::uint64_t unit = map.interleave == TensorMap::Interleave::bytes_32 ? 32 : 16;
    if (request.address == 0 || request.address % unit != 0) return false;
    map.rank = static_cast<std::uint8_t>(rank);
    map.address = request.address;
    for (std::size_t i = 0; i < rank; ++i) {
        if (request.extents[i] < 1 || request.extents[i] > most_extent) return false;
        if (request.element_strides[i] < 1 || request.element_strides[i] > most_element_stride) return false;
        map.last[i] = static_cast<std::uint32_t>(request.extents[i] - 1);
        map.element_strides[i] = static_cast<std::uint8_t>(request.element_strides[i]);
        if (i == 0) continue;
        if (request.strides[i - 1] % unit != 0 || request.strides[i - 1] >= most_stride) return false;
        map.strides[i - 1] = request.strides[i - 1];
    }
    return true;
}

bool inner_bytes_fit(const TensorMap& map, std::uint64_t elements) {
    const std::uint64_t bytes = elements * static_cast<std::uint64_t>(element_bytes(map.type));
    if (map.interleave != TensorMap::Interleave::none) return true;
    return bytes % 16 == 0 && (map.swizzle == TensorMap::Swizzle::none || bytes <= span_of(map.swizzle));
}

bool is_between(std::uint32_t number, std::uint32_t least, std::uint32_t most) { return number >= least && number <= most; }

}  // namespace

bool TensorMap::valid() const {
    const bool has_names = is_in(static_cast<int>(type), types) && is_in(static_cast<int>(swizzle), swizzles) &&
                           is_in(static_cast<int>(interleave), interleaves) && is_in(static_cast<int>(fill), fills) && columns <= 1;
    if (magic != right_magic || !has_names || !is_between(rank, 1, most_dimensions)) return false;
    for (std::size_t i = 0; i < rank; ++i)
        if (!is_between(element_strides[i], 1, most_element_stride) || (!columns && !is_between(box[i], 1, most_box))) return false;
    if (!columns) return inner_bytes_fit(*this, box[0]);
    return rank >= 3 && is_between(channels, 1, most_channels) && is_between(pixels, 1, most_pixels) && inner_bytes_fit(*this, channels);
}

std::uint64_t TensorMap::rows() const {
    if (columns) return pixels;
    std::uint64_t rows = 1;
    for (std::size_t i = 1; i < rank; ++i) rows *= (box[i] + element_strides[i] - 1u) / element_strides[i];
    return rows;
}

std::uint32_t span_of(TensorMap::Swizzle swizzle) {
    switch (swizzle) {
        case TensorMap::Swizzle::none: return 0;
        case TensorMap::Swizzle::bytes_32: return 32;
        case TensorMap::Swizzle::bytes_64: return 64;
        default: return 128;
    }
}

int element_bytes(TensorMap::Type type) {
    using Type = TensorMap::Type;
    switch (type) {
        case Type::u8: return 1;
        case Type::u16:
        case Type::f16:
        case Type::bf16: return 2;
        case Type::u32:
        case Type::s32:
        case Type::f32:
        case Type::f32_ftz:
        case Type::tf32:
        case Type::tf32_ftz: return 4;
        case Type::u64:
        case Type::s64:
        case Type::f64: return 8;
    }
    return 0;
}

bool is_floating_point(TensorMap::Type type) { return type >= TensorMap::Type::f16; }

bool encode_tiled(const TiledRequest& request, TensorMap& map) {
    TensorMap made;
    if (!encode_tensor(request, made) || request.box.size() != request.extents.size()) return false;
    if (std::ranges::any_of(request.box, [](std::uint32_t elements) { return elements < 1 || elements > most_box; })) return false;
    std::ranges::transform(request.box, made.box.begin(), [](std::uint32_t elements) { return static_cast<std::uint16_t>(elements); });
    if (!inner_bytes_fit(made, made.box[0])) return false;
    map = made;
    return true;
}

bool encode_columns(const ColumnsRequest& request, TensorMap& map) {
    TensorMap made;
    const std::size_t rank = request.tensor.extents.size();
    if (rank < 3 || !encode_tensor(request.tensor, made) || request.lower.size() != rank - 2 || request.upper.size() != rank - 2)
        return false;
    if (request.channels < 1 || request.channels > most_channels || request.pixels < 1 || request.pixels > most_pixels) return false;
    made.columns = 1;
    made.channels = static_cast<std::uint16_t>(request.channels);
    made.pixels = static_cast<std::uint16_t>(request.pixels);
    const int most = rank == 3 ? 1 << 15 : rank == 4 ? 1 << 7 : 1 << 4;
    for (std::size_t i = 0; i < rank - 2; ++i) {
        for (const int corner : {request.lower[i], request.upper[i]})
            if (corner < -most || corner >= most) return false;
        made.lower[i] = static_cast<std::int16_t>(request.lower[i]);
        made.upper[i] = static_cast<std::int16_t>(request.upper[i]);
    }
    if (!inner_bytes_fit(made, made.channels)) return false;
    map = made;
    return true;
}

}  // namespace simt::memory
