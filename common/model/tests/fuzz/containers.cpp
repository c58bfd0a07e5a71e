#include "fuzz/containers.hpp"

#include <cstring>
#include <fstream>
#include <iterator>

#include "calls/runtime/fat_binary.hpp"
#include "device/device.hpp"

namespace fuzz {

std::vector<Bytes> containers_in(const std::filesystem::path& program) {
    // Places of the fields of a container's header.
    constexpr std::size_t header_bytes_at = 6, payload_bytes_at = 8, header_size = 16;
    std::ifstream file(program, std::ios::binary);
    const Bytes all{std::istreambuf_iterator<char>(file), {}};
    std::vector<Bytes> found;
    for (std::size_t at = 0; at + header_size <= all.size(); at += 8) {
        if (!simt::calls::is_fat_binary(all.data() + at)) continue;
        std::uint16_t header = 0;
        std::uint64_t payload = 0;
        std::memcpy(&header, all.data() + at + header_bytes_at, sizeof header);
        std::memcpy(&payload, all.data() + at + payload_bytes_at, sizeof payload);
        if (header < header_size || header > all.size() - at || payload > all.size() - at - header) continue;
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
        found.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(header + payload));
    }
    return found;
}

std::string text_in(const Bytes& container) {
    // A damaged size may be as large as a real text's, and takes a second to fill.
    constexpr std::size_t most_bytes = std::size_t{16} << 20;
    try {
        const auto entries = simt::calls::read_fat_binary(container);
        const auto* const best = simt::calls::best_ptx(entries);
        return best && best->uncompressed_bytes <= most_bytes ? simt::calls::ptx_text(*best) : "";
    } catch (const simt::DeviceError&) {
        return "";
    }
}

}  // namespace fuzz
