// A launch and its blocks while they run.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/address_space.hpp"
#include "interpreter/schedule/child_work.hpp"
#include "interpreter/schedule/team.hpp"
#include "interpreter/schedule/warp.hpp"
#include "interpreter/watch.hpp"

namespace simt::interpreter {

/// Ends a launch. The number is the CUDA runtime's error. The message goes to the report's errors; there is none where a hazard
/// already says what happened.
class LaunchStopped : public std::exception {
public:
    explicit LaunchStopped(int error, std::optional<Message> message = {}) : error_(error), message_(std::move(message)) {}
    const char* what() const noexcept override { return "a launch was stopped"; }
    int error() const { return error_; }
    const std::optional<Message>& message() const { return message_; }

private:
    int error_;
    std::optional<Message> message_;
};

/// Numbers of CUDA errors that kernels end with.
inline constexpr int error_illegal_address = 700, error_assert = 710, error_stack = 714, error_illegal_instruction = 715,
                     error_misaligned = 716, error_invalid_pc = 718, error_failure = 719, error_timeout = 702, error_out_of_memory = 2,
                     error_not_supported = 801;

/// Sets bit n, or bit 63 for every greater n.
inline void note_bit(std::atomic<std::uint64_t>& bits, int n) {
    const std::uint64_t bit = std::uint64_t{1} << std::min(n, 63);
    // A read before the write lets several host threads keep the bits in their caches.
    if (!(bits.load(std::memory_order_relaxed) & bit)) bits |= bit;
}
/// Whether note_bit() has set bit n.
inline bool has_bit(std::uint64_t bits, std::size_t n) { return bits >> std::min<std::size_t>(n, 63) & 1; }

/// The state that all blocks of a launch share.
struct Launch {
    const Program* program = nullptr;
    const Machine* machine = nullptr;
    LaunchInfo info{};
    Extent cluster{1, 1, 1};
    bool cooperative = false, explicit_cluster = false;
    std::uint64_t blocks = 0;
    int warps = 0, threads = 0;
    std::size_t shared_bytes = 0;
    std::uint64_t grid_id = 0;
    /// Address of the memory in which the blocks of a cooperative launch keep their grid-wide barrier; 0 for other launches.
    std::uint64_t workspace = 0;
    std::vector<unsigned char> parameters;
    hazards::LaunchWatch* watch = nullptr;
    /// Set when one block was stopped, so that the others end too.
    std::atomic<bool> stopped{false};
    /// Hears how many blocks have ended, each time that some have; may be empty.
    std::function<void(std::uint64_t blocks)> progress;
    /// Bit n is set when the program's poll n was made; bit 63 also stands for all that follow.
    std::atomic<std::uint64_t> polled{0};
    /// Bit n is set when lanes have diverged at the program's inexact divergence n; bit 63 as for `polled`.
    std::atomic<std::uint64_t> diverged{0};
    /// Set once a store has changed a byte that is neither shared nor local. Atomic operations and surfaces do not set it, since a
    /// program with them is not repeatable.
    std::atomic<bool> changed_memory{false};
    /// The processor time that the launch may take, where that is limited.
    std::optional<std::chrono::duration<double>> timeout;

    /// Keeps the output of a block; the output is passed on in the order of the blocks.
    void print(std::uint64_t block, std::string_view text);
    std::mutex print_mutex;
    std::map<std::uint64_t, std::string> printed;
    /// Allocates device memory for `malloc` in kernels; returns 0 when the heap is used up.
    std::uint64_t allocate(std::uint64_t bytes);
    void release(std::uint64_t address);
    std::atomic<std::size_t>* heap_bytes_left = nullptr;
    /// The number of times that a thread has released device memory.
    std::atomic<std::uint64_t> releases{0};
    /// False where `malloc` in a kernel is an error.
    bool has_heap = true;
    /// The launches, copies and fills that its threads have asked for.
    ChildWorks children;

    /// Makes a message about a lane, with its kernel, block and thread.
    Message message_of(const Warp& warp, std::size_t lane, MessageCode code, std::initializer_list<MessageField> fields = {}) const;
    /// Adds the file and the line of an instruction, where they are known.
    Message with_line(Message message, std::uint32_t program_counter) const;
    SourcePlace place_of(std::uint32_t program_counter) const;
    Extent block_index(std::uint64_t number) const;
};

/// The barriers that a program can name; after them a block has one barrier for each of its warpgroups.
inline constexpr int named_barriers = 16, first_warpgroup_barrier = named_barriers, most_warpgroups = 8;

/// The state of a barrier of a block (`bar.sync n`), of a warpgroup, or of a cluster.
struct BlockBarrier {
    /// Threads that have arrived without waiting, the number of threads that they expect, and their warps.
    int arrived = 0, threads = 0;
    std::vector<int> arrived_warps;
    /// The number of times that the cluster's barrier was complete.
    std::uint64_t phase = 0;
};

/// Writes the result of a barrier (`bar.red`) for the lanes of a split that waited.
void give_barrier_result(const WarpSplit& split, int true_values, int threads);

/// The pattern of an instruction's accesses to global memory, by the first lane's addresses: the last address, the running block's
/// first address, its distance from the previous block's first address, and the number of accesses in a block.
struct StridePrediction {
    std::uint64_t last = 0, first = 0, to_next_block = 0, block = 0;
    std::uint32_t accesses = 0, accesses_of_last_block = 0;
};

/// One block while it runs.
struct Block {
    explicit Block(Launch& of);
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    Launch& launch;
    Extent index{};
    std::uint64_t number = 0;
    int cluster_rank = 0;
    /// The blocks of its cluster, by rank; itself alone without a cluster.
    std::vector<Block*> cluster;
    std::vector<unsigned char> shared_memory;
    std::vector<std::unique_ptr<Warp>> warps;
    Team team{*this};
    /// Whether a warp of the team has declined an instruction.
    bool has_declined = false;
    hazards::BlockWatch watch;
    std::array<BlockBarrier, named_barriers + most_warpgroups> barriers;
    /// Bit n is set while threads may wait at barrier n.
    std::uint32_t barriers_in_use = 0;
    /// Warps whose `at_barrier` is set.
    std::size_t warps_at_barrier = 0;
    BlockBarrier cluster_barrier;
    /// Set once a thread has arrived at the cluster's barrier. A block without others is a cluster of one.
    bool came_to_cluster_barrier = false;
    /// Threads that have ended.
    int ended_threads = 0;
    /// The block's longest chains of loads (chains.hpp).
    simt::Work work;
    WarpAccess access{};
    /// Predicts an instruction's next accesses to global memory. Instructions may share an entry, which costs time only.
    std::array<StridePrediction, 128> predictions{};
    /// The number of accesses to global memory so far in which each lane had its own line.
    std::uint64_t columns = 0;
    /// The copies that are pending (asynchronous.hpp); null until there is one.
    std::shared_ptr<void> asynchronous;

    /// The allocations that were accessed last. None of them has been freed since.
    std::array<memory::Allocation, 4>& recent() {
        const std::uint64_t releases = launch.releases.load(std::memory_order_relaxed);
        if (releases != releases_before_recent_) [[unlikely]]
            recent_ = {};
        releases_before_recent_ = releases;
        return recent_;
    }

    /// Starts a block of the grid.
    void begin(std::uint64_t number);
    /// Runs every warp for a while. Returns true if the block has ended.
    bool run_slice();
    /// Tells the watch the work of the warps, and that the block has ended or was stopped.
    void end_watching();
    /// Whether the last slice had no effect that another thread could notice.
    bool idle() const { return idle_; }
    /// Whether the block was idle and all its threads wait at barriers or for barriers in shared memory.
    bool only_waits() const { return idle_ && only_polls_; }
    /// Whether all its threads wait, some of them for stores of other blocks.
    bool looks_elsewhere() const { return looks_elsewhere_; }
    /// Lets lanes that wait for others of their warp at a join go on without them. Returns false if there are none.
    bool let_waiting_lanes_go();
    /// Reports why no thread can go on, and stops the launch.
    [[noreturn]] void report_stuck();
    /// Reports a hazard of lanes of a warp.
    void report(HazardKind kind, const Warp& warp, std::span<const std::size_t> lanes, std::span<const std::uint32_t> program_counters,
                Message message);
    /// Lets threads go on that can, after lanes have reached a barrier or ended.
    bool release_barriers();
    bool has_ended() const;
    /// Starts the next phase of the cluster's barrier if all threads have arrived.
    void complete_cluster_barrier();

private:
    /// Lets all warps go on if they have come to one barrier of the block in this slice. Otherwise the warps that have come wait as at all
    /// other barriers.
    bool pass_block_barrier();
    bool release_barrier(int number);
    bool release_from_cluster_barrier();
    using Waiting = std::pair<Warp*, const WarpSplit*>;

    /// Lets those in `waiting_` go on.
    void let_pass(int number, bool whole_block);
    void report_divergence(std::vector<Waiting> waiting, bool some_ended);
    bool is_waiting_for_cluster() const;
    std::array<memory::Allocation, 4> recent_{};
    std::uint64_t releases_before_recent_ = 0;
    bool idle_ = false, only_polls_ = false, looks_elsewhere_ = false;
    /// The splits that wait at the barrier under examination.
    std::vector<Waiting> waiting_;
};

/// Notes that a warp in a team declines an instruction that `is_bad`, such as a hazard. Returns whether it does.
inline bool declines(Warp& warp, bool is_bad) {
    if (!warp.in_team || !is_bad) [[likely]]
        return false;
    return warp.declined = warp.block->has_declined = true;
}

/// Runs all blocks of a launch, on all cores.
/// @throws LaunchStopped
void run_blocks(Launch& launch, int workers);

}  // namespace simt::interpreter
