// A warp: 32 lanes under a mask, which diverge at branches and reconverge where the control flow does.
//
// The lanes that are at the same place form a *warp split*. A branch on which its lanes disagree divides a split, and a *join* at
// the branch's immediate post-dominator gathers the lanes again. The splits of a warp take turns, also at backward branches, so
// that lanes that wait for other lanes of their warp let these go on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interpreter/decode/program.hpp"
#include "simt/counts.hpp"
#include "simt/events.hpp"

namespace simt::interpreter {

struct Block;
struct Launch;

/// One instance of a function: the registers of the lanes that called it together.
struct Frame {
    const Code* code = nullptr;
    Frame* caller = nullptr;
    const CallSite* call = nullptr;
    std::uint32_t return_pc = 0;
    /// Lanes that have not returned or ended.
    std::uint32_t lanes = 0;
    std::uint64_t local_base = 0;
    /// Beyond the code's own local memory: what `alloca` took.
    std::uint64_t alloca_bytes = 0;
    unsigned char* registers = nullptr;
    /// Whether the special registers that are the same in all blocks have been filled.
    bool has_fixed_specials = false;
};

/// A place where lanes that diverged meet again.
struct Join {
    std::uint32_t pc = 0, expected = 0, arrived = 0;
    Frame* frame = nullptr;
    Join* parent = nullptr;
    /// The loop that lanes must not leave on their way here; -1 for none.
    int loop = -1;
};

/// A branch: its target, the place where its lanes meet again (no_operand: nowhere), and the loops of these places.
struct Branch {
    std::uint32_t target = 0, join = no_operand;
    int join_loop = -1, target_loop = -1, next_loop = -1;
    /// Whether lanes that take the branch, or that do not, leave a loop.
    bool target_leaves = false, next_leaves = false;
    /// The number of the program's inexact divergence that the branch can cause; -1 for none.
    int inexact_divergence = -1;
};

/// The costs of what is neither an access, a barrier nor arithmetic: of a fence within a block, a reading of the clock and the passing by of
/// caches, and of any other fence, of a prefetch, and of a lane's load or store that orders other accesses. A warp of a right program needs
/// no more than `most_cost`.
constexpr std::uint64_t cost_in_block = 1, cost_in_memory = 16, most_cost = 64;

/// Why a split does not run.
enum class Wait : std::uint8_t { none, block_barrier, warp_barrier, cluster_barrier };

/// Lanes of a warp that are at the same place.
struct WarpSplit {
    std::uint32_t pc = 0, mask = 0;
    Frame* frame = nullptr;
    Join* top = nullptr;
    Wait wait = Wait::none;
    /// At a barrier of the block: its number, and the number of threads it waits for (0: all).
    int barrier = 0;
    int barrier_threads = 0;
    std::uint32_t barrier_values = 0;
    /// Whether the barrier has a result (`bar.red`), which is made of `barrier_values`.
    bool wants_result = false;
    /// At a warp-level operation: the lanes that take part.
    std::uint32_t members = 0;
    const DecodedInstruction* instruction = nullptr;
};

/// The memory that a split polls: its own block's or cluster's, or that of all blocks.
enum class Look : std::uint8_t { none, at_block, at_device };

/// A backward branch that lanes took: the number of calls around it, the number of its target in its function, and its own number in
/// the module. A loop sorts before the loops in it.
struct LoopEnd {
    int depth;
    std::uint32_t target, program_counter;
    auto operator<=>(const LoopEnd&) const = default;
};

/// Why Warp::run() returned.
enum class WaitReason : std::uint8_t { none, ended, yielded, blocked };

struct Warp : RegisterFile {
    Block* block;
    Launch* launch;
    int index;
    /// Lanes that exist, and those that have ended.
    std::uint32_t lanes = 0, exited = 0;

    /// @name The split that runs
    /// @{
    std::uint32_t pc = 0, mask = 0;
    Frame* frame = nullptr;
    Join* top = nullptr;
    const DecodedInstruction* code = nullptr;
    WaitReason wait_reason = WaitReason::none;
    /// @}

    /// Backward branches until the split lets others run.
    int patience = 0;
    /// Set by every effect that another thread could notice: a store that changes memory, an atomic operation, a barrier.
    bool progress = false;
    /// The last poll of the running split in its turn.
    Look look = Look::none;

    /// Whether the warp runs in a team (team.hpp), and whether an instruction had no effect, because only a warp of its own may execute it.
    bool in_team = false, declined = false;

    /// The backward branch at which the last split used up its patience.
    std::optional<LoopEnd> loop_end;

    std::vector<WarpSplit> ready, stalled;
    /// The barrier of the whole block to which all lanes have come in the running slice of the block, or null. Their split is in `ready`,
    /// so that it goes on directly if the other warps come to the barrier, too.
    const DecodedInstruction* at_barrier = nullptr;
    /// Local memory: `local_capacity` bytes a lane, lane after lane.
    std::vector<unsigned char> local;
    std::uint64_t local_capacity = 0;
    /// The current access. It is the block's, since one warp of a block runs at a time.
    WarpAccess& access;
    /// The wait for a barrier in shared memory at which the last split gave up its turn, and a lane of that split; null if it gave
    /// up its turn for another reason.
    const DecodedInstruction* polls = nullptr;
    int polling_lane = 0;
    /// The clock's value, and the number of times that it was read.
    std::uint64_t clock = 0, clock_readings = 0;
    /// Lanes whose last `mbarrier.try_wait` has failed, and the barrier in shared memory.
    std::uint32_t sleepers = 0;
    const unsigned char* sleep_at = nullptr;
    /// The arithmetic that the warp has executed, as it is counted.
    simt::Work work;
    /// The instructions of the text that the warp has executed, and what stands for those of a printf.
    std::uint64_t executed = 0;
    /// Phase of the cluster's barrier at which the warp arrived last.
    std::uint64_t cluster_phase = 0;

    Warp(Block& block, int index);
    ~Warp();
    Warp(const Warp&) = delete;
    Warp& operator=(const Warp&) = delete;

    /// Starts the kernel in `lanes`.
    void begin(std::uint32_t lanes_here);
    /// Runs splits until none is ready, or one has used up its patience.
    WaitReason run();
    bool ended() const { return exited == lanes; }

    /// @name For teams (team.hpp)
    /// @{
    /// Whether all lanes of the warp are at one place of the kernel.
    bool can_join_team() const;
    void join_team();
    void leave_team();
    /// Makes the running split ready.
    void put_back() { ready.push_back(here()); }
    /// Goes on with the newest split that is ready. Returns false if there is none.
    bool take_next();
    /// @}

    /// @name For instructions of control flow
    /// @{
    /// Sends the `active` lanes to the branch's target; the others go on.
    void branch(const Branch& branch);
    /// The same for a branch with several targets, each with its loop.
    void branch_to(const std::array<std::uint32_t, warp_size>& targets, const std::array<int, warp_size>& loops, const Branch& branch);
    void arrive_at_join(std::uint32_t join_pc);
    void call(const CallSite& call, const Code& callee, std::uint32_t callee_lanes);
    void return_from_call();
    /// Ends the `active` lanes.
    void exit_lanes();
    /// Makes `others`, lanes of the running split, a split of their own that goes on at `at`: by default, at the running instruction.
    /// The caller removes them from `mask`.
    void split_before(std::uint32_t others, std::uint32_t at);
    void split_before(std::uint32_t others) { split_before(others, pc - 1); }
    /// Stops the running split after the instruction until it is made ready again. Returns the stalled split, so that the caller can
    /// say what it waits for.
    WarpSplit& wait(Wait why, const DecodedInstruction& instruction);
    /// Stops all lanes of the warp at a barrier of the whole block, until its other warps have had their turn.
    void come_to_block_barrier(const DecodedInstruction& instruction);
    /// @}

    unsigned char* local_lane(std::size_t lane) { return local.data() + lane * local_capacity; }
    void need_local(std::uint64_t bytes);
    /// Lets lanes that wait for others at a join go on without them. Returns false if there are none.
    bool let_waiting_lanes_go();
    int thread_of(std::size_t lane) const { return index * warp_size + static_cast<int>(lane); }

    /// @name Time that passes without an access, a barrier or arithmetic
    /// @{
    /// Tells listeners if the costs exceed `most_cost`.
    void take_time(std::uint64_t cost);
    /// Tells listeners if some of the `active` lanes are sleepers, which give up waiting for their barrier.
    void give_up_waiting();
    /// @}

private:
    Frame* new_frame(const Code& callee);
    void free_frame(Frame* frame);
    Join* new_join();
    void free_join(Join* join);
    void load(const WarpSplit& split);
    WarpSplit here() const;
    void step();
    [[gnu::noinline]] void give_up_turn();
    void remove_from_joins(Join* from, std::uint32_t gone);
    Join* join_for(const Branch& branch);
    /// Takes lanes away from a join, and ends it if it waits for no others. Returns its parent.
    Join* leave_join(Join* join, std::uint32_t lanes_that_leave);
    Join* leave_loops(Join* from, std::uint32_t lanes_that_leave, int loop);
    bool is_spinning(const WarpSplit& split);
    /// Called after a backward branch: others have their turn after many of them.
    void end_iteration(std::uint32_t target, const DecodedInstruction& branch);
    void fill_specials(Frame& frame);

    std::vector<std::unique_ptr<Frame>> frames_, spare_frames_;
    std::vector<std::unique_ptr<Join>> joins_;
    std::vector<Join*> spare_joins_;
    /// The registers of the last split that used up its patience: a split that only waits does not change them.
    std::vector<unsigned char> snapshot_;
    const Frame* snapshot_frame_ = nullptr;
    std::uint32_t snapshot_pc_ = 0;
    int idle_slices_ = 0, quiet_slices_ = 0;
    std::uint64_t cost_ = 0;

public:
    /// The number of slices in a row without an effect that another thread could notice.
    int idle_slices() const { return idle_slices_; }
};

}  // namespace simt::interpreter
