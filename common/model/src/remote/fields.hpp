// The structures of device.hpp as they are sent. `fields` serves Writer and Reader alike.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "device/device.hpp"
#include "remote/wire.hpp"
#include "simt/json.hpp"

namespace simt::remote {

/// `T` for a Reader, `const T` for a Writer.
template <class Archive, class T> using Field = std::conditional_t<std::is_same_v<Archive, Writer>, const T, T>;

template <class Archive> void fields(Archive& archive, Field<Archive, FunctionInfo>& info) {
    archive(info.name)(info.parameter_bytes)(info.static_shared_bytes)(info.constant_bytes)(info.local_bytes);
    archive(info.max_threads)(info.registers)(info.required_cluster)(info.ptx_version);
    auto count = static_cast<std::uint32_t>(info.parameters.size());
    archive(count);
    if constexpr (std::is_same_v<Archive, Reader>) {
        if (count > most_packet_bytes / sizeof(FunctionParameter)) throw ProtocolError(MessageCode::too_many_parameters);
        info.parameters.resize(count);
    }
    for (auto& parameter : info.parameters) archive(parameter.offset)(parameter.bytes);
}

template <class Archive> void fields(Archive& archive, Field<Archive, VariableInfo>& info) {
    archive(info.address)(info.bytes)(info.constant)(info.managed);
}

template <class Archive> void fields(Archive& archive, Field<Archive, RowCopy>& copy) {
    archive(copy.to)(copy.from)(copy.to_pitch)(copy.from_pitch)(copy.width)(copy.rows);
}

template <class Archive> void fields(Archive& archive, Field<Archive, Extent>& extent) { archive(extent.x)(extent.y)(extent.z); }

template <class Archive> void fields(Archive& archive, Field<Archive, LaunchRequest>& request) {
    archive(request.function);
    fields(archive, request.grid);
    fields(archive, request.block);
    fields(archive, request.cluster);
    archive(request.dynamic_shared_bytes)(request.cooperative)(request.carveout)(request.parameters);
}

template <class Archive> void fields(Archive& archive, Field<Archive, ChannelFormat>& format) {
    archive.choice(format.kind, ChannelFormat::Kind::none);
    archive(format.bits);
}

template <class Archive> void fields(Archive& archive, Field<Archive, ArrayShape>& shape) {
    fields(archive, shape.format);
    archive(shape.width)(shape.height)(shape.depth)(shape.layered)(shape.cubemap)(shape.surface)(shape.gather)(shape.levels);
}

template <class Archive> void fields(Archive& archive, Field<Archive, ArrayBox>& box) {
    archive(box.x_bytes)(box.y)(box.z)(box.width_bytes)(box.height)(box.depth)(box.level);
}

template <class Archive> void fields(Archive& archive, Field<Archive, TextureRequest>& request) {
    archive.choice(request.resource, TextureRequest::Resource::pitched);
    archive(request.array)(request.mipmapped)(request.address)(request.bytes)(request.width)(request.height)(request.pitch);
    fields(archive, request.format);
    for (auto& mode : request.address_mode) archive.choice(mode, TextureRequest::Address::border);
    archive.choice(request.filter, TextureRequest::Filter::linear);
    archive.choice(request.mipmap_filter, TextureRequest::Filter::linear);
    archive(request.normalized_coordinates)(request.read_as_normalized_float)(request.srgb)(request.border);
    archive(request.mipmap_bias)(request.min_level)(request.max_level)(request.surface);
}

template <class Archive> void fields(Archive& archive, Field<Archive, Device::Range>& range) {
    archive(range.begin)(range.bytes)(range.host);
}

/// A message of the model as JSON, of a few kilobytes at most. A program's names need not be UTF-8.
inline void fields(Writer& writer, const Message& message) {
    writer(nlohmann::ordered_json(to_json(message)).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

inline void fields(Reader& reader, Message& message) {
    constexpr std::size_t most_bytes = std::size_t{64} << 10;
    const std::string text = reader.text();
    if (text.size() > most_bytes) throw ProtocolError(MessageCode::foreign_note);
    try {
        nlohmann::json::parse(text).get_to(message);
    } catch (const std::exception&) {
        throw ProtocolError(MessageCode::foreign_note);
    }
}

/// Reads a value or a structure from a packet.
template <class T> T read(Reader& reader) {
    T value{};
    if constexpr (requires { reader(value); }) reader(value);
    else fields(reader, value);
    return value;
}

/// Reads all that a packet holds: one value or structure, or a tuple of several.
template <class... Values> auto take(Reader&& reader) {
    std::tuple<Values...> values{read<Values>(reader)...};
    reader.end();
    if constexpr (sizeof...(Values) == 1) return std::get<0>(std::move(values));
    else return values;
}
template <class... Values> auto take(Reader& reader) { return take<Values...>(std::move(reader)); }

}  // namespace simt::remote
