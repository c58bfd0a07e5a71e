// Whether two accesses to a line of global memory race, and the message about the race.

#include <bit>

#include "hazards/global_watch.hpp"

namespace simt::hazards {

int GlobalWatch::racing_lane(const GlobalEntry& other, const Touch& touch) {
    const WarpAccess& access = touch.access;
    const bool whole = access.size >= 4, atomic = access.operation == Operation::atomic, store = access.operation == Operation::store;
    if (other.by.is_write() ? (atomic && other.by.key & GlobalAccess::atomic) || !(whole || other.by.key & GlobalAccess::whole_words)
                            : !whole)
        return -1;
    for (std::uint32_t rest = access.active; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
        if (address >> GlobalLine::bits != touch.line || !(GlobalLine::words_at(address, access.size) & other.words)) continue;
        const bool repeats_value = store && !(access.changed >> lane & 1);
        if (!(other.by.is_write() && repeats_value)) return lane;
    }
    return -1;
}

bool GlobalWatch::ordered(const GlobalEntry& other) {
    return releases_ && launch_.order.ordered(other.by.block(), other.by.release, *releases_);
}

void GlobalWatch::judge(const GlobalEntry& other, const Touch& touch) {
    const int lane = racing_lane(other, touch);
    if (lane < 0) return;
    const Rank rank = rank_of_blocks(reporter_.block_number(), other.by.block());
    const std::uint32_t program_counter = launch_.program_counter_of(other.by.instruction), own = touch.access.program_counter;
    const bool is_first = block_ < other.by.block();
    if (!reporter_.is_news(HazardKind::race, is_first ? own : program_counter, is_first ? program_counter : own, rank)) return;
    if (!ordered(other)) report(other, touch, lane, rank);
}

void GlobalWatch::report(const GlobalEntry& other, const Touch& touch, int lane, Rank rank) {
    const WarpAccess& access = touch.access;
    const std::uint32_t program_counter = launch_.program_counter_of(other.by.instruction);
    const Extent& grid = reporter_.info().grid;
    const std::uint32_t number = other.by.block();
    const Extent block{number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y};
    const int thread = access.warp * warp_size + lane;
    const Operation theirs = !other.by.is_write()                  ? Operation::load
                             : other.by.key & GlobalAccess::atomic ? Operation::atomic
                                                                   : Operation::store;
    const Operation own = is_read(access.operation) ? Operation::load : access.operation;
    // The order of the two depends on the threads of the host.
    const bool is_first = block_ < number;
    Message message(MessageCode::race_between_blocks);
    if (is_first)
        message.fields = {{"first_block", reporter_.block()},
                          {"first_thread", reporter_.thread(thread)},
                          {"first", own},
                          {"second_block", block},
                          {"second", theirs}};
    else
        message.fields = {{"first_block", block},
                          {"first", theirs},
                          {"second_block", reporter_.block()},
                          {"second_thread", reporter_.thread(thread)},
                          {"second", own}};
    reporter_.report(HazardKind::race, {thread}, is_first ? access.program_counter : program_counter,
                     is_first ? program_counter : access.program_counter, rank, std::move(message));
}

}  // namespace simt::hazards
