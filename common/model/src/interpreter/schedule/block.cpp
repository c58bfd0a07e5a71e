#include <algorithm>
#include <bit>
#include <cstring>

#include "interpreter/asynchronous/asynchronous.hpp"
#include "interpreter/schedule/exchange.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

namespace {

constexpr int first_byte = 0xCD;
/// The most times that a warp goes on in one slice after its lanes have waited for one another: without a limit a slice may never end.
constexpr int most_rounds = 256;

bool waits_at(const WarpSplit& split, int barrier) { return split.wait == Wait::block_barrier && split.barrier == barrier; }

/// Lets the splits of a warp that wait at a barrier go on.
void make_ready(Warp& warp, int barrier) {
    if (warp.ready.empty() && warp.stalled.size() == 1) {
        warp.ready.swap(warp.stalled);
        warp.ready.front().wait = Wait::none;
        return;
    }
    for (const WarpSplit& split : warp.stalled) {
        if (!waits_at(split, barrier)) continue;
        warp.ready.push_back(split);
        warp.ready.back().wait = Wait::none;
    }
    std::erase_if(warp.stalled, [=](const WarpSplit& split) { return waits_at(split, barrier); });
}

MessageCode code_of(const WarpSplit& split) {
    switch (split.wait) {
        case Wait::block_barrier:
            return split.barrier >= first_warpgroup_barrier ? MessageCode::waits_for_warpgroup : MessageCode::waits_at_block_barrier;
        case Wait::cluster_barrier: return MessageCode::waits_at_cluster_barrier;
        default: return MessageCode::waits_for_lanes;
    }
}

}  // namespace

Block::Block(Launch& of) : launch(of), watch(*of.watch) {
    cluster = {this};
    shared_memory.resize(launch.program->shared_extent + launch.info.dynamic_shared_bytes + 1024);
    for (int i = 0; i < launch.warps; ++i) warps.push_back(std::make_unique<Warp>(*this, i));
}

Block::~Block() = default;

void Block::begin(std::uint64_t block_number) {
    number = block_number;
    index = launch.block_index(number);
    std::memset(shared_memory.data(), first_byte, shared_memory.size());
    for (BlockBarrier& barrier : barriers) barrier = {};
    cluster_barrier = {};
    barriers_in_use = 0;
    warps_at_barrier = 0;
    ended_threads = 0;
    work = {};
    asynchronous.reset();
    idle_ = false;
    watch.begin_block(index, number);
    for (const auto& warp : warps) {
        const int threads = std::min(launch.threads - warp->index * warp_size, warp_size);
        warp->begin(threads == warp_size ? all_lanes : (1u << threads) - 1);
    }
}

bool Block::has_ended() const { return ended_threads == launch.threads; }

bool Block::run_slice() {
    idle_ = only_polls_ = true;
    bool ran = !watch.is_watching() && team.run(), looks = false, works = false;
    if (ran && !team.took_long()) idle_ = false;
    for (const auto& warp : warps) {
        for (int round = 0; round < most_rounds && !warp->ready.empty(); ++round) {
            ran = true;
            const WaitReason wait_reason = warp->run();
            if (wait_reason == WaitReason::yielded) {
                if (warp->idle_slices() == 0) idle_ = false;
                if (!warp->polls) only_polls_ = false;
                (warp->look == Look::at_device ? looks : works) = true;
                break;
            }
            idle_ = false;
            if (!has_warp_barriers(*warp) || !release_warp_barriers(*warp)) break;
        }
    }
    const bool released = pass_block_barrier() | release_barriers();
    if (released) idle_ = false;
    looks_elsewhere_ = looks && !works && !released;
    if (has_ended()) {
        if (asynchronous) Asynchronous::of(*this).finish();
        end_watching();
        return true;
    }
    if (!ran && !released && !is_waiting_for_cluster() && !let_waiting_lanes_go()) report_stuck();
    return false;
}

void Block::end_watching() {
    watch.add_work(work);
    for (const auto& warp : warps) {
        watch.add_work(warp->work);
        watch.tell_executed(warp->executed);
    }
    watch.end_block();
}

bool Block::let_waiting_lanes_go() {
    bool went = false;
    for (const auto& warp : warps) went |= warp->let_waiting_lanes_go();
    return went;
}

bool Block::is_waiting_for_cluster() const {
    return std::ranges::any_of(warps, [](const auto& warp) {
        return std::ranges::any_of(warp->stalled, [](const WarpSplit& split) { return split.wait == Wait::cluster_barrier; });
    });
}

bool Block::pass_block_barrier() {
    if (warps_at_barrier == 0) return false;
    const DecodedInstruction* const at = warps.front()->at_barrier;
    const bool all_came = warps_at_barrier == warps.size() && ended_threads == 0 && !(barriers_in_use & 1) &&
                          std::ranges::all_of(warps, [=](const auto& warp) { return warp->at_barrier == at; });
    warps_at_barrier = 0;
    if (all_came) watch.block_barrier();
    for (const auto& warp : warps) {
        const DecodedInstruction* const waits_at = std::exchange(warp->at_barrier, nullptr);
        if (all_came || !waits_at) continue;
        warp->stalled.swap(warp->ready);
        warp->stalled.front().wait = Wait::block_barrier;
        warp->stalled.front().instruction = waits_at;
        barriers_in_use |= 1;
    }
    return all_came;
}

bool Block::release_barriers() {
    bool released = came_to_cluster_barrier && release_from_cluster_barrier();
    for (std::uint32_t rest = barriers_in_use; rest; rest &= rest - 1) released |= release_barrier(std::countr_zero(rest));
    return released;
}

bool Block::release_barrier(int barrier_number) {
    auto& waiting = waiting_;
    waiting.clear();
    const int ended = ended_threads;
    int lanes = 0, wanted = 0, true_values = 0;
    bool have_result = false, same_instruction = true;
    for (const auto& warp : warps) {
        for (const WarpSplit& split : warp->stalled) {
            if (!waits_at(split, barrier_number)) continue;
            waiting.emplace_back(warp.get(), &split);
            lanes += std::popcount(split.mask);
            wanted = std::max(wanted, split.barrier_threads);
            true_values += std::popcount(split.barrier_values & split.mask);
            have_result |= split.wants_result;
            same_instruction &= split.instruction == waiting.front().second->instruction;
        }
    }
    if (waiting.empty()) return false;
    const bool whole_block = wanted == 0;
    const int needed = whole_block ? launch.threads : wanted;
    const int come = lanes + barriers[static_cast<std::size_t>(barrier_number)].arrived;
    if (come < needed && !(whole_block && come + ended >= needed)) return false;
    const bool several_program_counters = !same_instruction && std::ranges::any_of(waiting, [&](const Waiting& other) {
        return launch.place_of(other.second->instruction->program_counter) !=
               launch.place_of(waiting.front().second->instruction->program_counter);
    });
    if (whole_block && ((ended > 0 && come < needed) || several_program_counters)) report_divergence(waiting, ended > 0);
    if (have_result)
        for (const auto& [warp, split] : waiting)
            if (split->wants_result) give_barrier_result(*split, true_values, lanes);
    let_pass(barrier_number, whole_block);
    return true;
}

void Block::let_pass(int barrier_number, bool whole_block) {
    BlockBarrier& barrier = barriers[static_cast<std::size_t>(barrier_number)];
    if (barrier_number >= first_warpgroup_barrier) {
        for (const auto& [warp, split] : waiting_) watch.release(warp->index, static_cast<std::uint64_t>(barrier_number));
        for (const auto& [warp, split] : waiting_) watch.acquire(warp->index, static_cast<std::uint64_t>(barrier_number));
    } else if (whole_block) {
        watch.block_barrier();
    } else {
        std::vector<int> passing;
        for (const auto& [warp, split] : waiting_)
            if (std::ranges::find(passing, warp->index) == passing.end()) passing.push_back(warp->index);
        watch.part_barrier(passing);
        if (!barrier.arrived_warps.empty())
            for (const int warp : passing) watch.acquire(warp, static_cast<std::uint64_t>(barrier_number));
    }
    barrier = {};
    barriers_in_use &= ~(1u << barrier_number);
    Warp* last = nullptr;
    for (const auto& [warp, split] : waiting_) {
        if (warp != last) make_ready(*warp, barrier_number);
        last = warp;
    }
}

void Block::report_divergence(std::vector<Waiting> waiting, bool some_ended) {
    std::ranges::sort(waiting, {}, [](const Waiting& one) { return one.first->thread_of(std::countr_zero(one.second->mask)); });
    const auto& [warp, split] = waiting.front();
    const int first = warp->thread_of(first_lane(split->mask));
    const std::uint32_t program_counter = split->instruction->program_counter;
    if (some_ended)
        for (const auto& other : warps) {
            if (!other->exited) continue;
            const int ended = other->thread_of(std::countr_zero(other->exited));
            const int threads[] = {first, ended};
            const std::uint32_t program_counters[] = {program_counter};
            launch.watch->report(
                HazardKind::divergent_barrier, index, number, threads, program_counters,
                {MessageCode::barrier_after_end, {{"ended", launch.info.thread(ended)}, {"thread", launch.info.thread(first)}}});
            return;
        }
    for (const auto& [other_warp, other] : waiting) {
        if (launch.place_of(other->instruction->program_counter) == launch.place_of(program_counter)) continue;
        const int there = other_warp->thread_of(std::countr_zero(other->mask));
        const int threads[] = {first, there};
        const std::uint32_t program_counters[] = {program_counter, other->instruction->program_counter};
        launch.watch->report(
            HazardKind::divergent_barrier, index, number, threads, program_counters,
            {MessageCode::different_barriers, {{"thread", launch.info.thread(first)}, {"other", launch.info.thread(there)}}});
        return;
    }
}

void Block::complete_cluster_barrier() {
    Block& leader = *cluster.front();
    int threads = 0;
    for (const Block* block : cluster)
        for (const auto& warp : block->warps) threads += std::popcount(warp->lanes & ~warp->exited);
    if (leader.cluster_barrier.arrived == 0 || leader.cluster_barrier.arrived < threads) return;
    leader.cluster_barrier.arrived = 0;
    ++leader.cluster_barrier.phase;
    for (Block* block : cluster) {
        if (cluster.size() > 1) block->watch.cluster_barrier();
        block->watch.block_barrier();
    }
}

bool Block::release_from_cluster_barrier() {
    bool released = false;
    for (const auto& warp : warps) {
        const auto leaves = [&](const WarpSplit& split) {
            return split.wait == Wait::cluster_barrier && cluster.front()->cluster_barrier.phase != warp->cluster_phase;
        };
        for (WarpSplit split : warp->stalled) {
            if (!leaves(split)) continue;
            split.wait = Wait::none;
            warp->ready.push_back(split);
            released = true;
        }
        std::erase_if(warp->stalled, leaves);
    }
    return released;
}

void Block::report(HazardKind kind, const Warp& warp, std::span<const std::size_t> lanes, std::span<const std::uint32_t> program_counters,
                   Message message) {
    std::vector<int> threads;
    for (const std::size_t lane : lanes) threads.push_back(warp.thread_of(lane));
    launch.watch->report(kind, index, number, threads, program_counters, std::move(message));
}

void Block::report_stuck() {
    std::vector<int> threads;
    std::vector<std::uint32_t> program_counters;
    std::vector<Message> waiting;
    const auto add = [&](const DecodedInstruction& instruction, int thread, MessageCode how) {
        if (std::ranges::find(program_counters, instruction.program_counter) != program_counters.end()) return;
        threads.push_back(thread);
        program_counters.push_back(instruction.program_counter);
        waiting.push_back({how, {{"thread", launch.info.thread(thread)}}});
    };
    for (const auto& warp : warps) {
        for (const WarpSplit& split : warp->stalled) add(*split.instruction, warp->thread_of(first_lane(split.mask)), code_of(split));
        if (warp->polls && !warp->ready.empty()) add(*warp->polls, warp->thread_of(warp->polling_lane), MessageCode::waits_for_phase);
    }
    launch.watch->report(HazardKind::deadlock, index, number, threads, program_counters,
                         {MessageCode::threads_wait, {{"waiting", std::move(waiting)}}});
    throw LaunchStopped(error_failure);
}

}  // namespace simt::interpreter
