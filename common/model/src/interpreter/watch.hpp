// The events of a launch that the interpreter reports to counters, to the detection of hazards, and to listeners.
//
// Several blocks may run at the same time, each on one host thread. A `BlockWatch` belongs to one block that runs
// and is used by the host thread that made it; a `LaunchWatch` belongs to all of them and is safe to use from several.
// The counts and hazards of a launch do not depend on the number of host threads, if the program's own results do not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simt/counts.hpp"
#include "simt/events.hpp"
#include "simt/hazard.hpp"
#include "simt/machine.hpp"

namespace simt::hazards {

/// The watchers' access to the rest of the model.
struct Surroundings {
    const Machine* machine = nullptr;
    /// Source place of an instruction.
    std::function<SourcePlace(std::uint32_t program_counter)> place_of;
    /// First byte and size of the live allocation, module variable or mapped host memory that holds a global address; size 0
    /// if none does. May be called from several host threads.
    std::function<std::pair<std::uint64_t, std::size_t>(std::uint64_t address)> range_of;
    /// Static and dynamic shared memory of a block of the launch, in bytes.
    std::size_t shared_bytes = 0;
    /// The device that runs the launch, where there are others whose memory it may reach; -1 where it is alone.
    int device = -1;
    /// Number of instructions; a program counter is less.
    std::uint32_t instructions = 0;
    /// The launch runs on one host thread, and no other is watched at the same time: nothing need be locked.
    bool single_threaded = false;
    /// Whether the kernel may order some warps of a block and not others: by a barrier of a part of the block, or by release() and
    /// acquire(). The watcher also detects these calls, but then has less detail about earlier accesses.
    bool orders_parts = false;
    /// Whether a block that begins is counted and watched; empty if all are. May be called from several host threads.
    std::function<bool(std::uint64_t block)> watches;
};

class LaunchWatch;

/// Watches one block at a time.
class BlockWatch {
public:
    explicit BlockWatch(LaunchWatch& launch);
    ~BlockWatch();
    BlockWatch(const BlockWatch&) = delete;
    BlockWatch& operator=(const BlockWatch&) = delete;

    /// A block begins: its shared memory holds nothing. `number` counts the blocks of the grid, x fastest.
    void begin_block(const Extent& index, std::uint64_t number);
    /// Whether the block is counted and watched. Events of a block that is not are ignored.
    bool is_watching() const { return is_watching_; }
    /// An access of a warp, in bounds and aligned: counts it and, in shared and global memory, looks for hazards.
    /// Shared addresses are offsets from the start of the block's shared memory, local ones from that of the thread's.
    void access(const WarpAccess& access);
    /// The same without counting it: for an access that is counted elsewhere, such as the arrival of an asynchronous copy.
    void uncounted_access(const WarpAccess& access);
    /// A warp begins reads or writes of shared memory that go on after their instruction, until end_accesses() of the number that this
    /// returns: whatever synchronizes before that does not order another access after them, not even one by the same thread.
    std::uint32_t begin_accesses(std::vector<WarpAccess> accesses);
    /// Those of `lanes` have ended, and changed the memory of the lanes in `changed`.
    void end_accesses(std::uint32_t number, std::uint32_t lanes = ~0u, std::uint32_t changed = ~0u);
    /// Another block of the cluster has written to the block's shared memory.
    void mark_written(std::uint64_t offset, std::uint64_t bytes);
    /// Counts without looking for hazards.
    void count_only(const WarpAccess& access);
    /// Prefetches the watcher's state for global memory at `address`, which the block may access soon.
    void fetch_ahead(std::uint64_t address);
    /// The same for the addresses of some lanes of an access that is about to be made.
    void fetch_lines(const WarpAccess& access, std::uint32_t lanes);
    /// Counts a bulk copy between global memory, where it starts at `address`, and shared memory. Its reads and writes
    /// are told to uncounted_access(). One that takes several stretches of global memory is one request, told with the first.
    void count_bulk_copy(std::uint32_t program_counter, std::uint64_t address, std::uint64_t bytes, bool loads, std::uint64_t requests = 1);
    /// Adds to the block's work for its multiprocessor, beyond that of its accesses and barriers.
    void add_work(const Work& more);
    /// Tells listeners of lanes that access shared memory in a way that has no counts: another block's, or by st.async and red.async.
    void tell_cluster_access(int lanes);
    /// Tells listeners of a warp that waits for a time (Listener::time_passes).
    void tell_time();
    /// Tells listeners how many instructions a warp has executed that has ended.
    void tell_executed(std::uint64_t instructions);

    /// @name Synchronization
    /// @{
    /// All threads of the block that have not ended have passed a barrier (counted as one barrier).
    void block_barrier();
    /// The block is about to pass a barrier of a cluster of several blocks. Only listeners are told.
    void cluster_barrier();
    /// The threads of these warps have passed a barrier together (a named barrier of a part of the block; counted).
    void part_barrier(std::span<const int> warps);
    /// Lanes of a warp have synchronized with one another. Counted as one warp barrier.
    void warp_barrier(int warp, std::uint32_t lanes);
    /// Orders the warp's accesses so far before another warp's accesses after acquire() of the same object: an mbarrier, or a barrier at
    /// which the warp only arrived. `object` is any number that identifies the object in its block.
    void release(int warp, std::uint64_t object);
    void acquire(int warp, std::uint64_t object);
    /// The last thread has arrived at an mbarrier of the block.
    void phase_ends();
    /// The same between blocks, through an address of global memory: an atomic access, or a fence with a flag.
    /// access() of an atomic to global memory does this by itself.
    void global_release_acquire(std::uint64_t address);
    /// @}

    /// The block has ended, or was stopped.
    void end_block();

private:
    friend class LaunchWatch;
    friend class WatchedStore;
    struct State;
    std::unique_ptr<State> state_;
    bool is_watching_ = false;
};

/// Locks the lines of a store to global memory until it has been made and reported, against other host threads.
class WatchedStore {
public:
    /// @param access whose addresses are known @param lanes that store to global memory
    WatchedStore(const BlockWatch& watch, const WarpAccess& access, std::uint32_t lanes);
    ~WatchedStore() {
        if (watch_) unlock();
    }
    WatchedStore(const WatchedStore&) = delete;
    WatchedStore& operator=(const WatchedStore&) = delete;

private:
    void unlock();

    const BlockWatch* watch_ = nullptr;
};

/// Watches one launch.
class LaunchWatch {
public:
    /// `listeners` hear every event, too; while there are any, the caller runs one block at a time.
    LaunchWatch(const LaunchInfo& info, std::string kernel, Surroundings surroundings, std::vector<Listener*> listeners);
    ~LaunchWatch();
    LaunchWatch(const LaunchWatch&) = delete;
    LaunchWatch& operator=(const LaunchWatch&) = delete;

    /// Reports a hazard that the interpreter has found, once a launch for each kind and pair of instructions: the hazard of the lowest
    /// block number is kept.
    /// @param threads numbers of the threads in their block
    void report(HazardKind kind, const Extent& block, std::uint64_t block_number, std::span<const int> threads,
                std::span<const std::uint32_t> program_counters, Message message);

    /// Grid-wide: all threads of all blocks have passed a barrier. That each block has is told to its block_barrier().
    void grid_barrier();

    /// Called once, after the last block: counts of the launch by source line, sorted, and its hazards in the order of blocks.
    LaunchCounts take_counts();
    std::vector<Hazard> take_hazards();

private:
    friend class BlockWatch;
    struct State;
    std::unique_ptr<State> state_;
};

/// Releases the watchers' state for addresses that have been freed.
void forget_global_memory(std::uint64_t address, std::size_t bytes);

}  // namespace simt::hazards
