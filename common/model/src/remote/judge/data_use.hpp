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
#include "simt/machine.hpp"

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

    explicit DataUse(const Machine& machine = machines().front())
        : machine_(machine), work_(static_cast<std::size_t>(machine.multiprocessors))
    {}

    /// Begins to watch a buffer. @param address of its first byte
    void place(const std::string& name, std::uint64_t address, std::uint64_t bytes);

    /// A fill or another call of the runtime writes these bytes of device memory.
    void filled(std::uint64_t address, std::uint64_t bytes) { write(address, bytes, Writer::fill); }
    void copied(std::uint64_t address, std::uint64_t bytes) { write(address, bytes, Writer::copy); }

    void launch_begins(const LaunchInfo& info) override;
    void block_runs(std::uint64_t number) override;
    void warp_access(const WarpAccess& access) override;
    void bulk_copy(std::uint64_t address, std::uint64_t bytes, bool loads, std::uint64_t requests) override;
    void cluster_access(int lanes) override { cluster_accesses_ += static_cast<std::uint64_t>(lanes); }
    void launch_ends() override;

    Sums sums(const std::string& name) const;
    /// Bytes of the data that one block of one launch has loaded, at most. A byte counts as often as lanes ask for it.
    std::uint64_t largest_load() const { return largest_load_; }
    /// Blocks that have loaded bytes of the data, summed over the launches.
    std::uint64_t loading_blocks() const { return loading_blocks_; }
    /// Bulk copies that load from global memory, and those that store or reduce there.
    struct BulkCopies {
        std::uint64_t requests = 0, sectors = 0, ideal_sectors = 0, bytes = 0;
        /// Of shared memory: a wavefront moves 128 bytes.
        std::uint64_t wavefronts = 0;
    };
    const BulkCopies& bulk_loads() const { return bulk_loads_; }
    const BulkCopies& bulk_stores() const { return bulk_stores_; }
    /// What a block or a multiprocessor does: warp-level accesses to memory, one of shared memory counted by the wavefronts that it takes without
    /// conflicts; and wavefronts of shared memory.
    struct Work {
        std::uint64_t accesses = 0, wavefronts = 0;
    };
    /// The most that a multiprocessor does, if each block goes to the one that has the fewest accesses so far.
    Work busiest() const;
    /// Accesses of lanes to shared memory of other blocks, and by st.async and red.async.
    std::uint64_t cluster_accesses() const { return cluster_accesses_; }

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
    std::uint64_t largest_load_ = 0, loading_blocks_ = 0, cluster_accesses_ = 0;
    BulkCopies bulk_loads_, bulk_stores_;
    const Machine& machine_;
    /// By multiprocessor, for the launches that have ended; and by block, for the launch that runs.
    std::vector<Work> work_;
    std::map<std::uint64_t, Work> work_of_blocks_;
    Work* running_ = nullptr;
};

}  // namespace simt::remote
