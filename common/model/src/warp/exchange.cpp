// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What lanes of a warp do together: shuffles, votes, matches, reductions, and the barrier of a warp. An instruction waits until
// every lane of its mask that has not ended has come to one of its kind with the same mask.

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>

#include "warp/decoder.hpp"
#include "warp/exchange.hpp"
#include "warp/launch.hpp"

namespace simt::warp {

namespace {

enum class Kind : std::uint8_t { barrier, shuffle, vote, match, reduce, elect };
enum class How : std::uint8_t {
    up,
    down,
    butterfly,
    index,  // shfl
    all,
    any,
    uniform,
    ballot,  // vote
    match_any,
    match_all,  // match
    add,
    minimum,
    maximum,
    bit_and,
    bit_or,
    bit_xor,  // redux
    none,
};

struct Exchange {
    Kind kind = Kind::barrier;
    How how = How::none;
    ptx::Type type = ptx::Type::b32;
    int bytes = 4;
    /// Places in the list of operands; -1 where there is none.
    int result = -1, result_predicate = -1, value = -1, second = -1, clamp = -1, members = -1;
    bool value_negated = false, absolute = false, nan = false;
};

const Exchange& details(const Instruction& instruction) { return *reinterpret_cast<const Exchange*>(instruction.immediate); }

/// What the lanes bring along.
struct Brought {
    std::uint32_t lanes = 0;
    std::array<std::uint64_t, lanes_of_warp> value{};
};

unsigned char* slot(const Fragment& fragment, const Instruction& instruction, int n)
{
    return fragment.frame->registers + instruction.operand_at(static_cast<std::size_t>(n));
}

std::uint64_t read(const unsigned char* at, int lane, int bytes)
{
    std::uint64_t value = 0;
    std::memcpy(&value, at + lane * bytes, static_cast<std::size_t>(bytes));
    return value;
}

void bring(const Fragment& fragment, Brought& brought)
{
    const Instruction& instruction = *fragment.instruction;
    const Exchange& exchange = details(instruction);
    brought.lanes |= fragment.mask;
    if (exchange.value < 0) return;
    const unsigned char* from = slot(fragment, instruction, exchange.value);
    for (std::uint32_t rest = fragment.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        auto& value = brought.value[static_cast<std::size_t>(lane)];
        if (exchange.kind == Kind::vote) {
            std::uint32_t predicate;
            std::memcpy(&predicate, from, sizeof predicate);
            value = ((predicate >> lane & 1) != 0) != exchange.value_negated;
        } else {
            value = read(from, lane, exchange.bytes);
        }
    }
}

void give(const Fragment& fragment, const Instruction& instruction, int n, int lane, std::uint64_t value, int bytes)
{
    if (n < 0) return;
    std::memcpy(slot(fragment, instruction, n) + lane * bytes, &value, static_cast<std::size_t>(bytes));
}

void give_predicate(const Fragment& fragment, const Instruction& instruction, int n, int lane, bool value)
{
    if (n < 0) return;
    std::uint32_t predicate;
    unsigned char* at = slot(fragment, instruction, n);
    std::memcpy(&predicate, at, sizeof predicate);
    predicate = (predicate & ~(1u << lane)) | static_cast<std::uint32_t>(value) << lane;
    std::memcpy(at, &predicate, sizeof predicate);
}

void report_inactive(Warp& warp, const Instruction& instruction, int lane, int source)
{
    const int lanes[] = {lane};
    const std::uint32_t program_counters[] = {instruction.program_counter};
    warp.block->report(HazardKind::inactive_lane, warp, lanes, program_counters,
                       hazards::thread_name(warp.launch->info, warp.thread_of(lane)) + " takes a value from lane " +
                           std::to_string(source) + ", which takes no part in the shuffle",
                       "Name only lanes in the mask that make the call, and read only from those.");
}

void shuffle(Warp& warp, const Fragment& fragment, const Brought& brought)
{
    const Instruction& instruction = *fragment.instruction;
    const Exchange& exchange = details(instruction);
    for (std::uint32_t rest = fragment.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto b = static_cast<int>(read(slot(fragment, instruction, exchange.second), lane, 4) & 0x1F);
        const auto c = static_cast<std::uint32_t>(read(slot(fragment, instruction, exchange.clamp), lane, 4));
        const int segment = static_cast<int>(c >> 8 & 0x1F), clamp = static_cast<int>(c & 0x1F);
        const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
        int source = lane;
        bool valid = true;
        switch (exchange.how) {
            case How::up: source = lane - b, valid = source >= most; break;
            case How::down: source = lane + b, valid = source <= most; break;
            case How::butterfly: source = lane ^ b, valid = source <= most; break;
            default: source = least | (b & ~segment), valid = source <= most; break;
        }
        if (!valid) source = lane;
        if (!(brought.lanes >> source & 1)) report_inactive(warp, instruction, lane, source);
        give(fragment, instruction, exchange.result, lane, brought.value[static_cast<std::size_t>(source)], exchange.bytes);
        give_predicate(fragment, instruction, exchange.result_predicate, lane, valid);
    }
}

void vote(const Fragment& fragment, const Brought& brought)
{
    const Instruction& instruction = *fragment.instruction;
    const Exchange& exchange = details(instruction);
    std::uint32_t yes = 0;
    for (std::uint32_t rest = brought.lanes; rest; rest &= rest - 1)
        if (const int lane = std::countr_zero(rest); brought.value[static_cast<std::size_t>(lane)]) yes |= 1u << lane;
    for (std::uint32_t rest = fragment.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        switch (exchange.how) {
            case How::ballot: give(fragment, instruction, exchange.result, lane, yes, 4); break;
            case How::all: give_predicate(fragment, instruction, exchange.result, lane, yes == brought.lanes); break;
            case How::any: give_predicate(fragment, instruction, exchange.result, lane, yes != 0); break;
            default: give_predicate(fragment, instruction, exchange.result, lane, yes == 0 || yes == brought.lanes); break;
        }
    }
}

void match(const Fragment& fragment, const Brought& brought)
{
    const Instruction& instruction = *fragment.instruction;
    const Exchange& exchange = details(instruction);
    for (std::uint32_t rest = fragment.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        std::uint32_t same = 0;
        for (std::uint32_t others = brought.lanes; others; others &= others - 1)
            if (const int other = std::countr_zero(others);
                brought.value[static_cast<std::size_t>(other)] == brought.value[static_cast<std::size_t>(lane)])
                same |= 1u << other;
        if (exchange.how == How::match_all) {
            give(fragment, instruction, exchange.result, lane, same == brought.lanes ? brought.lanes : 0, 4);
            give_predicate(fragment, instruction, exchange.result_predicate, lane, same == brought.lanes);
        } else {
            give(fragment, instruction, exchange.result, lane, same, 4);
        }
    }
}

template <class T>
T reduce_as(const Exchange& exchange, const Brought& brought)
{
    bool first = true;
    T result{};
    for (std::uint32_t rest = brought.lanes; rest; rest &= rest - 1) {
        const auto bits = static_cast<std::uint32_t>(brought.value[static_cast<std::size_t>(std::countr_zero(rest))]);
        T value = std::bit_cast<T>(bits);
        if constexpr (std::is_floating_point_v<T>) {
            if (exchange.absolute) value = value < 0 ? -value : value;
            if (exchange.nan && (value != value || result != result)) {
                result = std::bit_cast<T>(0x7FFF'FFFFu);
                first = false;
                continue;
            }
            if (value != value) continue;
        }
        if (std::exchange(first, false)) {
            result = value;
            continue;
        }
        switch (exchange.how) {
            case How::minimum: result = std::min(result, value); break;
            case How::maximum: result = std::max(result, value); break;
            default: break;
        }
        if constexpr (std::is_unsigned_v<T>) {
            switch (exchange.how) {
                case How::add: result += value; break;
                case How::bit_and: result &= value; break;
                case How::bit_or: result |= value; break;
                case How::bit_xor: result ^= value; break;
                default: break;
            }
        }
    }
    return result;
}

void reduce(const Fragment& fragment, const Brought& brought)
{
    const Exchange& exchange = details(*fragment.instruction);
    const bool ordered = exchange.how == How::minimum || exchange.how == How::maximum;
    std::uint32_t result = 0;
    if (exchange.type == ptx::Type::f32) result = std::bit_cast<std::uint32_t>(reduce_as<float>(exchange, brought));
    else if (exchange.type == ptx::Type::s32 && ordered) result = std::bit_cast<std::uint32_t>(reduce_as<std::int32_t>(exchange, brought));
    else result = reduce_as<std::uint32_t>(exchange, brought);
    for (std::uint32_t rest = fragment.mask; rest; rest &= rest - 1)
        give(fragment, *fragment.instruction, exchange.result, std::countr_zero(rest), result, 4);
}

void elect(const Fragment& fragment, const Brought& brought)
{
    const Exchange& exchange = details(*fragment.instruction);
    const int leader = std::countr_zero(brought.lanes);
    for (std::uint32_t rest = fragment.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        give(fragment, *fragment.instruction, exchange.result, lane, static_cast<std::uint64_t>(leader), 4);
        give_predicate(fragment, *fragment.instruction, exchange.result_predicate, lane, lane == leader);
    }
}

/// Gives each fragment its results, once all lanes have come.
void finish(Warp& warp, const Fragment& fragment, const Brought& brought)
{
    switch (details(*fragment.instruction).kind) {
        case Kind::barrier: break;
        case Kind::shuffle: shuffle(warp, fragment, brought); break;
        case Kind::vote: vote(fragment, brought); break;
        case Kind::match: match(fragment, brought); break;
        case Kind::reduce: reduce(fragment, brought); break;
        case Kind::elect: elect(fragment, brought); break;
    }
}

std::uint32_t members_of(Warp& warp, const Instruction& instruction, int lane)
{
    const Exchange& exchange = details(instruction);
    return static_cast<std::uint32_t>(read(warp.registers + instruction.operand_at(static_cast<std::size_t>(exchange.members)), lane, 4));
}

void check_members(Warp& warp, const Instruction& instruction)
{
    for (std::uint32_t rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (members_of(warp, instruction, lane) >> lane & 1) continue;
        const int lanes[] = {lane};
        const std::uint32_t program_counters[] = {instruction.program_counter};
        warp.block->report(HazardKind::inactive_lane, warp, lanes, program_counters,
                           "lane " + std::to_string(lane) + " calls a warp-level function whose mask does not name it",
                           "Give a mask that names every lane that makes the call.");
    }
}

/// The mask of the first of some lanes. Whoever calls takes part.
std::uint32_t members_of_first(Warp& warp, const Instruction& instruction, std::uint32_t lanes)
{
    const int first = std::countr_zero(lanes);
    return members_of(warp, instruction, first) | 1u << first;
}

/// Those of some lanes whose mask is that of the first one.
std::uint32_t lanes_like_first(Warp& warp, const Instruction& instruction, std::uint32_t lanes)
{
    const std::uint32_t members = members_of_first(warp, instruction, lanes);
    std::uint32_t alike = 0;
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1)
        if (const int lane = std::countr_zero(rest); (members_of(warp, instruction, lane) | 1u << lane) == (members | 1u << lane))
            alike |= 1u << lane;
    return alike;
}

/// Does what lanes with one mask do, if all whom the mask names are among them. False if they have to wait.
bool complete(Warp& warp, const Instruction& instruction, std::uint32_t lanes)
{
    Fragment here{.pc = warp.pc, .mask = lanes, .frame = warp.frame, .top = warp.top};
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

void execute(Warp& warp, const Instruction& instruction)
{
    if (warp.active != warp.mask) warp.split_before(warp.mask & ~warp.active, warp.pc);
    warp.mask = warp.active;
    check_members(warp, instruction);
    // Lanes with different masks wait for different others. Those whose others are here do not part.
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

void read_active_mask(Warp& warp, const Instruction& instruction)
{
    std::uint32_t* to = values<std::uint32_t>(warp, instruction.operand[0]);
    for (std::uint32_t rest = warp.active; rest; rest &= rest - 1) to[std::countr_zero(rest)] = warp.active;
}

How how_of(const ptx::Instruction& instruction)
{
    static constexpr std::pair<const char*, How> names[] = {
        {"up", How::up},       {"down", How::down},   {"bfly", How::butterfly}, {"idx", How::index},  {"all", How::all},
        {"any", How::any},     {"uni", How::uniform}, {"ballot", How::ballot},  {"add", How::add},    {"min", How::minimum},
        {"max", How::maximum}, {"and", How::bit_and}, {"or", How::bit_or},      {"xor", How::bit_xor}};
    for (const auto& [name, how] : names)
        if (instruction.has(name)) return how;
    return How::none;
}

/// Adds operands to the decoded instruction and notes their places.
class Places {
public:
    Places(Decoder& decoder, const ptx::Instruction& from, Instruction& to) : decoder_(decoder), from_(from), to_(to) {}

    int add(std::size_t n, ptx::Type type)
    {
        const ptx::Operand& operand = from_.operands.at(n);
        decoder_.add(to_, decoder_.slot(operand, type));
        return to_.operand_count - 1;
    }
    int add_second(std::size_t n)
    {
        const ptx::Operand& operand = from_.operands.at(n);
        if (operand.second.empty()) return -1;
        decoder_.add(to_, decoder_.slot(operand.second.front(), ptx::Type::pred));
        return to_.operand_count - 1;
    }

private:
    Decoder& decoder_;
    const ptx::Instruction& from_;
    Instruction& to_;
};

}  // namespace

bool release_warp_barriers(Warp& warp)
{
    const std::uint32_t alive = warp.lanes & ~warp.exited;
    for (const Fragment& first : warp.stalled) {
        if (first.wait != Wait::warp_barrier) continue;
        const auto fits = [&](const Fragment& other) {
            return other.wait == Wait::warp_barrier && other.members == first.members &&
                   details(*other.instruction).kind == details(*first.instruction).kind;
        };
        Brought brought;
        for (const Fragment& other : warp.stalled)
            if (fits(other)) bring(other, brought);
        if ((first.members & alive) & ~brought.lanes) continue;
        const std::uint32_t members = first.members;
        const Kind kind = details(*first.instruction).kind;
        std::vector<Fragment> rest;
        for (Fragment& other : warp.stalled) {
            if (other.wait != Wait::warp_barrier || other.members != members || details(*other.instruction).kind != kind) {
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

bool decode_exchange(Decoder& decoder, const ptx::Instruction& instruction, Instruction& out)
{
    const std::string& opcode = instruction.opcode;
    if (opcode == "activemask") {
        decoder.add(out, decoder.slot(instruction.operands.at(0), ptx::Type::b32));
        out.execute = read_active_mask;
        return true;
    }
    Exchange exchange;
    exchange.how = how_of(instruction);
    Places places(decoder, instruction, out);
    using ptx::Type;
    if (opcode == "bar" && instruction.has("warp")) {
        exchange.members = places.add(0, Type::b32);
    } else if (opcode == "shfl" && instruction.has("sync")) {
        exchange.kind = Kind::shuffle;
        exchange.result = places.add(0, Type::b32);
        exchange.result_predicate = places.add_second(0);
        exchange.value = places.add(1, Type::b32);
        exchange.second = places.add(2, Type::b32);
        exchange.clamp = places.add(3, Type::b32);
        exchange.members = places.add(4, Type::b32);
    } else if (opcode == "vote" && instruction.has("sync")) {
        exchange.kind = Kind::vote;
        exchange.result = places.add(0, exchange.how == How::ballot ? Type::b32 : Type::pred);
        exchange.value = places.add(1, Type::pred);
        exchange.value_negated = instruction.operands.at(1).negated;
        exchange.members = places.add(2, Type::b32);
    } else if (opcode == "match") {
        exchange.kind = Kind::match;
        exchange.type = instruction.type();
        exchange.bytes = ptx::bytes_of(exchange.type);
        exchange.how = instruction.has("all") ? How::match_all : How::match_any;
        exchange.result = places.add(0, Type::b32);
        exchange.result_predicate = places.add_second(0);
        exchange.value = places.add(1, exchange.type);
        exchange.members = places.add(2, Type::b32);
    } else if (opcode == "redux") {
        exchange.kind = Kind::reduce;
        exchange.type = instruction.type();
        exchange.absolute = instruction.has("abs");
        exchange.nan = instruction.has("NaN");
        exchange.result = places.add(0, exchange.type);
        exchange.value = places.add(1, exchange.type);
        exchange.members = places.add(2, Type::b32);
    } else if (opcode == "elect") {
        exchange.kind = Kind::elect;
        exchange.result = places.add(0, Type::b32);
        exchange.result_predicate = places.add_second(0);
        exchange.members = places.add(1, Type::b32);
    } else {
        return false;
    }
    decoder.keep(out, exchange);
    out.execute = execute;
    return true;
}

}  // namespace simt::warp
