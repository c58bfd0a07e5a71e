// The rows that a tensor copy moves: stretches of global memory, and their places in shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "interpreter/asynchronous/tensor_map.hpp"
#include "interpreter/memory/atomic_update.hpp"

namespace simt::interpreter {

/// A box of a tensor. In shared memory its rows follow one another without gaps. With a swizzle each row, however short, begins at a
/// multiple of the pattern's span (measured on an H200), and the rows' units of 16 bytes are swizzled.
struct TensorRows {
    struct Row {
        /// The part of the row that is inside the tensor begins at byte `begin` of the row.
        std::uint32_t begin = 0, bytes = 0;
        std::uint64_t address = 0;
        /// The `bytes` bytes of global memory.
        std::span<unsigned char> global;
    };

    memory::TensorMap::Type type = memory::TensorMap::Type::f32;
    memory::TensorMap::Swizzle swizzle = memory::TensorMap::Swizzle::none;
    memory::TensorMap::Fill fill = memory::TensorMap::Fill::zeros;
    std::uint32_t row_bytes = 0;
    /// Bytes from the start of a row in shared memory to the start of the next row.
    std::uint32_t pitch = 0;
    std::vector<Row> rows;

    /// Bytes that are copied, with those outside of the tensor.
    std::uint64_t bytes() const { return std::uint64_t{row_bytes} * rows.size(); }
    /// Bytes that the box takes in shared memory, with the gaps between its rows.
    std::uint64_t shared_bytes() const { return std::uint64_t{pitch} * rows.size(); }
    /// `shared` is a block's shared memory, and `offset` where the box begins in it.
    void copy_to_shared(std::span<unsigned char> shared, std::uint64_t offset) const;
    void copy_to_global(std::span<const unsigned char> shared, std::uint64_t offset) const;
    void reduce_to_global(std::span<const unsigned char> shared, std::uint64_t offset, Update update, ptx::Type element) const;
    /// Calls `visit(address, bytes)` for each stretch of global memory: contiguous rows are one stretch.
    template <class Visit> void for_each_stretch(Visit&& visit) const {
        std::uint64_t address = 0, length = 0;
        for (const Row& row : rows) {
            if (row.bytes == 0) continue;
            if (length && address + length == row.address) {
                length += row.bytes;
                continue;
            }
            if (length) visit(address, length);
            address = row.address;
            length = row.bytes;
        }
        if (length) visit(address, length);
    }

private:
    template <class Visit> void gather(std::span<const unsigned char> shared, std::uint64_t offset, Visit&& visit) const;
};

/// The box of a map at the coordinates of its first element.
TensorRows rows_of_tile(const memory::TensorMap& map, const std::array<std::int64_t, 5>& coordinates);
/// The pixels of a map for columns, from the pixel at the coordinates on, each shifted by the offsets.
TensorRows rows_of_columns(const memory::TensorMap& map, const std::array<std::int64_t, 5>& coordinates,
                           const std::array<std::int64_t, 3>& offsets);

/// The swizzled offset of a byte of shared memory.
std::uint64_t swizzled(std::uint64_t offset, memory::TensorMap::Swizzle swizzle);

}  // namespace simt::interpreter
