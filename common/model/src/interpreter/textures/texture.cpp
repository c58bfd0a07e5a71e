// tex and tld4. A request is counted with the bytes that its lanes ask for. The sectors that it moves are not counted, since they depend
// on a GPU's layout of arrays, which is not known.

#include "interpreter/textures/texture.hpp"

#include <bit>

#include "device/address_space.hpp"
#include "interpreter/arithmetic/half.hpp"

namespace simt::interpreter::texture {

namespace {

enum class Detail : std::uint8_t { none, level, gradients };

struct Sampling {
    Geometry geometry = Geometry::one;
    CoordinateOperands coordinates;
    int handle = 0;
    int results = 4;
    /// Bytes of a register of the result, and whether it holds halves.
    int result_bytes = 4;
    bool gives_halves = false;
    bool integer_coordinates = false;
    Detail detail = Detail::none;
    /// The operand of the level, or of the first gradient.
    int level = -1;
    /// The first operand of the offset in texels.
    int offset = -1;
    /// The operand of the predicate that says whether the texels are resident.
    int resident = -1;
    /// The component that tld4 gathers; -1 for tex.
    int component = -1;
};

// The number of adjacent lanes in a request, measured on an H200 (tests/hardware/h200_features.json). A texture of linear memory has
// more of them, unless its texels have 16 bytes.
constexpr int lanes_of_narrow_fetch = 8;

float float_at(Warp& warp, const DecodedInstruction& instruction, int operand, std::size_t lane) {
    return values<float>(warp, instruction.operand_at(operand))[lane];
}
std::int32_t integer_at(Warp& warp, const DecodedInstruction& instruction, int operand, std::size_t lane) {
    return values<std::int32_t>(warp, instruction.operand_at(operand))[lane];
}

std::array<std::int32_t, 3> offset_at(Warp& warp, const DecodedInstruction& instruction, const Sampling& sampling, std::size_t lane) {
    std::array<std::int32_t, 3> offset{};
    for (int i = 0; sampling.offset >= 0 && i < sampling.coordinates.count; ++i)
        offset[static_cast<std::size_t>(i)] = integer_at(warp, instruction, sampling.offset + i, lane);
    return offset;
}

memory::Sampler::Coordinates coordinates_at(Warp& warp, const DecodedInstruction& instruction, const Sampling& sampling,
                                            const memory::Sampler& sampler, std::size_t lane) {
    memory::Sampler::Coordinates coordinates;
    const int count = sampling.coordinates.count;
    for (int i = 0; i < count; ++i)
        coordinates.at[static_cast<std::size_t>(i)] = float_at(warp, instruction, sampling.coordinates.first + i, lane);
    coordinates.offset = offset_at(warp, instruction, sampling, lane);
    if (sampling.coordinates.layer >= 0) coordinates.layer = integer_at(warp, instruction, sampling.coordinates.layer, lane);
    if (sampling.detail == Detail::level) coordinates.level = float_at(warp, instruction, sampling.level, lane);
    if (sampling.detail == Detail::gradients) {
        std::array<float, 3> dx{}, dy{};
        for (int i = 0; i < count; ++i) {
            dx[static_cast<std::size_t>(i)] = float_at(warp, instruction, sampling.level + i, lane);
            dy[static_cast<std::size_t>(i)] = float_at(warp, instruction, sampling.level + count + i, lane);
        }
        coordinates.level = sampler.level_of_gradients(dx, dy);
    }
    return coordinates;
}

void give(Warp& warp, const DecodedInstruction& instruction, const Sampling& sampling, std::size_t lane, const memory::Texel& texel) {
    const auto half = [&](std::size_t i) { return std::uint32_t{round_to<Half>(std::bit_cast<float>(texel[i])).bits}; };
    for (int i = 0; i < sampling.results; ++i) {
        const auto n = static_cast<std::size_t>(i);
        const std::uint32_t offset = instruction.operand_at(i);
        std::uint32_t bits = texel[n];
        if (sampling.gives_halves) bits = sampling.results == 2 ? half(2 * n) | half(2 * n + 1) << 16 : half(n);
        set_lane_value(warp, offset, lane, bits, sampling.result_bytes);
    }
}

void execute(Warp& warp, const DecodedInstruction& instruction) {
    const auto& sampling = details<Sampling>(instruction);
    Lookup lookup(warp, instruction, sampling.handle, false);
    int bytes = 4;
    for (const std::size_t lane : lanes_in(warp.active)) {
        const memory::Texture& texture = lookup.at(lane);
        const memory::Sampler sampler(texture, sampling.geometry, lookup.linear());
        bytes = texture.request.format.bytes();
        std::uint64_t& address = warp.access.address[lane];
        memory::Texel texel;
        if (sampling.integer_coordinates) {
            const std::array<std::int32_t, 3> offset = offset_at(warp, instruction, sampling, lane);
            std::array<std::int64_t, 3> at{offset[0], offset[1], offset[2]};
            for (int i = 0; i < sampling.coordinates.count; ++i)
                at[static_cast<std::size_t>(i)] += integer_at(warp, instruction, sampling.coordinates.first + i, lane);
            const int layer = sampling.coordinates.layer < 0 ? 0 : integer_at(warp, instruction, sampling.coordinates.layer, lane);
            const int level = sampling.detail == Detail::level ? integer_at(warp, instruction, sampling.level, lane) : 0;
            texel = sampler.fetch(at, layer, level);
            address = sampler.byte_of(at, layer, level);
        } else {
            const auto coordinates = coordinates_at(warp, instruction, sampling, sampler, lane);
            texel = sampling.component >= 0 ? sampler.gather(coordinates, sampling.component) : sampler.sample(coordinates);
            address = sampler.first_byte(coordinates);
        }
        give(warp, instruction, sampling, lane, texel);
    }
    if (sampling.resident >= 0) write_predicate(warp, instruction.operand_at(sampling.resident), all_lanes);
    const bool is_row_of_memory = sampling.geometry == Geometry::one && lookup.linear();
    begin_access(warp, instruction, Operation::load, bytes, is_row_of_memory && bytes < 16 ? lanes_of_narrow_fetch : lanes_of_fetch);
    warp.block->watch.count_only(warp.access);
}

int component_of(const ptx::Instruction& instruction) {
    static constexpr const char* names[] = {"r", "g", "b", "a"};
    for (int i = 0; i < 4; ++i)
        if (instruction.has(names[i])) return i;
    return 0;
}

/// Whether an operand is a depth to compare with, instead of an offset. Objects that CUDA makes have no comparison, so the depth has no
/// effect, as on an H200.
bool is_depth(const Decoder& decoder, const ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::reg) return decoder.function().registers[operand.index].type == ptx::Type::f32;
    return operand.kind == ptx::Operand::Kind::floating;
}

void add_results(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out, Sampling& sampling) {
    const ptx::Operand& results = instruction.operands.at(0);
    const ptx::Type type = instruction.type(0);
    sampling.gives_halves = type == ptx::Type::f16 || type == ptx::Type::f16x2;
    sampling.result_bytes = decoder.register_bytes(results, type);
    decoder.add_all(out, results, type);
    sampling.results = out.operand_count;
    if (sampling.results != (type == ptx::Type::f16x2 ? 2 : 4)) decoder.refuse(instruction, "registers");
    if (results.second.empty()) return;
    sampling.resident = out.operand_count;
    decoder.add(out, decoder.slot(results.second.front(), ptx::Type::pred));
}

void decode(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out, Sampling sampling) {
    sampling.geometry = geometry_of(decoder, instruction);
    add_results(decoder, instruction, out, sampling);
    const ptx::Type type = instruction.type(1);
    sampling.integer_coordinates = type == ptx::Type::s32;
    sampling.coordinates = add_coordinates(decoder, instruction, out, instruction.operands.at(1), sampling.geometry, type, sampling.handle);
    sampling.level = out.operand_count;
    std::size_t used = 2;
    if (instruction.has("level")) {
        sampling.detail = Detail::level;
        decoder.add(out, decoder.slot(instruction.operands.at(used++), type));
    } else if (instruction.has("grad")) {
        sampling.detail = Detail::gradients;
        for (const std::size_t n : {used, used + 1}) {
            const ptx::Operand& gradient = instruction.operands.at(n);
            for (int i = 0; i < sampling.coordinates.count; ++i)
                decoder.add(
                    out,
                    decoder.slot(gradient.kind == ptx::Operand::Kind::vector ? gradient.elements.at(static_cast<std::size_t>(i)) : gradient,
                                 type));
        }
        used += 2;
    }
    if (instruction.operands.size() > used && !is_depth(decoder, instruction.operands[used])) {
        sampling.offset = out.operand_count;
        const ptx::Operand& offset = instruction.operands[used];
        for (int i = 0; i < sampling.coordinates.count; ++i)
            decoder.add(out,
                        decoder.slot(offset.kind == ptx::Operand::Kind::vector ? offset.elements.at(static_cast<std::size_t>(i)) : offset,
                                     ptx::Type::s32));
    }
    out.execute = execute;
    decoder.keep(out, sampling);
}

}  // namespace

Geometry geometry_of(Decoder& decoder, const ptx::Instruction& instruction) {
    static constexpr std::pair<const char*, Geometry> names[] = {
        {"1d", Geometry::one},          {"2d", Geometry::two},    {"3d", Geometry::three},          {"a1d", Geometry::one_layered},
        {"a2d", Geometry::two_layered}, {"cube", Geometry::cube}, {"acube", Geometry::cube_layered}};
    for (const auto& [name, geometry] : names)
        if (instruction.has(name)) return geometry;
    if (instruction.has("2dms") || instruction.has("a2dms")) decoder.refuse(instruction, MessageCode::several_samples);
    decoder.refuse(instruction, "geometry");
}

int dimensions_of(Geometry geometry) {
    switch (geometry) {
        case Geometry::one:
        case Geometry::one_layered: return 1;
        case Geometry::two:
        case Geometry::two_layered: return 2;
        default: return 3;
    }
}

bool is_layered(Geometry geometry) {
    return geometry == Geometry::one_layered || geometry == Geometry::two_layered || geometry == Geometry::cube_layered;
}

CoordinateOperands add_coordinates(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out,
                                   const ptx::Operand& operand, Geometry geometry, ptx::Type type, int& handle) {
    if (operand.elements.size() != 2 || operand.elements[0].kind != ptx::Operand::Kind::reg) decoder.refuse(instruction, "handle");
    handle = out.operand_count;
    decoder.add(out, decoder.slot(operand.elements[0], ptx::Type::b64));
    const ptx::Operand& given = operand.elements[1];
    const std::vector<ptx::Operand> coordinates = given.kind == ptx::Operand::Kind::vector ? given.elements : std::vector{given};
    CoordinateOperands places;
    places.count = dimensions_of(geometry);
    std::size_t next = 0;
    if (coordinates.size() < static_cast<std::size_t>(places.count + (is_layered(geometry) ? 1 : 0)))
        decoder.refuse(instruction, "coordinates");
    if (is_layered(geometry)) {
        places.layer = out.operand_count;
        decoder.add(out, decoder.slot(coordinates[next++], ptx::Type::u32));
    }
    places.first = out.operand_count;
    for (int i = 0; i < places.count; ++i) decoder.add(out, decoder.slot(coordinates[next++], type));
    return places;
}

const memory::Texture& Lookup::at(std::size_t lane) {
    const std::uint64_t handle = values<std::uint64_t>(warp_, instruction_.operand_at(handle_))[lane];
    if (texture_ && handle == known_) return *texture_;
    texture_ = memory::Textures::instance().find(handle);
    known_ = handle;
    const auto stop = [&](MessageCode code, std::initializer_list<MessageField> fields = {}) -> const memory::Texture& {
        throw LaunchStopped(error_illegal_address, warp_.launch->message_of(warp_, lane, code, fields));
    };
    if (!texture_ || texture_->request.surface != surface_)
        return stop(MessageCode::no_such_object, {{"object", surface_ ? "surface" : "texture"}});
    const TextureRequest& request = texture_->request;
    linear_ = nullptr;
    if (request.resource == TextureRequest::Resource::array) return *texture_;
    linear_ = memory::AddressSpace::instance().host_bytes(request.address, request.bytes);
    if (!linear_) return stop(MessageCode::texture_of_freed_memory);
    return *texture_;
}

void begin_access(Warp& warp, const DecodedInstruction& instruction, Operation operation, int bytes, int request_lanes) {
    WarpAccess& access = warp.access;
    access.space = Space::texture;
    access.operation = operation;
    access.program_counter = instruction.program_counter;
    access.size = bytes;
    access.active = warp.active;
    access.warp = warp.index;
    access.changed = 0;
    access.allocation = 0;
    access.request_lanes = request_lanes;
}

SIMT_DECODER(decode_sampling, decode, {})
SIMT_DECODER(decode_gathering, decode, {.component = component_of(instruction)})

}  // namespace simt::interpreter::texture
