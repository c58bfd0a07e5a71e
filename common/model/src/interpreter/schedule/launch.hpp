// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// A launch and its blocks while they run.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/address_space.hpp"
#include "interpreter/schedule/child_work.hpp"
#include "interpreter/schedule/warp.hpp"
#include "interpreter/watch.hpp"

namespace simt::interpreter {

/// Ends a launch: thrown by whoever cannot go on. The number is the CUDA runtime's error; the message, if a hazard does not say
/// already what happened, goes to the report's errors.
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
                     error_misaligned = 716, error_invalid_pc = 718, error_failure = 719, error_timeout = 702, error_not_supported = 801;

/// Sets bit n, or bit 63 for all that follow.
inline void note_bit(std::atomic<std::uint64_t>& bits, int n)
{
    const std::uint64_t bit = std::uint64_t{1} << std::min(n, 63);
    // Reading it first lets several host threads keep it in their caches.
    if (!(bits.load(std::memory_order_relaxed) & bit)) bits |= bit;
}
/// Whether it was set.
inline bool has_bit(std::uint64_t bits, std::size_t n) { return bits >> std::min<std::size_t>(n, 63) & 1; }

/// What all blocks of a launch share.
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
    /// Set when one block was stopped: the others end, too.
    std::atomic<bool> stopped{false};
    /// Bit n is set when the program's poll n was made; bit 63 also stands for all that follow.
    std::atomic<std::uint64_t> polled{0};
    /// Likewise for lanes that have made the program's inexact divergence n.
    std::atomic<std::uint64_t> diverged{0};
    /// Set once a store has changed a byte that is not shared or local. Atomic operations and surfaces need not set it: a program that
    /// has them is not repeatable.
    std::atomic<bool> changed_memory{false};
    /// How much processor time it may take, where that is limited.
    std::optional<std::chrono::duration<double>> timeout;

    /// What a block prints. It is handed on in the order of the blocks.
    void print(std::uint64_t block, std::string_view text);
    std::mutex print_mutex;
    std::map<std::uint64_t, std::string> printed;
    /// Device memory for `malloc` in kernels; 0 when the heap is used up.
    std::uint64_t allocate(std::uint64_t bytes);
    void release(std::uint64_t address);
    std::atomic<std::size_t>* heap_bytes_left = nullptr;
    /// Not set where `malloc` in a kernel is an error.
    bool has_heap = true;
    /// What its threads have asked for besides.
    ChildWorks children;

    /// A message on what a lane has done: with its kernel, block and thread.
    Message message_of(const Warp& warp, std::size_t lane, MessageCode code, std::initializer_list<MessageField> fields = {}) const;
    /// Adds the file and the line of an instruction, where they are known.
    Message with_line(Message message, std::uint32_t program_counter) const;
    SourcePlace place_of(std::uint32_t program_counter) const;
    Extent block_index(std::uint64_t number) const;
};

/// Barriers that a program can name; behind them a block has one for each of its warpgroups.
inline constexpr int named_barriers = 16, first_warpgroup_barrier = named_barriers, most_warpgroups = 8;

/// One barrier of a block (`bar.sync n`), that of a warpgroup, or that of a cluster.
struct BlockBarrier {
    /// Threads that have arrived without waiting, what they said the barrier waits for, and their warps.
    int arrived = 0, threads = 0;
    std::vector<int> arrived_warps;
    /// Times that the cluster's barrier was complete.
    std::uint64_t phase = 0;
};

/// Writes what a barrier with a result (`bar.red`) gives to the lanes of a fragment that waited.
void give_barrier_result(const Fragment& fragment, int true_values, int threads);

/// How an instruction goes through global memory, from the addresses of first lanes: the last one, the first one of the block that runs, how far
/// that is from the first one of the block before, and how many accesses a block makes.
struct Expectation {
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
    hazards::BlockWatch watch;
    std::array<BlockBarrier, named_barriers + most_warpgroups> barriers;
    /// Bit n is set while somebody may wait at barrier n.
    std::uint32_t barriers_in_use = 0;
    BlockBarrier cluster_barrier;
    /// Threads that have ended.
    int ended_threads = 0;
    std::array<memory::Allocation, 2> recent{};
    WarpAccess access{};
    /// What to expect of the accesses of an instruction to global memory. Instructions share entries; that costs time and nothing else.
    std::array<Expectation, 128> expectations{};
    /// Accesses to global memory so far whose lanes went to lines of their own.
    std::uint64_t columns = 0;
    /// Copies that are under way (asynchronous.hpp), null until there are some.
    std::shared_ptr<void> asynchronous;

    /// Starts a block of the grid.
    void begin(std::uint64_t number);
    /// Runs every warp for a while. Returns true if the block has ended.
    bool run_slice();
    /// No warp did anything in the last slice that another thread could notice.
    bool idle() const { return idle_; }
    /// It was idle, and all its threads wait: at barriers, or for barriers in shared memory.
    bool only_waits() const { return idle_ && only_polls_; }
    /// All its threads wait, some of them for what other blocks write.
    bool looks_elsewhere() const { return looks_elsewhere_; }
    /// Lanes that wait for others of their warp at a join go on without them. False if there are none.
    bool let_waiting_lanes_go();
    /// Reports why no thread can go on, and stops the launch.
    [[noreturn]] void report_stuck();
    /// Reports a hazard of lanes of a warp.
    void report(HazardKind kind, const Warp& warp, std::span<const std::size_t> lanes, std::span<const std::uint32_t> program_counters,
                Message message);
    /// After lanes came to a barrier or ended: lets those go on that can.
    bool release_barriers();
    bool has_ended() const;
    /// Starts the next phase of the cluster's barrier if all threads have arrived.
    void complete_cluster_barrier();

private:
    bool release_barrier(int number);
    bool release_from_cluster_barrier();
    using Waiting = std::pair<Warp*, const Fragment*>;

    /// Lets those in `waiting_` go on.
    void let_pass(int number, bool whole_block);
    void report_divergence(std::vector<Waiting> waiting, bool some_ended);
    bool is_waiting_for_cluster() const;
    bool idle_ = false, only_polls_ = false, looks_elsewhere_ = false;
    /// Who waits at the barrier that is looked at.
    std::vector<Waiting> waiting_;
};

/// Runs all blocks of a launch, on all cores.
/// @throws LaunchStopped
void run_blocks(Launch& launch, int workers);

}  // namespace simt::interpreter
