// The values that lanes of a warp contribute to an instruction that they execute together, and the result for each lane.

#include <algorithm>
#include <bit>

#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/schedule/exchange_operands.hpp"

namespace simt::interpreter {

namespace {

unsigned char* slot(const WarpSplit& split, const DecodedInstruction& instruction, int n) {
    return split.frame->registers + instruction.operand_at(n);
}

void give(const WarpSplit& split, const DecodedInstruction& instruction, int n, std::size_t lane, std::uint64_t value, int bytes) {
    if (n < 0) return;
    write_lane(slot(split, instruction, n), lane, value, bytes);
}

void give_predicate(const WarpSplit& split, const DecodedInstruction& instruction, int n, std::size_t lane, bool value) {
    if (n < 0) return;
    std::uint32_t predicate;
    unsigned char* at = slot(split, instruction, n);
    std::memcpy(&predicate, at, sizeof predicate);
    predicate = (predicate & ~(1u << lane)) | static_cast<std::uint32_t>(value) << lane;
    std::memcpy(at, &predicate, sizeof predicate);
}

void report_inactive(Warp& warp, const DecodedInstruction& instruction, std::size_t lane, int source) {
    const std::size_t lanes[] = {lane};
    const std::uint32_t program_counters[] = {instruction.program_counter};
    warp.block->report(
        HazardKind::inactive_lane, warp, lanes, program_counters,
        {MessageCode::value_of_absent_lane, {{"thread", warp.launch->info.thread(warp.thread_of(lane))}, {"source", source}}});
}

/// The lane whose value each lane takes, and the lanes for which that lane lies in their segment. `source_of` finds it by the lane's
/// own number, its second operand, and the segment's mask.
struct Sources {
    std::array<std::int32_t, warp_size> lane;
    std::uint32_t valid;
};

template <bool up, class SourceOf> Sources find_sources(const std::uint32_t* seconds, const std::uint32_t* clamps, SourceOf source_of) {
    Sources sources;
    alignas(64) std::int32_t is_valid[warp_size];
    for (int own = 0; own < warp_size; ++own) {
        const auto second = static_cast<int>(seconds[own] & 0x1F);
        const auto segment = static_cast<int>(clamps[own] >> 8 & 0x1F), clamp = static_cast<int>(clamps[own] & 0x1F);
        const int most = (own & segment) | (clamp & ~segment), source = source_of(own, second, segment);
        is_valid[own] = up ? source >= most : source <= most;
        sources.lane[static_cast<std::size_t>(own)] = is_valid[own] ? source : own;
    }
    sources.valid = lanes_where<std::int32_t>([&](int lane) { return is_valid[lane] != 0; });
    return sources;
}

Sources find_sources(ExchangeHow how, const std::uint32_t* seconds, const std::uint32_t* clamps) {
    switch (how) {
        case ExchangeHow::up: return find_sources<true>(seconds, clamps, [](int own, int b, int) { return own - b; });
        case ExchangeHow::down: return find_sources<false>(seconds, clamps, [](int own, int b, int) { return own + b; });
        case ExchangeHow::butterfly: return find_sources<false>(seconds, clamps, [](int own, int b, int) { return own ^ b; });
        default: return find_sources<false>(seconds, clamps, [](int own, int b, int segment) { return (own & segment) | (b & ~segment); });
    }
}

void shuffle(Warp& warp, const WarpSplit& split, const Brought& brought) {
    const DecodedInstruction& instruction = *split.instruction;
    const auto& exchange = details<Exchange>(instruction);
    const auto words = [&](int n) { return reinterpret_cast<std::uint32_t*>(slot(split, instruction, n)); };
    const Sources sources = find_sources(exchange.how, words(exchange.second), words(exchange.clamp));
    if (brought.lanes != all_lanes)
        for (const std::size_t lane : lanes_in(split.mask))
            if (!(brought.lanes >> sources.lane[lane] & 1)) report_inactive(warp, instruction, lane, sources.lane[lane]);
    std::uint32_t* const to = words(exchange.result);
    for_lanes(split.mask, [&](std::size_t lane) {
        to[lane] = static_cast<std::uint32_t>(brought.value[static_cast<std::size_t>(sources.lane[lane])]);
    });
    if (exchange.result_predicate < 0) return;
    std::uint32_t& predicate = *words(exchange.result_predicate);
    predicate = (predicate & ~split.mask) | (sources.valid & split.mask);
}

void vote(const WarpSplit& split, const Brought& brought) {
    const DecodedInstruction& instruction = *split.instruction;
    const auto& exchange = details<Exchange>(instruction);
    std::uint32_t yes = 0;
    for (const std::size_t lane : lanes_in(brought.lanes))
        if (brought.value[lane]) yes |= 1u << lane;
    for (const std::size_t lane : lanes_in(split.mask)) {
        switch (exchange.how) {
            case ExchangeHow::ballot: give(split, instruction, exchange.result, lane, yes, 4); break;
            case ExchangeHow::all: give_predicate(split, instruction, exchange.result, lane, yes == brought.lanes); break;
            case ExchangeHow::any: give_predicate(split, instruction, exchange.result, lane, yes != 0); break;
            default: give_predicate(split, instruction, exchange.result, lane, yes == 0 || yes == brought.lanes); break;
        }
    }
}

void match(const WarpSplit& split, const Brought& brought) {
    const DecodedInstruction& instruction = *split.instruction;
    const auto& exchange = details<Exchange>(instruction);
    for (const std::size_t lane : lanes_in(split.mask)) {
        std::uint32_t same = 0;
        for (const std::size_t other : lanes_in(brought.lanes))
            if (brought.value[other] == brought.value[lane]) same |= 1u << other;
        if (exchange.how == ExchangeHow::match_all) {
            give(split, instruction, exchange.result, lane, same == brought.lanes ? brought.lanes : 0, 4);
            give_predicate(split, instruction, exchange.result_predicate, lane, same == brought.lanes);
        } else {
            give(split, instruction, exchange.result, lane, same, 4);
        }
    }
}

template <class T> T reduce_as(const Exchange& exchange, const Brought& brought) {
    bool first = true;
    T result{};
    for (const std::size_t lane : lanes_in(brought.lanes)) {
        T value = std::bit_cast<T>(static_cast<std::uint32_t>(brought.value[lane]));
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
            case ExchangeHow::minimum: result = std::min(result, value); break;
            case ExchangeHow::maximum: result = std::max(result, value); break;
            default: break;
        }
        if constexpr (std::is_unsigned_v<T>) {
            switch (exchange.how) {
                case ExchangeHow::add: result += value; break;
                case ExchangeHow::bit_and: result &= value; break;
                case ExchangeHow::bit_or: result |= value; break;
                case ExchangeHow::bit_xor: result ^= value; break;
                default: break;
            }
        }
    }
    return result;
}

void reduce(const WarpSplit& split, const Brought& brought) {
    const auto& exchange = details<Exchange>(*split.instruction);
    const bool ordered = exchange.how == ExchangeHow::minimum || exchange.how == ExchangeHow::maximum;
    std::uint32_t result = 0;
    if (exchange.type == ptx::Type::f32) result = std::bit_cast<std::uint32_t>(reduce_as<float>(exchange, brought));
    else if (exchange.type == ptx::Type::s32 && ordered) result = std::bit_cast<std::uint32_t>(reduce_as<std::int32_t>(exchange, brought));
    else result = reduce_as<std::uint32_t>(exchange, brought);
    for (const std::size_t lane : lanes_in(split.mask)) give(split, *split.instruction, exchange.result, lane, result, 4);
}

void elect(const WarpSplit& split, const Brought& brought) {
    const auto& exchange = details<Exchange>(*split.instruction);
    const std::size_t leader = first_lane(brought.lanes);
    for (const std::size_t lane : lanes_in(split.mask)) {
        give(split, *split.instruction, exchange.result, lane, leader, 4);
        give_predicate(split, *split.instruction, exchange.result_predicate, lane, lane == leader);
    }
}

}  // namespace

void bring(const WarpSplit& split, Brought& brought) {
    const DecodedInstruction& instruction = *split.instruction;
    const auto& exchange = details<Exchange>(instruction);
    brought.lanes |= split.mask;
    if (exchange.value < 0) return;
    const unsigned char* from = slot(split, instruction, exchange.value);
    if (exchange.kind == ExchangeKind::shuffle)
        return for_lanes(split.mask, [&](std::size_t lane) { brought.value[lane] = reinterpret_cast<const std::uint32_t*>(from)[lane]; });
    for (const std::size_t lane : lanes_in(split.mask)) {
        auto& value = brought.value[lane];
        if (exchange.kind == ExchangeKind::vote) {
            std::uint32_t predicate;
            std::memcpy(&predicate, from, sizeof predicate);
            value = ((predicate >> lane & 1) != 0) != exchange.value_negated;
        } else {
            value = read_lane(from, lane, exchange.bytes);
        }
    }
}

void finish(Warp& warp, const WarpSplit& split, const Brought& brought) {
    switch (details<Exchange>(*split.instruction).kind) {
        case ExchangeKind::barrier: break;
        case ExchangeKind::shuffle: shuffle(warp, split, brought); break;
        case ExchangeKind::vote: vote(split, brought); break;
        case ExchangeKind::match: match(split, brought); break;
        case ExchangeKind::reduce: reduce(split, brought); break;
        case ExchangeKind::elect: elect(split, brought); break;
    }
}

}  // namespace simt::interpreter
