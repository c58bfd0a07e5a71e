// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: boxes of tensors between global and shared memory.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "interpreter/asynchronous/bulk.hpp"
#include "interpreter/asynchronous/tensor_rows.hpp"
#include "interpreter/decode/opcodes.hpp"
#include "interpreter/memory/atomic_update.hpp"
#include "interpreter/memory/memory_access.hpp"

namespace simt::interpreter {

namespace {

/// A box begins at a multiple of this many bytes in shared memory.
constexpr std::uint64_t box_alignment = 128, map_alignment = 64;
/// More rows than the shared memory of any block holds.
constexpr std::uint64_t most_rows = std::uint64_t{1} << 16;
/// The first byte of a box is a multiple of this many bytes from the start of its row.
constexpr std::int64_t coordinate_alignment = 16;

struct TensorOperands {
    DestinationOperands shared;
    /// The register of the tensor map's generic address, and its width.
    LaneAddress map;
    int rank = 1;
    std::array<std::uint32_t, 5> coordinates{};
    std::array<std::uint32_t, 3> offsets{};
    bool columns = false, to_shared = true, reduces = false;
    Update update = Update::add;
};

[[noreturn]] void stop(const Warp& warp, std::size_t lane, const DecodedInstruction& instruction, int error, MessageCode code,
                       std::initializer_list<MessageField> fields = {}) {
    const Launch& launch = *warp.launch;
    throw LaunchStopped(error, launch.with_line(launch.message_of(warp, lane, code, fields), instruction.program_counter));
}

memory::TensorMap read_map(Warp& warp, std::size_t lane, const DecodedInstruction& instruction) {
    const auto& operands = details<TensorOperands>(instruction);
    memory::TensorMap map;
    const std::uint64_t address = operands.map.of(warp, lane);
    const unsigned char* at = address % map_alignment == 0 ? generic_pointer(warp, lane, address, sizeof map) : nullptr;
    if (at) std::memcpy(static_cast<void*>(&map), at, sizeof map);
    if (!at || !map.valid() || map.rows() > most_rows)
        stop(warp, lane, instruction, error_illegal_instruction, MessageCode::bad_tensor_map);
    if (map.rank != operands.rank || (map.columns != 0) != operands.columns)
        stop(warp, lane, instruction, error_illegal_instruction,
             map.columns ? MessageCode::tensor_map_for_im2col : MessageCode::tensor_map_dimensions,
             {{"dimensions", operands.rank}, {"map_dimensions", map.rank}});
    if (map.interleave != memory::TensorMap::Interleave::none || map.swizzle == memory::TensorMap::Swizzle::bytes_128_atom_32_flip_8)
        stop(warp, lane, instruction, error_not_supported, MessageCode::tensor_map_layout);
    return map;
}

/// Finds the rows of a lane's box and counts their places in global memory; returns null after a hazard.
std::shared_ptr<TensorRows> find_rows(Warp& warp, std::size_t lane, const DecodedInstruction& instruction, Operation operation) {
    const auto& operands = details<TensorOperands>(instruction);
    const memory::TensorMap map = read_map(warp, lane, instruction);
    std::array<std::int64_t, 5> coordinates{};
    for (std::size_t i = 0; i < map.rank; ++i)
        coordinates[i] = static_cast<std::int32_t>(lane_value(warp, operands.coordinates[i], lane, 4));
    // An H200 does so for tiles (measured); the PTX document does not say so.
    if (coordinates[0] * static_cast<std::int64_t>(memory::element_bytes(map.type)) % coordinate_alignment != 0)
        stop(warp, lane, instruction, error_illegal_instruction, MessageCode::tensor_copy_start, {{"element", coordinates[0]}});
    // An H200 lets loads begin before a dimension's first element, in tiles too (measured).
    const auto negative = std::ranges::find_if(coordinates, [](std::int64_t coordinate) { return coordinate < 0; });
    if (operation != Operation::load && !map.columns && negative != coordinates.end())
        stop(warp, lane, instruction, error_illegal_instruction, MessageCode::tensor_store_before,
             {{"coordinate", *negative}, {"dimension", negative - coordinates.begin()}});
    std::array<std::int64_t, 3> offsets{};
    for (std::size_t i = 0; operands.columns && i + 2 < map.rank; ++i)
        offsets[i] = static_cast<std::int64_t>(lane_value(warp, operands.offsets[i], lane, 2));
    auto rows = std::make_shared<TensorRows>(map.columns ? rows_of_columns(map, coordinates, offsets) : rows_of_tile(map, coordinates));
    begin_access(warp, instruction, operation, 0);
    for (TensorRows::Row& row : rows->rows) {
        if (row.bytes == 0) continue;
        warp.access.size = static_cast<int>(row.bytes);
        row.global = find_global(warp, lane, row.address, row.bytes, 1);
        if (row.global.empty()) return nullptr;
    }
    std::uint64_t requests = 1;
    rows->for_each_stretch([&](std::uint64_t address, std::uint64_t bytes) {
        warp.block->watch.count_bulk_copy(instruction.program_counter, address, bytes, operation == Operation::load,
                                          std::exchange(requests, 0));
        if (operation == Operation::load)
            note_global_range(*warp.block, warp.index, lane, instruction.program_counter, operation, address, bytes);
    });
    if (requests) warp.block->watch.count_bulk_copy(instruction.program_counter, map.address, 0, operation == Operation::load);
    begin_access(warp, instruction, operation, static_cast<int>(rows->bytes()));
    return rows;
}

void copy_to_shared(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<TensorOperands>(instruction);
    for_active_lanes(warp, [&](std::size_t lane) {
        const std::shared_ptr<const TensorRows> rows = find_rows(warp, lane, instruction, Operation::load);
        if (!rows) return;
        warp.access.operation = Operation::store;
        for (const Destination& destination : find_destinations(warp, lane, operands.shared, rows->shared_bytes(), box_alignment)) {
            const Issuer issuer(warp, lane, instruction);
            const std::uint32_t write = begin_write(issuer, destination, Operation::store, rows->shared_bytes());
            Asynchronous::of(*destination.to.block).add_to_barrier(destination.barrier.offset, [issuer, destination, rows, write](Warp&) {
                rows->copy_to_shared(destination.to.block->shared_memory, destination.to.offset);
                end_write(issuer, destination, write, rows->bytes());
            });
        }
    });
    warp.progress = true;
}

std::optional<ptx::Type> type_of(memory::TensorMap::Type type) {
    using From = memory::TensorMap::Type;
    switch (type) {
        case From::u32: return ptx::Type::u32;
        case From::s32: return ptx::Type::s32;
        case From::u64: return ptx::Type::u64;
        case From::s64: return ptx::Type::s64;
        case From::f16: return ptx::Type::f16;
        case From::bf16: return ptx::Type::bf16;
        case From::f32:
        case From::f32_ftz: return ptx::Type::f32;
        case From::f64: return ptx::Type::f64;
        default: return std::nullopt;
    }
}

void copy_to_global(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<TensorOperands>(instruction);
    for_active_lanes(warp, [&](std::size_t lane) {
        const Operation operation = operands.reduces ? Operation::atomic : Operation::store;
        const std::shared_ptr<const TensorRows> rows = find_rows(warp, lane, instruction, operation);
        if (!rows) return;
        const std::optional<ptx::Type> type = type_of(rows->type);
        if (operands.reduces && !type) stop(warp, lane, instruction, error_not_supported, MessageCode::tensor_map_type);
        warp.access.operation = Operation::load;
        const SharedPlace from =
            find_shared(warp, lane, operands.shared.to.of(warp, lane), operands.shared.to.space, rows->shared_bytes(), box_alignment);
        if (!from) return;
        const std::uint32_t read = begin_shared_range(*warp.block, warp.index, lane, instruction.program_counter, Operation::load,
                                                      from.offset, rows->shared_bytes());
        Asynchronous::of(*warp.block)
            .add_to_group(
                warp.thread_of(lane), [issuer = Issuer(warp, lane, instruction), from, rows, type, operation, read, &operands](Warp&) {
                    const std::span<const unsigned char> shared = from.block->shared_memory;
                    if (operands.reduces) rows->reduce_to_global(shared, from.offset, operands.update, *type);
                    else rows->copy_to_global(shared, from.offset);
                    issuer.block->watch.end_accesses(read);
                    rows->for_each_stretch([&](std::uint64_t address, std::uint64_t bytes) {
                        note_global_range(*issuer.block, issuer.warp, issuer.lane, issuer.program_counter, operation, address, bytes);
                    });
                });
    });
    warp.progress = true;
}

void decode_tensor_operand(Decoder& decoder, const ptx::Instruction& instruction, const ptx::Operand& tensor, TensorOperands& operands) {
    if (tensor.kind != ptx::Operand::Kind::compound || tensor.elements.size() != 2) decoder.refuse(instruction, "operands");
    ptx::Operand map = tensor.elements[0];
    if (map.kind == ptx::Operand::Kind::reg) {
        map.kind = ptx::Operand::Kind::address;
        map.base = ptx::Operand::Base::reg;
        map.integer = 0;
        operands.map = lane_address(decoder, map, ptx::StateSpace::generic);
    } else if (map.kind == ptx::Operand::Kind::address) {
        operands.map = lane_address(decoder, map, ptx::StateSpace::generic);
    } else {
        operands.map.base = decoder.slot(map, ptx::Type::b64);
    }
    const ptx::Operand& coordinates = tensor.elements[1];
    std::size_t n = 0;
    const auto add = [&](const ptx::Operand& coordinate) {
        if (n == operands.coordinates.size()) decoder.refuse(instruction, "coordinates");
        operands.coordinates[n++] = decoder.slot(coordinate, ptx::Type::s32);
    };
    if (coordinates.kind == ptx::Operand::Kind::vector)
        for (const ptx::Operand& coordinate : coordinates.elements) add(coordinate);
    else add(coordinates);
    operands.rank = static_cast<int>(n);
}

}  // namespace

bool decode_tensor_copy(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (!instruction.has("bulk") || !instruction.has("tensor")) return false;
    for (const std::string& modifier : instruction.modifiers)
        if (modifier.starts_with("tile::") || modifier.starts_with("im2col::") || modifier.starts_with("cta_group"))
            decoder.refuse(instruction);
    if (instruction.has("prefetch")) {
        out.execute = take_time;
        return true;
    }
    TensorOperands operands;
    operands.reduces = instruction.has("reduce");
    if (operands.reduces && !find_update(instruction, operands.update)) decoder.refuse(instruction);
    operands.columns = instruction.has("im2col") || instruction.has("im2col_no_offs");
    operands.to_shared = direction_of(instruction).to == ptx::StateSpace::shared;
    decode_tensor_operand(decoder, instruction, instruction.operands.at(operands.to_shared ? 1 : 0), operands);
    operands.shared.to = lane_address(decoder, instruction.operands.at(operands.to_shared ? 0 : 1), ptx::StateSpace::shared);
    if (operands.to_shared) {
        operands.shared.barrier = lane_address(decoder, instruction.operands.at(2), ptx::StateSpace::shared);
        std::size_t n = 3;
        if (instruction.has("im2col")) {
            const auto& offsets = instruction.operands.at(n++).elements;
            for (std::size_t i = 0; i < std::min(offsets.size(), operands.offsets.size()); ++i)
                operands.offsets[i] = decoder.slot(offsets[i], ptx::Type::u16);
        }
        if (instruction.has("multicast::cluster")) operands.shared.multicast = decoder.slot(instruction.operands.at(n), ptx::Type::u16);
    } else if (operands.columns) {
        operands.offsets.fill(decoder.constant(0, 2));
    }
    decoder.keep(out, operands);
    out.execute = operands.to_shared ? copy_to_shared : copy_to_global;
    return true;
}

}  // namespace simt::interpreter
