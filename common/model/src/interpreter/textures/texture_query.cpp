// txq, suq and istypep: queries of texture and surface objects.

#include <algorithm>
#include <string_view>
#include <utility>

#include "interpreter/textures/texture.hpp"

namespace simt::interpreter::texture {

namespace {

/// The queries that drivers answer; a driver does not load a program with other queries (tried on an H200).
enum class Ask : std::uint8_t { width, height, depth };

struct Query {
    Ask ask = Ask::width;
    bool surface = false;
    /// Operand of the level; -1 for the first.
    int level = -1;
};

constexpr std::pair<std::string_view, Ask> names[] = {{"width", Ask::width}, {"height", Ask::height}, {"depth", Ask::depth}};

std::size_t extent_of(const memory::Texture& texture, Ask ask, int number) {
    const TextureRequest& request = texture.request;
    if (!texture.array) return ask == Ask::width ? request.width : ask == Ask::height ? request.height : 0;
    const ArrayShape& shape = texture.array->shape;
    const std::int64_t first = request.mipmapped ? static_cast<int>(request.min_level) : 0;
    const std::int64_t last = static_cast<std::int64_t>(texture.array->levels.size()) - 1;
    const memory::Level& level = texture.array->levels[static_cast<std::size_t>(std::clamp<std::int64_t>(first + number, 0, last))];
    switch (ask) {
        case Ask::width: return level.width;
        case Ask::height: return shape.height ? level.height : 0;
        case Ask::depth: return shape.depth && !shape.layered && !shape.cubemap ? level.depth : 0;
    }
    return 0;
}

void execute(Warp& warp, const DecodedInstruction& instruction) {
    const auto& query = details<Query>(instruction);
    Lookup lookup(warp, instruction, 1, query.surface);
    warp.access.address.fill(0);
    for (const std::size_t lane : lanes_in(warp.active)) {
        const int level =
            query.level < 0 ? 0 : values<std::int32_t>(warp, instruction.operand[static_cast<std::size_t>(query.level)])[lane];
        values<std::uint32_t>(warp, instruction.operand[0])[lane] =
            static_cast<std::uint32_t>(extent_of(lookup.at(lane), query.ask, level));
    }
    // An H200 counts it as a request like that of a fetch, without sectors.
    begin_access(warp, instruction, Operation::load, 0, lanes_of_fetch);
    warp.block->watch.count_only(warp.access);
}

/// The types of objects that `istypep` tests. No object is a sampler alone.
enum class ObjectType : std::uint8_t { texture, surface, sampler };

void test_type(Warp& warp, const DecodedInstruction& instruction) {
    const auto asked = static_cast<ObjectType>(instruction.immediate);
    const std::uint64_t* handles = values<std::uint64_t>(warp, instruction.operand[1]);
    std::uint32_t result = 0;
    for (const std::size_t lane : lanes_in(warp.active)) {
        const auto found = memory::Textures::instance().find(handles[lane]);
        if (found && asked == (found->request.surface ? ObjectType::surface : ObjectType::texture)) result |= 1u << lane;
    }
    write_predicate(warp, instruction.operand[0], result);
}

void decode_query(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out, bool of_surface) {
    const auto* name = std::ranges::find_if(names, [&](const auto& one) { return instruction.has(one.first); });
    if (name == std::end(names)) decoder.refuse(instruction, "query");
    Query query{name->second, of_surface, -1};
    decoder.add(out, instruction.operands.at(0), ptx::Type::b32);
    const AddressOperand handle = decoder.address(instruction.operands.at(1), ptx::StateSpace::generic);
    if (handle.base_bytes != 8 || handle.base == no_operand) decoder.refuse(instruction, "handle");
    decoder.add(out, handle.base);
    if (instruction.operands.size() > 2) {
        query.level = out.operand_count;
        decoder.add(out, instruction.operands[2], ptx::Type::u32);
    }
    out.execute = execute;
    decoder.keep(out, query);
}

}  // namespace

SIMT_DECODER(decode_texture_query, decode_query, false)
SIMT_DECODER(decode_surface_query, decode_query, true)

bool decode_type_test(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    decoder.add(out, instruction.operands.at(0), ptx::Type::pred);
    decoder.add(out, instruction.operands.at(1), ptx::Type::b64);
    const ObjectType type = instruction.has("texref")    ? ObjectType::texture
                            : instruction.has("surfref") ? ObjectType::surface
                                                         : ObjectType::sampler;
    out.immediate = static_cast<std::uint64_t>(type);
    out.execute = test_type;
    return true;
}

}  // namespace simt::interpreter::texture
