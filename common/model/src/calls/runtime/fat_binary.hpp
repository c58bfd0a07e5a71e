// The container in which nvcc puts device code into a program: PTX texts and machine code for several architectures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simt::calls {

/// One piece of device code in a fat binary.
struct FatBinaryEntry {
    enum class Kind : std::uint16_t { ptx = 1, machine_code = 2 };
    enum class Compression : std::uint8_t { none, lz4, zstd };
    enum class Variant : std::uint8_t { none, architecture, family };

    Kind kind = Kind::ptx;
    Compression compression = Compression::none;
    /// `compute_90a` is of the variant `architecture`, `compute_100f` of `family`.
    Variant variant = Variant::none;
    /// The architecture's number, such as 90.
    unsigned architecture = 0;
    std::size_t uncompressed_bytes = 0;
    std::span<const std::uint8_t> payload;

    /// The architecture's name, such as "compute_90a" or "sm_90".
    std::string target() const;
};

/// The structure by which a program registers its containers. Its layout is that of the compiler's header fatbinary_section.h.
struct FatBinaryWrapper {
    static constexpr std::int32_t expected_magic = 0x466243B1, linked_version = 2;
    std::int32_t magic = 0, version = 0;
    const unsigned long long* data = nullptr;
    /// In a wrapper of the linked version, the containers that were linked.
    void* filename_or_containers = nullptr;
};

/// The compute capability, times ten, whose PTX the engine runs.
inline constexpr unsigned newest_architecture = 90;

/// All entries of a container. DeviceError(cudaErrorInvalidKernelImage) if it is damaged.
std::vector<FatBinaryEntry> read_fat_binary(std::span<const std::uint8_t> container);

/// The text of an entry with PTX. DeviceError(cudaErrorInvalidKernelImage) if it is damaged.
std::string ptx_text(const FatBinaryEntry& entry);

/// The entry with PTX that fits the engine best, or null.
const FatBinaryEntry* best_ptx(const std::vector<FatBinaryEntry>& entries);

/// True if a container starts here.
bool is_fat_binary(const void* data);

/// The bytes of the container that starts at `data` in this process, cut where its memory ends.
std::span<const std::uint8_t> container_at(const void* data);

}  // namespace simt::calls
