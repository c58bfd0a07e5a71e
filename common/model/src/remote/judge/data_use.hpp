// How kernels use the data of a case, byte by byte.
#pragma once

#include <algorithm>
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
        : machine_(machine), accesses_(static_cast<std::size_t>(machine.multiprocessors)) {}

    /// Begins to watch a buffer. @param address of its first byte
    void place(const std::string& name, std::uint64_t address, std::uint64_t bytes);

    /// A fill or another call of the runtime writes these bytes of device memory.
    void filled(std::uint64_t address, std::uint64_t bytes) { write(address, bytes, Writer::fill); }
    void copied(std::uint64_t address, std::uint64_t bytes) { write(address, bytes, Writer::copy); }

    void launch_begins(const LaunchInfo& info) override;
    void block_runs(std::uint64_t number) override;
    void warp_access(const WarpAccess& access) override;
    void bulk_copy(std::uint64_t address, std::uint64_t bytes, bool loads, std::uint64_t requests) override;
    void block_barrier() override { pass_barrier(); }
    void cluster_barrier() override { ++cluster_barriers_; }
    void time_passes() override { ++sleeps_; }
    void executed(std::uint64_t instructions) override { executed_ += instructions; }
    void part_barrier() override { pass_barrier(); }
    void cluster_access(int lanes) override { cluster_accesses_ += static_cast<std::uint64_t>(lanes); }
    void launch_ends() override;

    Sums sums(const std::string& name) const;
    /// Bulk copies that load from global memory, and those that store or reduce there.
    struct BulkCopies {
        std::uint64_t requests = 0, sectors = 0, ideal_sectors = 0, bytes = 0;
        /// Wavefronts of shared memory, 128 bytes each.
        std::uint64_t wavefronts = 0;
    };
    const BulkCopies& bulk_loads() const { return bulk_loads_; }
    const BulkCopies& bulk_stores() const { return bulk_stores_; }
    /// Accesses to all memory, and those to global memory in which more than half of the warp takes part.
    struct Accesses { std::uint64_t all = 0, global = 0; };
    /// The work of a block.
    struct Work {
        /// Warp-level accesses to memory, one of shared memory counted by the wavefronts that it takes without conflicts.
        std::uint64_t accesses = 0;
        /// Accesses to shared memory in which at most half of the warp takes part, and the stores among them.
        std::uint64_t narrow = 0, narrow_stores = 0;
        /// Bytes of the data. A byte counts as often as lanes ask for it.
        std::uint64_t loaded = 0;
        /// Bytes that it writes to global memory, of the data or not.
        std::uint64_t stored = 0;
        /// The accesses of each warp since the last barrier of the block or of a part of it, or phase of an mbarrier; and the most of one
        /// warp between each two, added up.
        std::vector<Accesses> of_warps;
        Accesses busiest_warps;
    };
    /// The most of each that one block of one launch does; `stored` is the sum of the most of each launch.
    const Work& largest() const { return largest_; }
    /// The most accesses of a multiprocessor, if each block goes to the one that has the fewest so far.
    std::uint64_t busiest() const { return std::ranges::max(accesses_); }
    /// Accesses of lanes to shared memory of other blocks, and by st.async and red.async.
    std::uint64_t cluster_accesses() const { return cluster_accesses_; }

    /// The blocks of a kernel that a multiprocessor holds at a time, and those that it would hold if they took no shared memory.
    struct Room { int blocks = 1, without_shared = 1; };
    /// That of the launch whose shared memory keeps the most blocks out, for the blocks that remain.
    const Room& room() const { return room_; }

    nlohmann::ordered_json to_json() const;

private:
    enum class Writer : std::uint8_t { none, kernel, fill, copy };
    /// Both have an entry for each byte.
    struct Buffer {
        std::string name;
        std::vector<std::uint8_t> loaded;
        std::vector<Writer> writer;
    };

    /// Calls `visit` with each buffer that has bytes of the range, the place of the first of them, and their number.
    template <class Visit> void in_buffers(std::uint64_t address, std::uint64_t bytes, Visit&& visit);
    void write(std::uint64_t address, std::uint64_t bytes, Writer writer);
    void load(std::uint64_t address, std::uint64_t bytes);
    void store(std::uint64_t address, std::uint64_t bytes);
    void pass_barrier();
    static void end_interval(Work& work);

    /// The buffers by the address of their first byte.
    std::map<std::uint64_t, Buffer> buffers_;
    std::uint64_t cluster_accesses_ = 0;
    /// Barriers of clusters of several blocks, each counted once for each block; and how often warps wait for a time.
    std::uint64_t cluster_barriers_ = 0, sleeps_ = 0;
    /// Instructions of all warps.
    std::uint64_t executed_ = 0;
    /// Loads from and stores to global memory in which at most half of the warp takes part.
    std::uint64_t narrow_global_ = 0;
    /// The accesses for which the warps of all blocks have time, if those of a block wait at each barrier for the busiest one.
    Accesses slots_;
    /// Blocks of the launches that have ended without any access to memory.
    std::uint64_t idle_blocks_ = 0;
    Room room_;
    BulkCopies bulk_loads_, bulk_stores_;
    const Machine& machine_;
    /// By multiprocessor, for the launches that have ended.
    std::vector<std::uint64_t> accesses_;
    Work largest_;
    /// The warps of a block of the running launch, and the work of each block.
    std::uint64_t warps_ = 0;
    std::map<std::uint64_t, Work> work_of_blocks_;
    Work* running_ = nullptr;
};

}  // namespace simt::remote
