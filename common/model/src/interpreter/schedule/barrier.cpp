// Barriers of a block and of a cluster, and fences.

#include <bit>
#include <cstring>

#include "interpreter/decode/decoder.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

namespace {

enum class Result : std::uint8_t { none, count, all, any };

/// A number that is the same in all lanes: the value of an operand, or a constant.
struct Uniform {
    int operand = -1;
    std::uint32_t constant = 0;
};

struct Barrier {
    Result result = Result::none;
    bool arrives_only = false, value_negated = false;
    int destination = -1, value = -1;
    Uniform number, threads;
};

std::uint32_t value_of(Warp& warp, const DecodedInstruction& instruction, const Uniform& number) {
    if (number.operand < 0) return number.constant;
    return values<std::uint32_t>(warp, instruction.operand_at(number.operand))[first_lane(warp.active)];
}

/// Makes the lanes whose guard is false a split of their own, which goes on after the instruction.
void leave_others(Warp& warp) {
    if (warp.active == warp.mask) return;
    warp.split_before(warp.mask & ~warp.active, warp.pc);
    warp.mask = warp.active;
}

[[noreturn, gnu::cold]] void stop_without_barrier(const Warp& warp, std::uint32_t number) {
    throw LaunchStopped(error_illegal_instruction,
                        warp.launch->message_of(warp, first_lane(warp.active), MessageCode::no_such_barrier, {{"barrier", number}}));
}

void arrive_at_barrier(Warp& warp, const DecodedInstruction& instruction) {
    leave_others(warp);
    const auto& barrier = details<Barrier>(instruction);
    const std::uint32_t number = value_of(warp, instruction, barrier.number);
    const std::uint32_t threads = value_of(warp, instruction, barrier.threads);
    if (number >= named_barriers) stop_without_barrier(warp, number);
    warp.progress = true;
    warp.block->barriers_in_use |= 1u << number;
    if (barrier.arrives_only) {
        BlockBarrier& of_block = warp.block->barriers[number];
        of_block.arrived += std::popcount(warp.active);
        of_block.threads = static_cast<int>(threads);
        of_block.arrived_warps.push_back(warp.index);
        warp.block->watch.release(warp.index, number);
        return;
    }
    WarpSplit& waiting = warp.wait(Wait::block_barrier, instruction);
    waiting.barrier = static_cast<int>(number);
    waiting.barrier_threads = static_cast<int>(threads);
    if (barrier.value >= 0) {
        const std::uint32_t value = predicate(warp, instruction.operand_at(barrier.value));
        waiting.barrier_values = barrier.value_negated ? ~value : value;
        waiting.wants_result = true;
    }
}

/// `bar.sync 0`, which mostly all lanes of a warp reach together.
void arrive_at_block_barrier(Warp& warp, const DecodedInstruction& instruction) {
    if (warp.active != (warp.lanes & ~warp.exited)) return arrive_at_barrier(warp, instruction);
    warp.come_to_block_barrier(instruction);
}

BlockBarrier& cluster_barrier_of(Warp& warp) { return warp.block->cluster.front()->cluster_barrier; }

void arrive_at_cluster(Warp& warp, const DecodedInstruction&) {
    warp.progress = true;
    BlockBarrier& barrier = cluster_barrier_of(warp);
    warp.cluster_phase = barrier.phase;
    warp.block->came_to_cluster_barrier = true;
    barrier.arrived += std::popcount(warp.active);
    warp.block->complete_cluster_barrier();
}

void wait_for_cluster(Warp& warp, const DecodedInstruction& instruction) {
    leave_others(warp);
    if (cluster_barrier_of(warp).phase != warp.cluster_phase) return;
    warp.wait(Wait::cluster_barrier, instruction);
}

void take_time_in_block(Warp& warp, const DecodedInstruction&) { warp.take_time(cost_in_block); }

}  // namespace

void take_time(Warp& warp, const DecodedInstruction&) { warp.take_time(cost_in_memory); }

bool decode_block_barrier(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    using ptx::Type;
    Barrier barrier;
    barrier.arrives_only = instruction.has("arrive");
    std::size_t n = 0;
    const auto add = [&](Type type) {
        decoder.add(out, decoder.slot(instruction.operands.at(n++), type));
        return out.operand_count - 1;
    };
    const auto add_uniform = [&] {
        const ptx::Operand& operand = instruction.operands.at(n);
        if (operand.kind != ptx::Operand::Kind::integer) return Uniform{add(Type::u32)};
        ++n;
        return Uniform{-1, static_cast<std::uint32_t>(operand.integer)};
    };
    if (instruction.has("red")) {
        barrier.result = instruction.has("popc") ? Result::count : instruction.has("and") ? Result::all : Result::any;
        barrier.destination = add(barrier.result == Result::count ? Type::u32 : Type::pred);
    }
    barrier.number = add_uniform();
    const std::size_t values_at_end = barrier.result == Result::none ? 0 : 1;
    if (n + values_at_end < instruction.operands.size()) barrier.threads = add_uniform();
    if (barrier.result != Result::none) {
        barrier.value_negated = instruction.operands.at(n).negated;
        barrier.value = add(Type::pred);
    }
    decoder.keep(out, barrier);
    const auto is_zero = [](const Uniform& number) { return number.operand < 0 && number.constant == 0; };
    const bool is_of_block = is_zero(barrier.number) && is_zero(barrier.threads) && barrier.result == Result::none && !barrier.arrives_only;
    out.execute = is_of_block ? arrive_at_block_barrier : arrive_at_barrier;
    if (is_of_block && instruction.guard < 0) out.in_team = InTeam::waits;
    return true;
}

bool decode_fence(Decoder&, const ptx::Instruction& instruction, DecodedInstruction& out) {
    const bool is_of_block = instruction.has("cta") || instruction.has("proxy");
    out.execute = is_of_block ? take_time_in_block : take_time;
    return true;
}

bool decode_cluster_barrier(Decoder&, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (!instruction.has("cluster")) return false;
    out.execute = instruction.has("arrive") ? arrive_at_cluster : wait_for_cluster;
    return true;
}

void give_barrier_result(const WarpSplit& split, int true_values, int threads) {
    const DecodedInstruction& instruction = *split.instruction;
    const auto& barrier = details<Barrier>(instruction);
    unsigned char* to = split.frame->registers + instruction.operand_at(barrier.destination);
    if (barrier.result == Result::count) {
        for (const std::size_t lane : lanes_in(split.mask)) std::memcpy(to + lane * 4, &true_values, sizeof true_values);
        return;
    }
    const bool value = barrier.result == Result::all ? true_values == threads : true_values > 0;
    std::uint32_t predicate;
    std::memcpy(&predicate, to, sizeof predicate);
    predicate = value ? predicate | split.mask : predicate & ~split.mask;
    std::memcpy(to, &predicate, sizeof predicate);
}

}  // namespace simt::interpreter
