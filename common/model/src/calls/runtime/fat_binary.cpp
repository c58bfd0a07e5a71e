#include "calls/runtime/fat_binary.hpp"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "calls/runtime/decompression.h"
#include "device/device.hpp"

namespace simt::calls {

namespace {

constexpr int invalid_kernel_image = 200;
constexpr std::uint32_t container_magic = 0xBA55ED50;
/// The most bytes that LZ4 decompresses in one call.
constexpr std::size_t most_lz4_bytes = 0x7E000000;
/// Larger than any text that a compiler writes: an entry that claims more is damaged.
constexpr std::size_t most_text_bytes = std::size_t{1} << 30;

constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_architecture = 0x100000, flag_family = 0x200000;

[[noreturn]] void damaged(Message damage) {
    throw DeviceError(invalid_kernel_image, {MessageCode::damaged_fat_binary, {{"damage", std::vector{std::move(damage)}}}});
}

template <class Number> Number number_at(std::span<const std::uint8_t> bytes, std::size_t offset) {
    Number number;
    std::memcpy(&number, bytes.data() + offset, sizeof number);
    return number;
}

/// Places of the fields of a container's header and of an entry's.
namespace container_header {
constexpr std::size_t header_bytes = 6, payload_bytes = 8, size = 16;
}
namespace entry_header {
constexpr std::size_t kind = 0, header_bytes = 4, padded_bytes = 8, compressed_bytes = 16, architecture = 28, flags = 40,
                      uncompressed_bytes = 56;
constexpr std::size_t size = 64;
}  // namespace entry_header

FatBinaryEntry read_entry(std::span<const std::uint8_t> header, std::span<const std::uint8_t> payload) {
    FatBinaryEntry entry;
    entry.kind = static_cast<FatBinaryEntry::Kind>(number_at<std::uint16_t>(header, entry_header::kind));
    entry.architecture = number_at<std::uint32_t>(header, entry_header::architecture);
    const auto flags = number_at<std::uint64_t>(header, entry_header::flags);
    if (flags & flag_architecture) entry.variant = FatBinaryEntry::Variant::architecture;
    if (flags & flag_family) entry.variant = FatBinaryEntry::Variant::family;
    entry.uncompressed_bytes = payload.size();
    entry.payload = payload;
    if (!(flags & (flag_lz4 | flag_zstd))) return entry;
    entry.compression = flags & flag_lz4 ? FatBinaryEntry::Compression::lz4 : FatBinaryEntry::Compression::zstd;
    const auto compressed = number_at<std::uint32_t>(header, entry_header::compressed_bytes);
    entry.uncompressed_bytes = number_at<std::uint64_t>(header, entry_header::uncompressed_bytes);
    if (compressed > payload.size()) damaged(MessageCode::text_longer_than_place);
    if (entry.uncompressed_bytes > most_text_bytes) damaged({MessageCode::strange_text_size, {{"bytes", entry.uncompressed_bytes}}});
    entry.payload = payload.first(compressed);
    return entry;
}

std::string decompressed(const FatBinaryEntry& entry) {
    std::string text(entry.uncompressed_bytes, '\0');
    bool whole = false;
    if (entry.compression == FatBinaryEntry::Compression::lz4) {
        if (text.size() > most_lz4_bytes || entry.payload.size() > most_lz4_bytes) damaged(MessageCode::text_too_long);
        const int bytes = LZ4_decompress_safe(reinterpret_cast<const char*>(entry.payload.data()), text.data(),
                                              static_cast<int>(entry.payload.size()), static_cast<int>(text.size()));
        whole = bytes >= 0 && static_cast<std::size_t>(bytes) == text.size();
    } else {
        const std::size_t bytes = ZSTD_decompress(text.data(), text.size(), entry.payload.data(), entry.payload.size());
        whole = !ZSTD_isError(bytes) && bytes == text.size();
    }
    if (!whole) damaged(MessageCode::broken_compression);
    return text;
}

/// Returns the number of bytes from `address` to the end of the mapped part of the program or library that holds it; the largest number
/// if none does.
std::size_t mapped_bytes(std::uintptr_t address) {
    struct Query {
        std::uintptr_t address;
        std::size_t bytes;
    } query{address, std::numeric_limits<std::size_t>::max()};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& wanted = *static_cast<Query*>(data);
            for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
                const auto& segment = info->dlpi_phdr[i];
                const std::size_t offset = wanted.address - (info->dlpi_addr + segment.p_vaddr);
                if (segment.p_type != PT_LOAD || offset >= segment.p_memsz) continue;
                wanted.bytes = segment.p_memsz - offset;
                return 1;
            }
            return 0;
        },
        &query);
    return query.bytes;
}

}  // namespace

std::string FatBinaryEntry::target() const {
    const char* suffix = variant == Variant::architecture ? "a" : variant == Variant::family ? "f" : "";
    return (kind == Kind::ptx ? "compute_" : "sm_") + std::to_string(architecture) + suffix;
}

bool is_fat_binary(const void* data) {
    std::uint32_t magic = 0;
    std::memcpy(&magic, data, sizeof magic);
    return magic == container_magic;
}

std::span<const std::uint8_t> container_at(const void* data) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    const std::size_t mapped = mapped_bytes(reinterpret_cast<std::uintptr_t>(data));
    if (mapped < container_header::size || !is_fat_binary(data)) damaged(MessageCode::strange_first_bytes);
    const std::span<const std::uint8_t> header(bytes, container_header::size);
    const std::size_t header_bytes = number_at<std::uint16_t>(header, container_header::header_bytes);
    const auto payload_bytes = number_at<std::uint64_t>(header, container_header::payload_bytes);
    if (payload_bytes > mapped - header_bytes || header_bytes > mapped) damaged(MessageCode::longer_than_program);
    return {bytes, header_bytes + payload_bytes};
}

std::vector<FatBinaryEntry> read_fat_binary(std::span<const std::uint8_t> container) {
    if (container.size() < container_header::size || !is_fat_binary(container.data())) damaged(MessageCode::strange_first_bytes);
    const std::size_t header_bytes = number_at<std::uint16_t>(container, container_header::header_bytes);
    const auto payload_bytes = number_at<std::uint64_t>(container, container_header::payload_bytes);
    if (header_bytes < container_header::size || header_bytes > container.size() || payload_bytes > container.size() - header_bytes)
        damaged({MessageCode::image_cut_off, {{"bytes", payload_bytes}}});
    std::vector<FatBinaryEntry> entries;
    auto rest = container.subspan(header_bytes, payload_bytes);
    while (!rest.empty()) {
        if (rest.size() < entry_header::size) damaged(MessageCode::entry_cut_off);
        const auto header = number_at<std::uint32_t>(rest, entry_header::header_bytes);
        const auto payload = number_at<std::uint64_t>(rest, entry_header::padded_bytes);
        if (header < entry_header::size || header > rest.size() || payload > rest.size() - header) damaged(MessageCode::entry_cut_off);
        entries.push_back(read_entry(rest.first(header), rest.subspan(header, payload)));
        rest = rest.subspan(header + payload);
    }
    return entries;
}

std::string ptx_text(const FatBinaryEntry& entry) {
    std::string text = entry.compression == FatBinaryEntry::Compression::none ? std::string(entry.payload.begin(), entry.payload.end())
                                                                              : decompressed(entry);
    text.resize(std::min(text.size(), text.find('\0')));
    return text;
}

const FatBinaryEntry* best_ptx(const std::vector<FatBinaryEntry>& entries) {
    const FatBinaryEntry* best = nullptr;
    for (const FatBinaryEntry& entry : entries) {
        const bool fits = entry.kind == FatBinaryEntry::Kind::ptx && entry.architecture <= newest_architecture &&
                          (entry.variant == FatBinaryEntry::Variant::none || entry.architecture == newest_architecture);
        if (!fits) continue;
        // Code for exactly this architecture may use more of its features.
        if (!best || entry.architecture > best->architecture || (entry.architecture == best->architecture && entry.variant > best->variant))
            best = &entry;
    }
    return best;
}

}  // namespace simt::calls
