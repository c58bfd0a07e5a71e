#include <algorithm>

#include "device/bounds.hpp"
#include "remote/fields.hpp"
#include "remote/judge/server.hpp"

namespace simt::remote {

namespace {

/// The largest dimensions of arrays, and of boxes in arrays, on any modeled device.
constexpr std::size_t most_extent = std::size_t{1} << 20, most_array_bytes = std::size_t{1} << 36;
constexpr int most_levels = 32, widest_normalized = 16;

/// A product; a number above `most` if the product does not fit its type.
std::size_t product(std::initializer_list<std::size_t> factors, std::size_t most) {
    std::size_t result = 1;
    for (const std::size_t factor : factors) {
        if (factor != 0 && result > most / factor) return most + 1;
        result *= factor;
    }
    return result;
}

void require(bool condition, const ChannelFormat& format) {
    const auto [x, y, z, w] = format.bits;
    if (!condition) throw DeviceError(invalid_value, {MessageCode::channel_bits, {{"x", x}, {"y", y}, {"z", z}, {"w", w}}});
}

void check(const ArrayShape& shape) {
    require(shape.format.is_valid(), shape.format);
    const std::size_t bytes = product({shape.width, std::max<std::size_t>(shape.height, 1), std::max<std::size_t>(shape.depth, 1),
                                       static_cast<std::size_t>(shape.format.bytes())},
                                      most_array_bytes);
    if (std::max({shape.width, shape.height, shape.depth}) > most_extent || bytes > most_array_bytes || shape.levels < 1 ||
        shape.levels > most_levels)
        throw DeviceError(invalid_value, MessageCode::array_too_large);
}

/// The bytes of a box, which is sent in one packet. DeviceError if the box is not inside its array.
std::size_t checked_bytes(const ArrayBox& box, const ArrayShape& shape) {
    const std::size_t bytes = product({box.width_bytes, box.height, box.depth}, piece_bytes);
    if (bytes > piece_bytes) throw ProtocolError(MessageCode::box_too_large);
    const auto inside = [](std::size_t begin, std::size_t extent, std::size_t whole) { return begin <= whole && extent <= whole - begin; };
    if (box.level < 0 || box.level >= shape.levels)
        throw DeviceError(invalid_value, {MessageCode::array_without_level, {{"level", box.level}}});
    const auto at_level = [&box](std::size_t extent) { return std::max<std::size_t>(extent >> box.level, 1); };
    const bool flat = shape.layered || shape.cubemap;
    const std::size_t depth = std::max<std::size_t>(shape.depth, shape.cubemap ? 6 : 1);
    if (!inside(box.x_bytes, box.width_bytes, at_level(shape.width) * static_cast<std::size_t>(shape.format.bytes())) ||
        !inside(box.y, box.height, at_level(shape.height)) || !inside(box.z, box.depth, flat ? depth : at_level(depth)))
        throw DeviceError(invalid_value, MessageCode::copy_beyond_array);
    return bytes;
}

}  // namespace

void Server::allocate(Reader& request, Writer& reply) {
    const auto bytes = take<std::size_t>(request);
    const DeviceAddress address = device_.allocate(bytes);
    if (address != 0) log_->allocated(address, bytes);
    reply(address);
}

void Server::release(Reader& request, Writer& reply) {
    const auto address = take<DeviceAddress>(request);
    if (!trial_->name_at(address).empty()) throw NotAllowed({MessageCode::frees_a_buffer, {{"buffer", trial_->name_at(address)}}});
    log_->released(address);
    reply(device_.release(address));
}

void Server::host_memory(Reader& request, Writer&) {
    take<std::size_t>(request);
    log_->refused("managed, mapped or registered host memory");
    throw DeviceError(not_supported, MessageCode::no_shared_host_memory);
}

void Server::range_of(Reader& request, Writer& reply) { fields(reply, device_.range_of(take<DeviceAddress>(request))); }

void Server::memory_info(Reader& request, Writer& reply) {
    request.end();
    std::size_t free = 0, total = 0;
    device_.memory_info(free, total);
    reply(free)(total);
}

// --- copies ---------------------------------------------------------------------------------------

void Server::copy_in(Reader& request, Writer&) {
    const auto to = request.number<DeviceAddress>();
    const auto continues = request.number<bool>();
    const std::span<const std::uint8_t> data = request.rest();
    device_.copy_in(to, data.data(), data.size());
    trial_->data_use().copied(to, data.size());
    log_->copied(Direction::to_device, data.size(), continues);
}

void Server::copy_out(Reader& request, Writer& reply) {
    const auto [from, bytes, continues] = take<DeviceAddress, std::size_t, bool>(request);
    if (bytes > piece_bytes) throw ProtocolError(MessageCode::copy_too_large);
    device_.copy_out(reply.extend(bytes), from, bytes);
    log_->copied(Direction::to_host, bytes, continues);
}

void Server::copy_rows(Reader& request, Writer&) {
    const auto copy = take<RowCopy>(request);
    const std::size_t most = most_array_bytes;
    if (copy.is_empty()) return log_->copied(Direction::within_device, 0);
    // If rows could overlap, a small packet could request any amount of work.
    if (copy.rows > 1 && (std::min(copy.to_pitch, copy.from_pitch) < copy.width ||
                          product({std::max(copy.to_pitch, copy.from_pitch), copy.rows}, most) > most))
        throw DeviceError(invalid_value, {MessageCode::not_one_allocation, {{"call", "copy within the device"}, {"bytes", copy.width}}});
    device_.copy_rows(copy);
    for (std::size_t row = 0; row < copy.rows; ++row) trial_->data_use().copied(copy.to + row * copy.to_pitch, copy.width);
    log_->copied(Direction::within_device, copy.width * copy.rows);
}

void Server::fill(Reader& request, Writer&) {
    const auto [to, value, width, count] = take<DeviceAddress, std::uint32_t, int, std::size_t>(request);
    const std::size_t most = most_array_bytes;
    if ((width != 1 && width != 2 && width != 4) || product({count, static_cast<std::size_t>(width)}, most) > most)
        throw DeviceError(invalid_value, {MessageCode::fill_too_large, {{"width", width}}});
    device_.fill(to, value, width, count);
    trial_->data_use().filled(to, count * static_cast<std::size_t>(width));
    log_->filled(count * static_cast<std::size_t>(width));
}

// --- arrays and textures --------------------------------------------------------------------------

void Server::create_array(Reader& request, Writer& reply) {
    const auto shape = take<ArrayShape>(request);
    check(shape);
    const int array = device_.create_array(shape);
    array_.objects[array] = shape;
    reply(array);
}

void Server::destroy_array(Reader& request, Writer& reply) {
    const int array = array_(take<int>(request));
    array_.objects.erase(array);
    reply(device_.destroy_array(array));
}

void Server::copy_to_array(Reader& request, Writer&) {
    const int array = array_(request.number<int>());
    const auto box = read<ArrayBox>(request);
    const std::span<const std::uint8_t> data = request.rest();
    if (data.size() != checked_bytes(box, array_.objects.at(array))) throw ProtocolError(MessageCode::copy_unlike_box);
    device_.copy_to_array(array, box, data.data(), box.width_bytes, box.width_bytes * box.height);
    log_->copied(Direction::to_device, data.size());
}

void Server::copy_from_array(Reader& request, Writer& reply) {
    const auto [array, box] = take<int, ArrayBox>(request);
    const std::size_t bytes = checked_bytes(box, array_.objects.at(array_(array)));
    device_.copy_from_array(array, box, reply.extend(bytes), box.width_bytes, box.width_bytes * box.height);
    log_->copied(Direction::to_host, bytes);
}

void Server::create_texture(Reader& request, Writer& reply) {
    auto texture = take<TextureRequest>(request);
    if (texture.resource == TextureRequest::Resource::array) {
        texture.format = array_.objects.at(array_(texture.array)).format;
    } else {
        require(texture.format.is_valid(), texture.format);
        const Device::Range range = device_.range_of(texture.address);
        if (texture.surface || texture.bytes_of_texels() > texture.bytes ||
            !has_room(range.bytes, texture.address - range.begin, texture.bytes))
            throw DeviceError(invalid_value, MessageCode::texture_beyond_memory);
    }
    require(!texture.read_as_normalized_float || texture.format.bits[0] <= widest_normalized, texture.format);
    const std::uint64_t handle = device_.create_texture(texture);
    textures_.insert(handle);
    reply(handle);
}

void Server::destroy_texture(Reader& request, Writer& reply) {
    const auto handle = take<std::uint64_t>(request);
    reply(textures_.erase(handle) == 1 && device_.destroy_texture(handle));
}

}  // namespace simt::remote
