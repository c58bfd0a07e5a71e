// Whether one range of bytes lies in another, and copies that know both lengths. The numbers come from a program, so no sum may wrap around.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>

namespace simt {

/// Whether `bytes` bytes that begin at `at` lie in a memory of `size` bytes.
constexpr bool has_room(std::uint64_t size, std::uint64_t at, std::uint64_t bytes) { return bytes <= size && at <= size - bytes; }

/// The `bytes` bytes from `at` on. Throws std::length_error if they do not exist: callers check a program's numbers before.
template <class Byte> std::span<Byte> part(std::span<Byte> memory, std::uint64_t at, std::uint64_t bytes) {
    if (!has_room(memory.size(), at, bytes)) throw std::length_error("an access beyond a range that was checked");
    return memory.subspan(at, bytes);
}

/// Copies all of `from` to the start of `to`. std::length_error if `to` is shorter.
inline void copy_bytes(std::span<unsigned char> to, std::span<const unsigned char> from) {
    const std::span<unsigned char> place = part(to, 0, from.size());
    if (!from.empty()) std::memcpy(place.data(), from.data(), from.size());
}

}  // namespace simt
