// tensormap.replace and tensormap.cp_fenceproxy: kernels that change tensor maps.

#include "interpreter/asynchronous/tensor_map.hpp"

#include "interpreter/asynchronous/bulk.hpp"
#include "interpreter/memory/memory_access.hpp"

namespace simt::interpreter {

namespace {

using memory::TensorMap;

enum class Field : std::uint8_t { address, rank, box, extent, stride, element_stride, type, interleave, swizzle, fill };

struct ReplaceOperands {
    LaneAddress map;
    Field field = Field::address;
    std::size_t dimension = 0;
    std::uint32_t value = no_operand;
    int value_bytes = 4;
};

/// The bytes of a map; none after a hazard.
std::span<unsigned char> find_map(Warp& warp, std::size_t lane, const LaneAddress& address) {
    const std::uint64_t at = address.of(warp, lane);
    if (address.space == ptx::StateSpace::shared || memory::is_shared(at))
        return find_shared(warp, lane, at, address.space, sizeof(TensorMap), 1).bytes;
    return find_global(warp, lane, at, sizeof(TensorMap), 1);
}

/// Element types, by the numbers that the instruction gives them.
TensorMap::Type type_of(std::uint64_t number) {
    using Type = TensorMap::Type;
    static constexpr Type types[] = {Type::u8,  Type::u16,     Type::u32, Type::s32,  Type::u64,  Type::s64,     Type::f16,
                                     Type::f32, Type::f32_ftz, Type::f64, Type::bf16, Type::tf32, Type::tf32_ftz};
    return number < std::size(types) ? types[number] : Type::u8;
}

void replace(TensorMap& map, Field field, std::size_t dimension, std::uint64_t value) {
    switch (field) {
        case Field::address: map.address = value; break;
        case Field::rank: map.rank = static_cast<std::uint8_t>(value + 1); break;
        case Field::box: map.box[dimension] = static_cast<std::uint16_t>(value); break;
        case Field::extent: map.last[dimension] = static_cast<std::uint32_t>(value - 1); break;
        case Field::stride: map.strides[dimension] = value; break;
        case Field::element_stride: map.element_strides[dimension] = static_cast<std::uint8_t>(value); break;
        case Field::type: map.type = type_of(value); break;
        case Field::interleave: map.interleave = static_cast<TensorMap::Interleave>(value); break;
        case Field::swizzle: map.swizzle = static_cast<TensorMap::Swizzle>(value); break;
        case Field::fill: map.fill = static_cast<TensorMap::Fill>(value); break;
    }
}

void replace_field(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<ReplaceOperands>(instruction);
    begin_access(warp, instruction, Operation::store, static_cast<int>(sizeof(TensorMap)));
    for_active_lanes(warp, [&](std::size_t lane) {
        const std::span<unsigned char> at = find_map(warp, lane, operands.map);
        if (at.empty()) return;
        TensorMap map;
        std::memcpy(static_cast<void*>(&map), part(at, 0, sizeof map).data(), sizeof map);
        replace(map, operands.field, operands.dimension, lane_value(warp, operands.value, lane, operands.value_bytes));
        std::memcpy(at.data(), &map, sizeof map);
    });
    warp.progress = true;
}

struct MapCopy { LaneAddress to, from; };

/// All lanes name the same maps.
void copy_map(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<MapCopy>(instruction);
    const std::size_t lane = first_lane(warp.active);
    begin_access(warp, instruction, Operation::store, static_cast<int>(sizeof(TensorMap)));
    const std::span<unsigned char> to = find_map(warp, lane, operands.to), from = find_map(warp, lane, operands.from);
    if (!to.empty() && !from.empty()) std::memmove(to.data(), from.data(), sizeof(TensorMap));
    warp.progress = true;
}

bool find_field(const ptx::Instruction& instruction, Field& field) {
    static constexpr std::pair<const char*, Field> names[] = {{"global_address", Field::address},
                                                              {"rank", Field::rank},
                                                              {"box_dim", Field::box},
                                                              {"global_dim", Field::extent},
                                                              {"global_stride", Field::stride},
                                                              {"element_stride", Field::element_stride},
                                                              {"elemtype", Field::type},
                                                              {"interleave_layout", Field::interleave},
                                                              {"swizzle_mode", Field::swizzle},
                                                              {"fill_mode", Field::fill}};
    for (const auto& [name, which] : names)
        if (instruction.has(name)) {
            field = which;
            return true;
        }
    return false;
}

}  // namespace

bool decode_tensor_map(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (instruction.has("cp_fenceproxy")) {
        const Direction direction = direction_of(instruction);
        decoder.keep(out, MapCopy{lane_address(decoder, instruction.operands.at(0), direction.to),
                                  lane_address(decoder, instruction.operands.at(1), direction.from)});
        out.execute = copy_map;
        return true;
    }
    ReplaceOperands operands;
    if (!instruction.has("replace") || !find_field(instruction, operands.field)) return false;
    operands.map = lane_address(decoder, instruction.operands.at(0), space_of(instruction));
    std::size_t n = 1;
    const bool has_dimension = operands.field == Field::box || operands.field == Field::extent || operands.field == Field::stride ||
                               operands.field == Field::element_stride;
    if (has_dimension) operands.dimension = static_cast<std::size_t>(instruction.operands.at(n++).integer);
    if (operands.dimension > (operands.field == Field::stride ? 3 : 4)) decoder.refuse(instruction, "dimension");
    const ptx::Type type = operands.field == Field::address || operands.field == Field::stride ? ptx::Type::b64 : ptx::Type::b32;
    operands.value = decoder.slot(instruction.operands.at(n), type);
    operands.value_bytes = decoder.register_bytes(instruction.operands.at(n), type);
    decoder.keep(out, operands);
    out.execute = replace_field;
    return true;
}

}  // namespace simt::interpreter
