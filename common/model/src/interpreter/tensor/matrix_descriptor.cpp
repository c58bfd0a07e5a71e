#include "interpreter/tensor/matrix_descriptor.hpp"

#include <algorithm>
#include <cstring>

#include "interpreter/asynchronous/asynchronous.hpp"

namespace simt::interpreter::tensor {

namespace {

constexpr std::uint64_t unit = 16, core_rows = 8;

std::uint64_t field(std::uint64_t bits, int first) { return (bits >> first & 0x3FFF) * unit; }

}  // namespace

MatrixDescriptor::MatrixDescriptor(std::uint64_t bits)
    : start(field(bits, 0)), leading_offset(field(bits, 16)), stride_offset(field(bits, 32)), base_offset(bits >> 49 & 7) {
    constexpr std::uint64_t units_of_modes[] = {1, 8, 4, 2};
    row_units = units_of_modes[bits >> 62];
}

std::uint64_t MatrixDescriptor::place(bool transposed, std::uint64_t line_unit, std::uint64_t k_unit) const {
    const std::uint64_t row = row_units * unit;
    std::uint64_t at = start;
    if (!transposed)
        at += line_unit % core_rows * row + line_unit / core_rows * stride_offset + k_unit % row_units * unit +
              k_unit / row_units * leading_offset;
    else if (row_units == 1) at += line_unit * stride_offset + k_unit % core_rows * unit + k_unit / core_rows * leading_offset;
    else
        at += line_unit % row_units * unit + line_unit / row_units * leading_offset + k_unit % core_rows * row +
              k_unit / core_rows * stride_offset;
    return at ^ (((at >> 7) - base_offset) & (row_units - 1)) * unit;
}

std::vector<unsigned char> read_units(Warp& warp, const DecodedInstruction& instruction, const MatrixDescriptor& descriptor,
                                      const SharedFactor& factor, int first_line, std::vector<std::uint32_t>& places) {
    const int per_unit = static_cast<int>(unit) * 8 / bits_of(factor.element);
    const int outer = factor.transposed ? factor.k : factor.lines, inner = (factor.transposed ? factor.lines : factor.k) / per_unit;
    std::vector<unsigned char> bytes(factor.bytes());
    unsigned char* to = bytes.data();
    begin_access(warp, instruction, Operation::load, static_cast<int>(unit));
    for (int i = 0; i < outer; ++i)
        for (int j = 0; j < inner; ++j, to += unit) {
            const int line_unit = factor.transposed ? first_line / per_unit + j : first_line + i, k_unit = factor.transposed ? i : j;
            const std::uint64_t place =
                descriptor.place(factor.transposed, static_cast<std::uint64_t>(line_unit), static_cast<std::uint64_t>(k_unit));
            const SharedPlace found = find_shared(warp, 0, place, ptx::StateSpace::shared, unit, unit);
            if (!found) continue;
            std::memcpy(to, found.bytes.data(), unit);
            places.push_back(static_cast<std::uint32_t>(place));
        }
    return bytes;
}

std::uint32_t begin_reads_of_units(const Warp& warp, std::uint32_t program_counter, const std::vector<std::uint32_t>& places) {
    if (!warp.block->watch.is_watching()) return 0;
    std::vector<WarpAccess> reads;
    reads.reserve(places.size() / warp_size + 1);
    WarpAccess access{};
    access.space = Space::shared;
    access.operation = Operation::load;
    access.program_counter = program_counter;
    access.size = static_cast<int>(unit);
    access.warp = warp.index;
    for (std::size_t first = 0; first < places.size(); first += warp_size) {
        const std::size_t count = std::min<std::size_t>(warp_size, places.size() - first);
        access.active = all_lanes >> (warp_size - count);
        for (std::size_t lane = 0; lane < count; ++lane) access.address[lane] = places[first + lane];
        reads.push_back(access);
    }
    return warp.block->watch.begin_accesses(std::move(reads));
}

}  // namespace simt::interpreter::tensor
