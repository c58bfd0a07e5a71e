// suld, sust and sured: arrays read and written by byte (.b) or by texel (.p), without filters.

#include <algorithm>
#include <cstring>
#include <mutex>

#include "interpreter/textures/texture.hpp"

namespace simt::interpreter::texture {

namespace {

enum class Action : std::uint8_t { load, store, reduce };
/// The effect of an access outside the surface.
enum class Outside : std::uint8_t { trap, clamp, zero };
enum class How : std::uint8_t { add, minimum, maximum, bit_and, bit_or };

struct SurfaceAccess {
    Action action = Action::load;
    Outside outside = Outside::trap;
    How how = How::add;
    Geometry geometry = Geometry::one;
    CoordinateOperands coordinates;
    int handle = 0;
    /// The first operand with values, their number, and the bytes of each in its register and in memory.
    int value = 0, count = 1, register_bytes = 4, element_bytes = 4;
    bool is_signed = false;
    /// Whether x counts texels instead of bytes, and the texel's format gives the values' meaning.
    bool by_texel = false;
};

/// The number of adjacent lanes in a request (measured on an H200: tests/hardware/h200_programs.json).
int lanes_of_request(Geometry geometry) { return geometry == Geometry::one || geometry == Geometry::two ? 8 : 4; }

/// Locks rows of surfaces, which several blocks may change at the same time.
std::mutex& reduction_mutex() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

[[noreturn]] void stop(Warp& warp, std::size_t lane, int error, MessageCode code, std::initializer_list<MessageField> fields) {
    throw LaunchStopped(error, warp.launch->message_of(warp, lane, code, fields));
}

/// The host's pointer to a lane's bytes; null where they are outside and the instruction allows that.
unsigned char* find_bytes(Warp& warp, const DecodedInstruction& instruction, const SurfaceAccess& access, const memory::Texture& texture,
                          std::size_t lane) {
    memory::Array& array = *texture.array;
    const memory::Level& level = array.levels[static_cast<std::size_t>(texture.request.mipmapped ? texture.request.min_level : 0)];
    const auto at = [&](int n) { return std::int64_t{values<std::int32_t>(warp, instruction.operand_at(n))[lane]}; };
    const auto texel_bytes = static_cast<std::int64_t>(array.texel_bytes());
    const bool is_of_texels = access.by_texel && access.action == Action::store;
    const std::int64_t bytes = is_of_texels ? texel_bytes : access.count * access.element_bytes;
    std::array<std::int64_t, 3> place{};
    for (int i = 0; i < access.coordinates.count; ++i) place[static_cast<std::size_t>(i)] = at(access.coordinates.first + i);
    if (access.by_texel) place[0] *= texel_bytes;
    if (access.coordinates.layer >= 0) place[2] = at(access.coordinates.layer);
    if (place[0] % bytes != 0)
        stop(warp, lane, error_misaligned, MessageCode::misaligned_surface, {{"byte", place[0]}, {"alignment", bytes}});
    const std::array<std::int64_t, 3> last{static_cast<std::int64_t>(level.width) * texel_bytes - bytes,
                                           static_cast<std::int64_t>(level.height) - 1, static_cast<std::int64_t>(level.depth) - 1};
    for (std::size_t i = 0; i < 3; ++i) {
        if (place[i] >= 0 && place[i] <= last[i]) continue;
        // No place of a row that is shorter than the access is inside.
        if (access.outside == Outside::zero || (access.outside == Outside::clamp && last[i] < 0)) return nullptr;
        if (access.outside == Outside::trap)
            stop(warp, lane, error_failure, MessageCode::outside_surface, {{"byte", place[0]}, {"row", place[1]}, {"slice", place[2]}});
        place[i] = std::clamp<std::int64_t>(place[i], 0, last[i]);
    }
    const std::size_t offset =
        array.place(level, static_cast<std::size_t>(place[0]), static_cast<std::size_t>(place[1]), static_cast<std::size_t>(place[2]));
    warp.access.address[lane] = offset;
    return array.bytes.data() + offset;
}

template <class T> T reduced(How how, T old, T value) {
    switch (how) {
        case How::minimum: return std::min(old, value);
        case How::maximum: return std::max(old, value);
        case How::bit_and: return static_cast<T>(old & value);
        case How::bit_or: return static_cast<T>(old | value);
        default: return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) + static_cast<std::make_unsigned_t<T>>(value));
    }
}

template <class T> void reduce_at(How how, unsigned char* at, const unsigned char* from) {
    T old, value;
    std::memcpy(&old, at, sizeof old);
    std::memcpy(&value, from, sizeof value);
    value = reduced(how, old, value);
    std::memcpy(at, &value, sizeof value);
}

void reduce(const SurfaceAccess& access, const ChannelFormat& format, unsigned char* at, const unsigned char* from) {
    const std::scoped_lock lock(reduction_mutex());
    const bool is_signed = access.by_texel ? format.kind == ChannelFormat::Kind::signed_integer : access.is_signed;
    if (access.element_bytes == 8)
        return is_signed ? reduce_at<std::int64_t>(access.how, at, from) : reduce_at<std::uint64_t>(access.how, at, from);
    is_signed ? reduce_at<std::int32_t>(access.how, at, from) : reduce_at<std::uint32_t>(access.how, at, from);
}

/// The lane's values, with 0 for channels that the instruction does not name.
std::array<std::uint32_t, 4> values_of(Warp& warp, const DecodedInstruction& instruction, const SurfaceAccess& access, std::size_t lane) {
    std::array<std::uint32_t, 4> of_channels{};
    for (std::size_t i = 0; i < of_channels.size() && i < static_cast<std::size_t>(access.count); ++i)
        of_channels[i] = values<std::uint32_t>(warp, instruction.operand_at(static_cast<std::size_t>(access.value) + i))[lane];
    return of_channels;
}

void execute(Warp& warp, const DecodedInstruction& instruction) {
    const auto& access = details<SurfaceAccess>(instruction);
    Lookup lookup(warp, instruction, access.handle, true);
    const auto element = static_cast<std::size_t>(access.element_bytes), width = static_cast<std::size_t>(access.register_bytes);
    for (const std::size_t lane : lanes_in(warp.active)) {
        warp.access.address[lane] = 0;
        const memory::Texture& surface = lookup.at(lane);
        unsigned char* at = find_bytes(warp, instruction, access, surface, lane);
        if (access.by_texel && access.action == Action::store) {
            if (at) encode_texel(surface.request.format, values_of(warp, instruction, access, lane), at);
            continue;
        }
        for (int i = 0; i < access.count; ++i) {
            const std::uint32_t offset = instruction.operand_at(access.value + i);
            unsigned char* value = warp.registers + offset + lane * width;
            unsigned char* bytes = at ? at + static_cast<std::size_t>(i) * element : nullptr;
            if (access.action == Action::load) {
                std::memset(value, 0, width);
                if (bytes) std::memcpy(value, bytes, std::min(element, width));
            } else if (bytes && access.action == Action::store) {
                std::memcpy(bytes, value, std::min(element, width));
            } else if (bytes) {
                reduce(access, surface.request.format, bytes, value);
            }
        }
    }
    warp.progress |= access.action != Action::load;
    begin_access(warp, instruction, access.action == Action::load ? Operation::load : Operation::store, access.count * access.element_bytes,
                 lanes_of_request(access.geometry));
    warp.block->watch.count_only(warp.access);
}

How how_of(const ptx::Instruction& instruction) {
    if (instruction.has("min")) return How::minimum;
    if (instruction.has("max")) return How::maximum;
    if (instruction.has("and")) return How::bit_and;
    return instruction.has("or") ? How::bit_or : How::add;
}

void decode(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out, Action action) {
    SurfaceAccess access;
    access.action = action;
    const bool loads = action == Action::load;
    access.by_texel = instruction.has("p");
    if (access.by_texel == instruction.has("b") || (access.by_texel && loads)) decoder.refuse(instruction);
    access.outside = instruction.has("clamp") ? Outside::clamp : instruction.has("zero") ? Outside::zero : Outside::trap;
    access.how = how_of(instruction);
    access.geometry = geometry_of(decoder, instruction);
    const ptx::Type type = instruction.type(0);
    const ptx::Operand& value = instruction.operands.at(loads ? 0 : 1);
    access.element_bytes = ptx::bytes_of(type);
    if (action == Action::reduce && access.element_bytes != 4 && access.element_bytes != 8) decoder.refuse(instruction);
    access.register_bytes = decoder.register_bytes(value, type);
    access.is_signed = ptx::is_signed(type);
    decoder.add_all(out, value, type);
    access.count = out.operand_count;
    access.coordinates =
        add_coordinates(decoder, instruction, out, instruction.operands.at(loads ? 1 : 0), access.geometry, ptx::Type::s32, access.handle);
    out.execute = execute;
    decoder.keep(out, access);
}

}  // namespace

SIMT_DECODER(decode_surface_load, decode, Action::load)
SIMT_DECODER(decode_surface_store, decode, Action::store)
SIMT_DECODER(decode_surface_reduction, decode, Action::reduce)

}  // namespace simt::interpreter::texture
