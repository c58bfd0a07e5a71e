// Instructions that lanes of a warp execute together: shuffles, votes, matches, reductions, and the barrier of a warp. Each waits
// until every lane of its mask that has not ended has reached an instruction of the same kind with the same mask.

#include "interpreter/schedule/exchange.hpp"
#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/decode/decoder.hpp"
#include "interpreter/schedule/exchange_operands.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

namespace {

using ptx::Type;

std::uint32_t members_of(Warp& warp, const DecodedInstruction& instruction, std::size_t lane) {
    const auto& exchange = details<Exchange>(instruction);
    return static_cast<std::uint32_t>(lane_value(warp, instruction.operand_at(exchange.members), lane, 4));
}

void check_members(Warp& warp, const DecodedInstruction& instruction) {
    for (const std::size_t lane : lanes_in(warp.mask)) {
        if (members_of(warp, instruction, lane) >> lane & 1) continue;
        const std::size_t lanes[] = {lane};
        const std::uint32_t program_counters[] = {instruction.program_counter};
        warp.block->report(HazardKind::inactive_lane, warp, lanes, program_counters, {MessageCode::mask_without_lane, {{"lane", lane}}});
    }
}

/// The mask that the first of `lanes` names, and that lane itself.
std::uint32_t members_of_first(Warp& warp, const DecodedInstruction& instruction, std::uint32_t lanes) {
    const std::size_t first = first_lane(lanes);
    return members_of(warp, instruction, first) | 1u << first;
}

/// Those of `lanes` whose mask equals the first lane's mask.
std::uint32_t lanes_like_first(Warp& warp, const DecodedInstruction& instruction, std::uint32_t lanes) {
    const std::uint32_t members = members_of_first(warp, instruction, lanes);
    std::uint32_t alike = 0;
    for (const std::size_t lane : lanes_in(lanes))
        if ((members_of(warp, instruction, lane) | 1u << lane) == (members | 1u << lane)) alike |= 1u << lane;
    return alike;
}

/// Whether the lanes of the running split have one mask, which names all of them.
bool all_name_each_other(Warp& warp, const DecodedInstruction& instruction) {
    const std::uint32_t* members = values<std::uint32_t>(warp, instruction.operand_at(details<Exchange>(instruction).members));
    const std::uint32_t first = members[first_lane(warp.mask)];
    return !(warp.mask & ~(first & lanes_where<std::uint32_t>([=](int lane) { return members[lane] == first; })));
}

/// Executes the instruction for `lanes`, which have one mask, if they are all the lanes of that mask. Returns false if they have
/// to wait for others.
bool complete(Warp& warp, const DecodedInstruction& instruction, std::uint32_t lanes) {
    WarpSplit here{.pc = warp.pc, .mask = lanes, .frame = warp.frame, .top = warp.top};
    here.instruction = &instruction;
    here.members = members_of_first(warp, instruction, lanes) | lanes;
    const std::uint32_t alive = warp.lanes & ~warp.exited;
    if ((here.members & alive) != here.mask) return false;
    Brought brought;
    bring(here, brought);
    finish(warp, here, brought);
    warp.block->watch.warp_barrier(warp.index, lanes);
    return true;
}

void execute(Warp& warp, const DecodedInstruction& instruction) {
    if (warp.in_team) {
        declines(warp, warp.active != all_lanes || !all_name_each_other(warp, instruction) || !complete(warp, instruction, warp.mask));
        return;
    }
    if (warp.active != warp.mask) warp.split_before(warp.mask & ~warp.active, warp.pc);
    warp.mask = warp.active;
    if (all_name_each_other(warp, instruction) && complete(warp, instruction, warp.mask)) return;
    check_members(warp, instruction);
    // Lanes with different masks wait for different lanes. Groups that are complete go on together.
    std::uint32_t waiting = 0;
    for (std::uint32_t rest = warp.mask; rest;) {
        const std::uint32_t alike = lanes_like_first(warp, instruction, rest);
        rest &= ~alike;
        if (!complete(warp, instruction, alike)) waiting |= alike;
    }
    if (!waiting) return;
    if (waiting != warp.mask) {
        warp.split_before(waiting);
        warp.mask &= ~waiting;
        return;
    }
    const std::uint32_t alike = lanes_like_first(warp, instruction, warp.mask);
    if (alike != warp.mask) warp.split_before(warp.mask & ~alike);
    warp.mask = alike;
    warp.wait(Wait::warp_barrier, instruction).members = members_of_first(warp, instruction, alike) | alike;
}

void read_active_mask(Warp& warp, const DecodedInstruction& instruction) {
    std::uint32_t* to = values<std::uint32_t>(warp, instruction.operand[0]);
    for (const std::size_t lane : lanes_in(warp.active)) to[lane] = warp.active;
}

ExchangeHow how_of(const ptx::Instruction& instruction) {
    static constexpr std::pair<const char*, ExchangeHow> names[] = {
        {"up", ExchangeHow::up},     {"down", ExchangeHow::down},   {"bfly", ExchangeHow::butterfly}, {"idx", ExchangeHow::index},
        {"all", ExchangeHow::all},   {"any", ExchangeHow::any},     {"uni", ExchangeHow::uniform},    {"ballot", ExchangeHow::ballot},
        {"add", ExchangeHow::add},   {"min", ExchangeHow::minimum}, {"max", ExchangeHow::maximum},    {"and", ExchangeHow::bit_and},
        {"or", ExchangeHow::bit_or}, {"xor", ExchangeHow::bit_xor}};
    for (const auto& [name, how] : names)
        if (instruction.has(name)) return how;
    return ExchangeHow::none;
}

/// Adds operands to the decoded instruction and notes their places.
class Places {
public:
    Places(Decoder& decoder, const ptx::Instruction& from, DecodedInstruction& to) : decoder_(decoder), from_(from), to_(to) {}

    int add(std::size_t n, ptx::Type type) {
        const ptx::Operand& operand = from_.operands.at(n);
        decoder_.add(to_, decoder_.slot(operand, type));
        return to_.operand_count - 1;
    }
    int add_second(std::size_t n) {
        const ptx::Operand& operand = from_.operands.at(n);
        if (operand.second.empty()) return -1;
        decoder_.add(to_, decoder_.slot(operand.second.front(), ptx::Type::pred));
        return to_.operand_count - 1;
    }

private:
    Decoder& decoder_;
    const ptx::Instruction& from_;
    DecodedInstruction& to_;
};

bool keep(Decoder& decoder, DecodedInstruction& out, const Exchange& exchange) {
    decoder.keep(out, exchange);
    out.execute = execute;
    out.in_team = InTeam::one_by_one;
    return true;
}

}  // namespace

bool release_warp_barriers(Warp& warp) {
    const std::uint32_t alive = warp.lanes & ~warp.exited;
    for (const WarpSplit& first : warp.stalled) {
        if (first.wait != Wait::warp_barrier) continue;
        const auto fits = [&](const WarpSplit& other) {
            return other.wait == Wait::warp_barrier && other.members == first.members &&
                   details<Exchange>(*other.instruction).kind == details<Exchange>(*first.instruction).kind;
        };
        Brought brought;
        for (const WarpSplit& other : warp.stalled)
            if (fits(other)) bring(other, brought);
        if ((first.members & alive) & ~brought.lanes) continue;
        const std::uint32_t members = first.members;
        const ExchangeKind kind = details<Exchange>(*first.instruction).kind;
        std::vector<WarpSplit> rest;
        for (WarpSplit& other : warp.stalled) {
            if (other.wait != Wait::warp_barrier || other.members != members || details<Exchange>(*other.instruction).kind != kind) {
                rest.push_back(other);
                continue;
            }
            finish(warp, other, brought);
            other.wait = Wait::none;
            warp.ready.push_back(other);
        }
        warp.stalled = std::move(rest);
        warp.block->watch.warp_barrier(warp.index, brought.lanes);
        return true;
    }
    return false;
}

bool decode_active_mask(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    decoder.add(out, instruction.operands.at(0), Type::b32);
    out.execute = read_active_mask;
    return true;
}

bool decode_warp_barrier(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (!instruction.has("warp")) return false;
    Places places(decoder, instruction, out);
    return keep(decoder, out, {.members = places.add(0, Type::b32)});
}

bool decode_shuffle(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (!instruction.has("sync")) return false;
    Places places(decoder, instruction, out);
    return keep(decoder, out,
                {.kind = ExchangeKind::shuffle,
                 .how = how_of(instruction),
                 .result = places.add(0, Type::b32),
                 .result_predicate = places.add_second(0),
                 .value = places.add(1, Type::b32),
                 .second = places.add(2, Type::b32),
                 .clamp = places.add(3, Type::b32),
                 .members = places.add(4, Type::b32)});
}

bool decode_vote(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (!instruction.has("sync")) return false;
    const ExchangeHow how = how_of(instruction);
    Places places(decoder, instruction, out);
    return keep(decoder, out,
                {.kind = ExchangeKind::vote,
                 .how = how,
                 .result = places.add(0, how == ExchangeHow::ballot ? Type::b32 : Type::pred),
                 .value = places.add(1, Type::pred),
                 .members = places.add(2, Type::b32),
                 .value_negated = instruction.operands.at(1).negated});
}

bool decode_match(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    const Type type = instruction.type();
    Places places(decoder, instruction, out);
    return keep(decoder, out,
                {.kind = ExchangeKind::match,
                 .how = instruction.has("all") ? ExchangeHow::match_all : ExchangeHow::match_any,
                 .type = type,
                 .bytes = ptx::bytes_of(type),
                 .result = places.add(0, Type::b32),
                 .result_predicate = places.add_second(0),
                 .value = places.add(1, type),
                 .members = places.add(2, Type::b32)});
}

bool decode_reduction(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    const Type type = instruction.type();
    Places places(decoder, instruction, out);
    return keep(decoder, out,
                {.kind = ExchangeKind::reduce,
                 .how = how_of(instruction),
                 .type = type,
                 .result = places.add(0, type),
                 .value = places.add(1, type),
                 .members = places.add(2, Type::b32),
                 .absolute = instruction.has("abs"),
                 .nan = instruction.has("NaN")});
}

bool decode_election(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    Places places(decoder, instruction, out);
    return keep(decoder, out,
                {.kind = ExchangeKind::elect,
                 .result = places.add(0, Type::b32),
                 .result_predicate = places.add_second(0),
                 .members = places.add(1, Type::b32)});
}

}  // namespace simt::interpreter
