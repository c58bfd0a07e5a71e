#include "interpreter/schedule/warp.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "interpreter/decode/flow.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

namespace {

/// Backward branches after which a split lets others run.
constexpr int slice = 64;
/// After this many slices without an effect a split counts as one that only waits, even if its registers change.
constexpr int most_quiet_slices = 1 << 14;

}  // namespace

Warp::Warp(Block& of, int number) : block(&of), launch(&of.launch), index(number), access(of.access) {}

void Warp::begin(std::uint32_t lanes_here) {
    for (auto& left : frames_) spare_frames_.push_back(std::move(left));
    frames_.clear();
    spare_joins_.clear();
    for (auto& join : joins_) spare_joins_.push_back(join.get());
    lanes = lanes_here;
    exited = 0;
    ready.clear();
    stalled.clear();
    at_barrier = nullptr;
    in_team = false;
    next_in_team = nullptr;
    idle_slices_ = quiet_slices_ = 0;
    snapshot_frame_ = nullptr;
    progress = false;
    work = {};
    executed = cost_ = 0;
    Frame* entry = new_frame(*launch->program->entry);
    entry->lanes = lanes;
    entry->local_base = 0;
    need_local(entry->code->local_bytes);
    fill_specials(*entry);
    ready.push_back({.mask = lanes, .frame = entry});
}

Join* Warp::new_join() {
    if (spare_joins_.empty()) {
        joins_.push_back(std::make_unique<Join>());
        return joins_.back().get();
    }
    Join* join = spare_joins_.back();
    spare_joins_.pop_back();
    *join = {};
    return join;
}

void Warp::free_join(Join* join) { spare_joins_.push_back(join); }

void Warp::load(const WarpSplit& split) {
    pc = split.pc;
    mask = split.mask;
    top = split.top;
    if (frame == split.frame) return;
    frame = split.frame;
    code = frame->code->instructions.data();
    registers = frame->registers;
}

WarpSplit Warp::here() const { return {.pc = pc, .mask = mask, .frame = frame, .top = top}; }

WaitReason Warp::run() {
    while (!ready.empty() && !at_barrier) {
        load(ready.back());
        ready.pop_back();
        patience = slice;
        progress = false;
        polls = nullptr;
        look = Look::none;
        loop_end.reset();
        wait_reason = WaitReason::none;
        step();
        if (wait_reason == WaitReason::blocked) idle_slices_ = 0;
        if (wait_reason != WaitReason::yielded) continue;
        give_up_turn();
        return WaitReason::yielded;
    }
    return ended() ? WaitReason::ended : WaitReason::blocked;
}

void Warp::give_up_turn() {
    // The newest split runs last: the others come first.
    const WarpSplit current = here();
    const bool spins = is_spinning(current);
    ready.insert(ready.begin(), current);
    idle_slices_ = spins ? idle_slices_ + 1 : 0;
    // A split that polls for another block's store may not need the waiting lanes of its own warp.
    if (idle_slices_ > static_cast<int>(ready.size()) && look != Look::at_device && let_waiting_lanes_go()) idle_slices_ = 0;
}

void Warp::step() {
    // Counted in a register, where it costs no time.
    std::uint64_t count = 0;
    for (; wait_reason == WaitReason::none; ++count) {
        const DecodedInstruction& instruction = code[pc++];
        active = mask;
        if (instruction.guard != no_operand) {
            const std::uint32_t guard = predicate(*this, instruction.guard);
            active &= instruction.negated >> 31 ? ~guard : guard;
            if (active == 0) continue;
        }
        instruction.execute(*this, instruction);
    }
    executed += count;
}

bool Warp::is_spinning(const WarpSplit& split) {
    if (progress) {
        snapshot_frame_ = nullptr;
        quiet_slices_ = 0;
        return false;
    }
    if (look != Look::none) return true;
    // A loop that only waits leaves its registers unchanged from iteration to iteration.
    const std::size_t bytes = split.frame->code->frame_bytes;
    const bool same = snapshot_frame_ == split.frame && snapshot_pc_ == split.pc && snapshot_.size() == bytes &&
                      std::memcmp(snapshot_.data(), split.frame->registers, bytes) == 0;
    if (!same) {
        snapshot_.assign(split.frame->registers, split.frame->registers + bytes);
        snapshot_frame_ = split.frame;
        snapshot_pc_ = split.pc;
    }
    return same || ++quiet_slices_ > most_quiet_slices;
}

Join* Warp::join_for(const Branch& branch) {
    if (branch.join == no_operand) return nullptr;
    // Joins of inner loops stay above the branch's join: their lanes reach it later.
    const ptx::Numbered<int>& parents = frame->code->loop_parents;
    Join** link = &top;
    std::uint32_t expected = mask;
    while (*link && (*link)->frame == frame && (*link)->loop != branch.join_loop && holds(parents, branch.join_loop, (*link)->loop)) {
        expected = (*link)->expected;
        link = &(*link)->parent;
    }
    if (*link && (*link)->frame == frame && (*link)->pc == branch.join) return *link;
    Join* join = new_join();
    *join = {.pc = branch.join, .expected = expected, .arrived = 0, .frame = frame, .parent = *link, .loop = branch.join_loop};
    *link = join;
    return join;
}

Join* Warp::leave_join(Join* join, std::uint32_t lanes_that_leave) {
    Join* const parent = join->parent;
    join->expected &= ~lanes_that_leave;
    if (join->expected == 0) {
        free_join(join);
    } else if (join->arrived == join->expected) {
        ready.push_back({.pc = join->pc, .mask = join->arrived, .frame = join->frame, .top = parent});
        free_join(join);
    }
    return parent;
}

Join* Warp::leave_loops(Join* from, std::uint32_t lanes_that_leave, int loop) {
    const ptx::Numbered<int>& parents = frame->code->loop_parents;
    Join* join = from;
    while (join && join->frame == frame && !holds(parents, join->loop, loop)) join = leave_join(join, lanes_that_leave);
    return join;
}

void Warp::end_iteration(std::uint32_t target, const DecodedInstruction& branch) {
    if (--patience > 0) return;
    wait_reason = WaitReason::yielded;
    int depth = 0;
    for (const Frame* caller = frame->caller; caller; caller = caller->caller) ++depth;
    loop_end = {.depth = depth, .target = target, .program_counter = branch.program_counter};
}

void Warp::branch(const Branch& branch) {
    const std::uint32_t next = pc;
    if (active == mask) {
        pc = branch.target;
        // No lane waits at a join to which no lane has gone alone.
        if (branch.target == branch.join && !top) ++pc;
        if (branch.target_leaves) top = leave_loops(top, mask, branch.target_loop);
    } else {
        const std::uint32_t taken = active, rest = mask & ~active;
        Join* const join = join_for(branch);
        Join* const of_taken = branch.target_leaves ? leave_loops(top, taken, branch.target_loop) : top;
        Join* const of_rest = branch.next_leaves ? leave_loops(top, rest, branch.next_loop) : top;
        if (join && branch.target == branch.join && of_taken == join) {
            join->arrived |= taken;
            mask = rest;
            top = of_rest;
        } else if (join && pc == branch.join && of_rest == join) {
            join->arrived |= rest;
            mask = taken;
            pc = branch.target;
            top = of_taken;
        } else {
            ready.push_back({.pc = branch.target, .mask = taken, .frame = frame, .top = of_taken});
            mask = rest;
            top = of_rest;
        }
    }
    if (branch.target < next) end_iteration(branch.target, code[next - 1]);
}

void Warp::branch_to(const std::array<std::uint32_t, warp_size>& targets, const std::array<int, warp_size>& loops, const Branch& branch) {
    const std::uint32_t next = pc, away = active;
    const auto together_with = [&](std::uint32_t lanes_left) {
        std::uint32_t together = 0;
        const std::uint32_t target = targets[first_lane(lanes_left)];
        for (const std::size_t lane : lanes_in(lanes_left))
            if (targets[lane] == target) together |= 1u << lane;
        return together;
    };
    const auto first = first_lane(away);
    if (together_with(away) == mask) {
        pc = targets[first];
        top = leave_loops(top, mask, loops[first]);
        if (pc < next) end_iteration(pc, code[next - 1]);
        return;
    }
    join_for(branch);
    for (std::uint32_t left = away; left;) {
        const std::uint32_t together = together_with(left);
        const auto lane = first_lane(left);
        ready.push_back({.pc = targets[lane], .mask = together, .frame = frame, .top = leave_loops(top, together, loops[lane])});
        left &= ~together;
    }
    mask &= ~away;
    if (mask == 0) wait_reason = WaitReason::ended;
}

void Warp::arrive_at_join(std::uint32_t join_pc) {
    while (top && top->pc == join_pc && top->frame == frame) {
        Join* join = top;
        join->arrived |= mask;
        if (join->arrived != join->expected) {
            wait_reason = WaitReason::ended;
            return;
        }
        mask = join->arrived;
        top = join->parent;
        free_join(join);
    }
}

void Warp::remove_from_joins(Join* from, std::uint32_t gone) {
    for (Join* join = from; join;) join = leave_join(join, gone);
}

void Warp::take_time(std::uint64_t cost) {
    cost_ += cost;
    if (cost_ > most_cost) block->watch.tell_time();
}

void Warp::give_up_waiting() {
    if ((sleepers & active) == 0) return;
    sleepers &= ~active;
    block->watch.tell_time();
}

void Warp::exit_lanes() {
    give_up_waiting();
    const std::uint32_t gone = active;
    exited |= gone;
    block->ended_threads += std::popcount(gone);
    progress = true;
    for (Frame* open = frame; open;) {
        Frame* const caller = open->caller;
        open->lanes &= ~gone;
        if (open->lanes == 0 && caller && open != frame) free_frame(open);
        open = caller;
    }
    mask &= ~gone;
    if (mask) {
        for (Join* join = top; join; join = join->parent) join->expected &= ~gone;
        return;
    }
    remove_from_joins(top, gone);
    wait_reason = WaitReason::ended;
}

void Warp::split_before(std::uint32_t others, std::uint32_t at) { ready.push_back({.pc = at, .mask = others, .frame = frame, .top = top}); }

void Warp::come_to_block_barrier(const DecodedInstruction& instruction) {
    progress = true;
    at_barrier = &instruction;
    ++block->warps_at_barrier;
    ready.push_back(here());
    wait_reason = WaitReason::blocked;
}

WarpSplit& Warp::wait(Wait why, const DecodedInstruction& instruction) {
    wait_reason = WaitReason::blocked;
    // Reuses the memory that the split came from.
    if (stalled.empty() && ready.empty()) stalled.swap(ready);
    WarpSplit& waiting = stalled.emplace_back();
    waiting.pc = pc;
    waiting.mask = mask;
    waiting.frame = frame;
    waiting.top = top;
    waiting.wait = why;
    waiting.instruction = &instruction;
    return waiting;
}

bool Warp::let_waiting_lanes_go() {
    for (const auto& own : joins_) {
        Join* join = own.get();
        if (join->arrived == 0 || join->expected == 0 || std::ranges::find(spare_joins_, join) != spare_joins_.end()) continue;
        const std::uint32_t go = join->arrived;
        join->expected &= ~go;
        join->arrived = 0;
        ready.push_back({.pc = join->pc, .mask = go, .frame = join->frame, .top = join->parent});
        return true;
    }
    return false;
}

}  // namespace simt::interpreter
