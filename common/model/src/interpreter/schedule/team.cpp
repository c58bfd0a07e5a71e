#include "interpreter/schedule/team.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

namespace {

/// Backward branches of a team until its warps leave it, since only warps that run alone notice that they wait in vain.
constexpr int most_rounds = 1024;
constexpr std::size_t most_warps = 32;

/// The lanes of a warp for which an instruction's guard is true.
std::uint32_t guarded_lanes(Warp& warp, const DecodedInstruction& instruction) {
    if (instruction.guard == no_operand) return warp.mask;
    const std::uint32_t guard = predicate(warp, instruction.guard);
    return warp.mask & (instruction.negated >> 31 ? ~guard : guard);
}

}  // namespace

bool Warp::can_join_team() const {
    if (ready.size() != 1 || !stalled.empty() || at_barrier) return false;
    const WarpSplit& all = ready.front();
    return !all.top && !all.frame->caller && all.mask == (lanes & ~exited);
}

bool Warp::take_next() {
    wait_reason = WaitReason::none;
    if (ready.empty()) return false;
    load(ready.back());
    ready.pop_back();
    active = mask;
    return true;
}

void Warp::join_team() {
    take_next();
    in_team = true;
    declined = false;
    patience = std::numeric_limits<int>::max();
}

void Warp::leave_team() {
    in_team = false;
    next_in_team = nullptr;
}

bool Team::gather() {
    if (block_.warps.size() > most_warps) return false;
    Warps all = 0;
    const Warp* first = nullptr;
    for (const auto& warp : block_.warps) {
        if (warp->ended()) continue;
        if (!warp->can_join_team()) return false;
        if (!first) first = warp.get();
        if (warp->ready.front().pc != first->ready.front().pc) return false;
        all |= 1u << warp->index;
    }
    if ((all & (all - 1)) == 0) return false;
    for (const std::size_t n : lanes_in(all)) block_.warps[n]->join_team();
    others_ = all;
    code_ = first->code;
    return true;
}

bool Team::run() {
    if (!gather()) return false;
    group_ = waiting_ = parted_ = 0;
    rounds_left_ = most_rounds;
    while (find_group()) run_group();
    for (const std::size_t n : lanes_in(waiting_)) {
        Warp& warp = *block_.warps[n];
        warp.leave_team();
        warp.come_to_block_barrier(code_[warp.pc - 1]);
    }
    return true;
}

bool Team::find_group() {
    if (!others_ && !pass_barrier()) return false;
    pc_ = next_pc_ = no_operand;
    for (const std::size_t n : lanes_in(others_)) {
        const std::uint32_t at = block_.warps[n]->pc;
        if (at < pc_) {
            next_pc_ = std::exchange(pc_, at);
            group_ = 0;
        }
        if (at == pc_) group_ |= 1u << n;
        else next_pc_ = std::min(next_pc_, at);
    }
    others_ &= ~group_;
    link();
    return true;
}

bool Team::pass_barrier() {
    if (block_.ended_threads > 0 || block_.barriers_in_use & 1) return false;
    if (static_cast<std::size_t>(std::popcount(waiting_)) != block_.warps.size()) return false;
    for (const auto& warp : block_.warps)
        if (warp->pc != block_.warps.front()->pc) return false;
    others_ = std::exchange(waiting_, 0);
    return true;
}

void Team::meet_others() {
    next_pc_ = no_operand;
    for (const std::size_t n : lanes_in(others_)) {
        const std::uint32_t at = block_.warps[n]->pc;
        if (at == pc_) group_ |= 1u << n;
        else next_pc_ = std::min(next_pc_, at);
    }
    others_ &= ~group_;
    link();
}

void Team::link() const {
    Warp* last = nullptr;
    for (const std::size_t n : lanes_in(group_)) {
        Warp* const warp = block_.warps[n].get();
        if (last) last->next_in_team = warp;
        last = warp;
    }
    last->next_in_team = nullptr;
}

void Team::regroup() {
    for (const std::size_t n : lanes_in(group_)) block_.warps[n]->pc = pc_;
    others_ |= std::exchange(group_, 0);
}

void Team::run_group() {
    while (group_) {
        if (pc_ == next_pc_) meet_others();
        const DecodedInstruction& instruction = code_[pc_++];
        switch (instruction.in_team) {
            case InTeam::skips: break;
            case InTeam::at_once: instruction.execute(*block_.warps[first_lane(group_)], instruction); break;
            case InTeam::one_by_one: execute_each(instruction); break;
            case InTeam::branches: branch(instruction); break;
            case InTeam::meets:
                if (group_ & parted_) meet();
                break;
            case InTeam::waits: wait(); break;
            case InTeam::ends: end(instruction); break;
            case InTeam::leaves: leave(group_, pc_ - 1); break;
        }
        if (block_.has_declined) [[unlikely]]
            leave_declined();
    }
}

void Team::execute_each(const DecodedInstruction& instruction) {
    for (const std::size_t n : lanes_in(group_)) {
        Warp& warp = *block_.warps[n];
        warp.pc = pc_;
        if (instruction.guard == no_operand) {
            instruction.execute(warp, instruction);
        } else if ((warp.active = guarded_lanes(warp, instruction)) != 0) {
            RegisterFile* const next = std::exchange(warp.next_in_team, nullptr);
            instruction.execute(warp, instruction);
            warp.next_in_team = next;
        }
        warp.active = warp.mask;
        if (warp.declined) [[unlikely]]
            return;
    }
}

void Team::leave_declined() {
    block_.has_declined = false;
    Warps before = 0;
    for (const std::size_t n : lanes_in(group_)) {
        if (std::exchange(block_.warps[n]->declined, false)) break;
        before |= 1u << n;
    }
    leave(group_ & ~before, pc_ - 1);
    leave(before, pc_);
}

void Team::branch(const DecodedInstruction& instruction) {
    const std::uint32_t target = details<Branch>(instruction).target;
    if (target < pc_ && --rounds_left_ <= 0) {
        rounds_left_ = 0;
        leave(group_, pc_ - 1);
        for (const std::size_t n : lanes_in(others_)) leave(1u << n, block_.warps[n]->pc);
        return;
    }
    Warps taken = 0, passed = 0;
    for (const std::size_t n : lanes_in(group_)) {
        Warp& warp = *block_.warps[n];
        const std::uint32_t lanes = guarded_lanes(warp, instruction);
        if (lanes == 0) passed |= 1u << n;
        else if (lanes == warp.mask && !warp.top) taken |= 1u << n;
    }
    if (passed == group_) return;
    if (taken == group_) {
        pc_ = target;
        if (pc_ > next_pc_) regroup();
        return;
    }
    if ((taken | passed) == group_ && target > pc_) {
        for (const std::size_t n : lanes_in(taken)) block_.warps[n]->pc = target;
        others_ |= taken;
        next_pc_ = std::min(next_pc_, target);
        group_ = passed;
        return link();
    }
    const Warps all = group_;
    regroup();
    for (const std::size_t n : lanes_in(all & ~passed)) {
        Warp& warp = *block_.warps[n];
        if (taken >> n & 1) {
            warp.pc = target;
            continue;
        }
        warp.active = guarded_lanes(warp, instruction);
        instruction.execute(warp, instruction);
        warp.active = warp.mask;
        note_parted(warp);
    }
}

void Team::meet() {
    const Warps all = group_;
    for (const std::size_t n : lanes_in(group_ & parted_)) {
        Warp& warp = *block_.warps[n];
        warp.pc = pc_;
        warp.arrive_at_join(pc_ - 1);
        go_on(warp);
    }
    if (group_ != all) regroup();
}

void Team::end(const DecodedInstruction& instruction) {
    const Warps all = group_;
    for (const std::size_t n : lanes_in(group_)) {
        Warp& warp = *block_.warps[n];
        warp.active = guarded_lanes(warp, instruction);
        if (warp.active) instruction.execute(warp, instruction);
        go_on(warp);
    }
    if (group_ != all) regroup();
}

void Team::go_on(Warp& warp) {
    const Warps bit = 1u << warp.index;
    if (warp.wait_reason != WaitReason::none) {
        group_ &= ~bit;
        if (warp.take_next()) others_ |= bit;
        else warp.leave_team();
    }
    warp.active = warp.mask;
    note_parted(warp);
}

void Team::note_parted(const Warp& warp) {
    const Warps bit = 1u << warp.index;
    parted_ = warp.top ? parted_ | bit : parted_ & ~bit;
}

void Team::wait() {
    for (const std::size_t n : lanes_in(group_)) {
        Warp& warp = *block_.warps[n];
        warp.pc = pc_;
        if (warp.mask == (warp.lanes & ~warp.exited)) waiting_ |= 1u << n;
        else leave(1u << n, pc_ - 1);
    }
    group_ = 0;
}

void Team::leave(Warps warps, std::uint32_t at) {
    for (const std::size_t n : lanes_in(warps)) {
        Warp& warp = *block_.warps[n];
        warp.pc = at;
        warp.leave_team();
        warp.put_back();
    }
    group_ &= ~warps;
    others_ &= ~warps;
}

}  // namespace simt::interpreter
