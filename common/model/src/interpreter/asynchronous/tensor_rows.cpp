#include "interpreter/asynchronous/tensor_rows.hpp"

#include <algorithm>
#include <cstring>

#include "device/bounds.hpp"

namespace simt::interpreter {

namespace {

using memory::TensorMap;

constexpr std::uint32_t unit = 16;

/// The value of elements outside the tensor. In 16 bits it is the NaN for which `fma.oob` gives 0.
std::uint64_t not_a_number(TensorMap::Type type) {
    switch (type) {
        case TensorMap::Type::f16:
        case TensorMap::Type::bf16: return 0x7FF7;
        case TensorMap::Type::f64: return 0x7FFF'FFFF'FFFF'FFFF;
        default: return 0x7FFF'FFFF;
    }
}

TensorRows make_rows(const TensorMap& map, std::uint32_t elements) {
    TensorRows rows;
    rows.type = map.type;
    rows.swizzle = map.swizzle;
    rows.fill = map.fill;
    rows.row_bytes = elements * static_cast<std::uint32_t>(memory::element_bytes(map.type));
    rows.pitch = std::max(rows.row_bytes, memory::span_of(map.swizzle));
    return rows;
}

/// A row of `elements` elements from `position` on.
TensorRows::Row make_row(const TensorMap& map, const std::array<std::int64_t, 5>& position, std::int64_t elements) {
    const auto size = static_cast<std::int64_t>(memory::element_bytes(map.type));
    const auto extent = static_cast<std::int64_t>(map.extent(0));
    const std::int64_t first = std::max<std::int64_t>(position[0], 0), last = std::min(position[0] + elements, extent);
    if (first >= last) return {};
    std::uint64_t address = map.address + static_cast<std::uint64_t>(first * size);
    for (std::size_t i = 1; i < map.rank; ++i) {
        if (position[i] < 0 || position[i] >= static_cast<std::int64_t>(map.extent(i))) return {};
        address += static_cast<std::uint64_t>(position[i]) * map.strides[i - 1];
    }
    return {static_cast<std::uint32_t>((first - position[0]) * size), static_cast<std::uint32_t>((last - first) * size), address, {}};
}

void fill_row(const TensorRows& rows, std::span<unsigned char> to) {
    std::ranges::fill(to, 0);
    if (rows.fill == TensorMap::Fill::zeros) return;
    const auto size = static_cast<std::uint32_t>(memory::element_bytes(rows.type));
    const std::uint64_t value = not_a_number(rows.type);
    for (std::uint32_t at = 0; at < to.size(); at += size) std::memcpy(part(to, at, size).data(), &value, size);
}

}  // namespace

std::uint64_t swizzled(std::uint64_t offset, TensorMap::Swizzle swizzle) {
    switch (swizzle) {
        case TensorMap::Swizzle::bytes_32: return offset ^ (offset >> 7 & 1) << 4;
        case TensorMap::Swizzle::bytes_64: return offset ^ (offset >> 7 & 3) << 4;
        case TensorMap::Swizzle::bytes_128: return offset ^ (offset >> 7 & 7) << 4;
        case TensorMap::Swizzle::bytes_128_atom_32: return offset ^ (offset >> 7 & 3) << 5;
        case TensorMap::Swizzle::bytes_128_atom_64: return offset ^ (offset >> 7 & 1) << 6;
        default: return offset;
    }
}

void TensorRows::copy_to_shared(std::span<unsigned char> shared, std::uint64_t offset) const {
    std::vector<unsigned char> kept(row_bytes);
    const std::span<unsigned char> bytes(kept);
    for (const Row& row : rows) {
        if (row.bytes != row_bytes) fill_row(*this, bytes);
        if (row.bytes) copy_bytes(part(bytes, row.begin, row.bytes), row.global);
        if (swizzle == TensorMap::Swizzle::none) copy_bytes(part(shared, offset, row_bytes), bytes);
        else
            for (std::uint32_t at = 0; at < row_bytes; at += unit)
                copy_bytes(part(shared, swizzled(offset + at, swizzle), unit), part(bytes, at, unit));
        offset += pitch;
    }
}

template <class Visit> void TensorRows::gather(std::span<const unsigned char> shared, std::uint64_t offset, Visit&& visit) const {
    std::vector<unsigned char> kept(row_bytes);
    const std::span<unsigned char> bytes(kept);
    for (const Row& row : rows) {
        if (row.bytes)
            for (std::uint32_t at = 0; at < row_bytes; at += unit)
                copy_bytes(part(bytes, at, unit), part(shared, swizzled(offset + at, swizzle), unit));
        if (row.bytes) visit(row, std::span<const unsigned char>(part(bytes, row.begin, row.bytes)));
        offset += pitch;
    }
}

void TensorRows::copy_to_global(std::span<const unsigned char> shared, std::uint64_t offset) const {
    gather(shared, offset, [](const Row& row, std::span<const unsigned char> from) { copy_bytes(row.global, from); });
}

void TensorRows::reduce_to_global(std::span<const unsigned char> shared, std::uint64_t offset, Update update, ptx::Type element) const {
    const auto size = static_cast<std::uint32_t>(ptx::bytes_of(element));
    gather(shared, offset, [&](const Row& row, std::span<const unsigned char> from) {
        for (std::uint32_t at = 0; at < row.bytes; at += size) {
            std::uint64_t value = 0;
            std::memcpy(&value, part(from, at, size).data(), size);
            update_element(update, element, part(row.global, at, size).data(), value);
        }
    });
}

TensorRows rows_of_tile(const TensorMap& map, const std::array<std::int64_t, 5>& coordinates) {
    TensorRows rows = make_rows(map, map.box[0]);
    std::array<std::int64_t, 5> position = coordinates;
    const auto next = [&] {
        for (std::size_t i = 1; i < map.rank; ++i) {
            position[i] += map.element_strides[i];
            if (position[i] < coordinates[i] + map.box[i]) return true;
            position[i] = coordinates[i];
        }
        return false;
    };
    do rows.rows.push_back(make_row(map, position, map.box[0]));
    while (next());
    return rows;
}

TensorRows rows_of_columns(const TensorMap& map, const std::array<std::int64_t, 5>& coordinates,
                           const std::array<std::int64_t, 3>& offsets) {
    TensorRows rows = make_rows(map, map.channels);
    const auto spatial = static_cast<std::size_t>(map.rank - 2);
    std::array<std::int64_t, 5> pixel = coordinates;
    const auto next = [&] {
        for (std::size_t i = 0; i < spatial; ++i) {
            pixel[i + 1] += map.element_strides[i + 1];
            if (pixel[i + 1] < static_cast<std::int64_t>(map.extent(i + 1)) + map.upper[i]) return;
            pixel[i + 1] = map.lower[i];
        }
        ++pixel[spatial + 1];
    };
    for (int n = 0; n < map.pixels; ++n, next()) {
        std::array<std::int64_t, 5> position = pixel;
        for (std::size_t i = 0; i < spatial; ++i) position[i + 1] += offsets[i];
        rows.rows.push_back(make_row(map, position, map.channels));
    }
    return rows;
}

}  // namespace simt::interpreter
