// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// How kernels use the data of a case, byte by byte.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simt/events.hpp"

namespace simt::remote {

/// Keeps for each byte of a case's data whether a kernel has loaded the byte, and who wrote it last.
class DataUse : public Listener {
public:
    /// Sums over the bytes of a buffer.
    struct Sums {
        std::uint64_t bytes = 0;
        /// Loaded by a kernel, by loads or by asynchronous and bulk copies. Atomic operations and textures do not count.
        std::uint64_t loaded = 0;
        /// Written last by a kernel, by a fill (cudaMemset), by another call of the runtime. The remaining bytes are unwritten.
        std::uint64_t stored = 0, filled = 0, copied = 0;
    };

    /// Begins to watch a buffer. @param address of its first byte
    void place(const std::string& name, std::uint64_t address, std::uint64_t bytes);

    /// A fill or another call of the runtime writes these bytes of device memory.
    void filled(std::uint64_t address, std::uint64_t bytes) { write(address, bytes, Writer::fill); }
    void copied(std::uint64_t address, std::uint64_t bytes) { write(address, bytes, Writer::copy); }

    void launch_begins(const LaunchInfo& info) override;
    void block_runs(std::uint64_t number) override { loaded_by_block_ = &loaded_by_blocks_[number]; }
    void warp_access(const WarpAccess& access) override;
    void bulk_copy(std::uint64_t address, std::uint64_t bytes, bool loads) override;
    void launch_ends() override;

    Sums sums(const std::string& name) const;
    /// Bytes of the data that one block of one launch has loaded, at most. A byte counts as often as lanes ask for it.
    std::uint64_t largest_load() const { return largest_load_; }
    /// Blocks that have loaded bytes of the data, summed over the launches.
    std::uint64_t loading_blocks() const { return loading_blocks_; }

    nlohmann::ordered_json to_json() const;

private:
    enum class Writer : std::uint8_t { none, kernel, fill, copy };
    struct Byte {
        bool loaded = false;
        Writer writer = Writer::none;
    };
    struct Buffer {
        std::string name;
        std::vector<Byte> bytes;
    };

    /// Calls `visit` with each byte of the range that belongs to a buffer. @return how many there are
    template <class Visit> std::uint64_t for_each_byte(std::uint64_t address, std::uint64_t bytes, Visit&& visit);
    void write(std::uint64_t address, std::uint64_t bytes, Writer writer);
    void load(std::uint64_t address, std::uint64_t bytes);

    /// The buffers by the address of their first byte.
    std::map<std::uint64_t, Buffer> buffers_;
    std::map<std::uint64_t, std::uint64_t> loaded_by_blocks_;
    std::uint64_t* loaded_by_block_ = nullptr;
    std::uint64_t largest_load_ = 0, loading_blocks_ = 0;
};

}  // namespace simt::remote
