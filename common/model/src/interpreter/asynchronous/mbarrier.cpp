#include "interpreter/asynchronous/mbarrier.hpp"

#include <string>

namespace simt::interpreter {

namespace {

// Bits of the object: pending arrivals, expected arrivals, missing bytes (from `no_bytes` up), phase, and a mark that tells a
// barrier from uninitialized memory.
constexpr int expected_shift = 20, bytes_shift = 40, phase_shift = 61, mark_shift = 62;
constexpr std::uint64_t count_mask = Mbarrier::most_arrivals, bytes_mask = (1u << 21) - 1, no_bytes = 1u << 20, mark = 1;

enum class Action : std::uint8_t { initialize, invalidate, arrive, drop, expect, complete, wait };

struct Operands {
    Action action = Action::arrive;
    LaneAddress address;
    /// The registers for the result of an arrival and of a wait.
    std::uint32_t state = no_operand, done = no_operand;
    /// The registers with a count, with a number of bytes, and with a state or a phase.
    std::uint32_t count = no_operand, bytes = no_operand, value = no_operand;
    bool is_parity = false, may_sleep = false;
};

std::uint32_t lane_count(const Warp& warp, std::uint32_t offset, std::size_t lane, std::uint32_t absent) {
    return offset == no_operand ? absent : static_cast<std::uint32_t>(lane_value(warp, offset, lane, 4));
}

[[noreturn]] void stop_misuse(const Warp& warp, std::size_t lane, MessageCode code, std::initializer_list<MessageField> fields) {
    throw LaunchStopped(error_illegal_instruction, warp.launch->message_of(warp, lane, code, fields));
}

/// Tells the watcher that lanes have used barriers of their own block. Among neighbors with the same barrier, the last stands for all:
/// the first is often the thread that initialized the barrier, and may use it at once.
struct Use {
    WarpAccess access{};
    std::uint32_t last = 0;

    Use(const Warp& warp, const DecodedInstruction& instruction, Operation operation) {
        access.space = Space::shared;
        access.operation = operation;
        access.program_counter = instruction.program_counter;
        access.size = static_cast<int>(Mbarrier::bytes);
        access.warp = warp.index;
    }
    void add(const Warp& warp, std::size_t lane, const SharedPlace& place) {
        if (place.block != warp.block) return;
        if (last && access.address[first_lane(last)] == place.offset) access.active &= ~last;
        last = 1u << lane;
        access.active |= last;
        access.address[lane] = place.offset;
    }
    void tell(Warp& warp) {
        access.changed = access.active;
        if (access.active) warp.block->watch.uncounted_access(access);
    }
};

void initialize(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<Operands>(instruction);
    begin_access(warp, instruction, Operation::store, static_cast<int>(Mbarrier::bytes));
    Use use(warp, instruction, Operation::store);
    warp.give_up_waiting();
    for (const std::size_t lane : lanes_in(warp.active)) {
        const SharedPlace place =
            find_shared(warp, lane, operands.address.of(warp, lane), operands.address.space, Mbarrier::bytes, Mbarrier::bytes);
        if (!place) continue;
        Mbarrier barrier;
        if (operands.action == Action::initialize) {
            barrier.expected = barrier.pending = lane_count(warp, operands.count, lane, 1);
            barrier.valid = true;
            if (barrier.expected < 1 || barrier.expected > Mbarrier::most_arrivals)
                stop_misuse(warp, lane, MessageCode::mbarrier_count, {{"count", barrier.expected}, {"most", Mbarrier::most_arrivals}});
        }
        barrier.store(place.bytes);
        use.add(warp, lane, place);
    }
    use.tell(warp);
    warp.progress = true;
}

/// Lets one lane arrive. Returns the barrier's old state.
std::uint64_t arrive(Warp& warp, std::size_t lane, const SharedPlace& place, const Operands& operands) {
    const std::uint32_t count = lane_count(warp, operands.count, lane, 1);
    Mbarrier barrier = Mbarrier::load(place.bytes);
    if (barrier.pending < count) {
        // Only bytes are missing: they arrive before the next phase begins.
        Asynchronous::of(*place.block).complete_barrier(place.offset, warp);
        barrier = Mbarrier::load(place.bytes);
    }
    if (barrier.pending < count) stop_misuse(warp, lane, MessageCode::too_many_arrivals, {{"pending", barrier.pending}, {"count", count}});
    const std::uint64_t before = barrier.state();
    if (operands.bytes != no_operand) barrier.transactions += static_cast<std::int32_t>(lane_count(warp, operands.bytes, lane, 0));
    barrier.pending -= count;
    if (operands.action == Action::drop) barrier.expected -= count;
    const bool phase = barrier.phase;
    barrier.settle();
    if (barrier.phase != phase) place.block->watch.phase_ends();
    barrier.store(place.bytes);
    return before;
}

void release(Warp& warp, const SharedPlace& place) {
    if (place.block == warp.block) warp.block->watch.release(warp.index, watched_barrier(place.offset));
    else warp.block->watch.release(warp.index, watched_cluster);
}

void arrive_lanes(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<Operands>(instruction);
    begin_access(warp, instruction, Operation::atomic, static_cast<int>(Mbarrier::bytes));
    Use use(warp, instruction, Operation::atomic);
    warp.give_up_waiting();
    std::array<SharedPlace, warp_size> places;
    for (const std::size_t lane : lanes_in(warp.active)) {
        SharedPlace& place = places[lane];
        place = find_barrier(warp, lane, operands.address.of(warp, lane), operands.address.space);
        if (place) use.add(warp, lane, place);
    }
    use.tell(warp);
    SharedPlace last;
    for (const std::size_t lane : lanes_in(warp.active)) {
        const SharedPlace& place = places[lane];
        if (place && place.bytes.data() != last.bytes.data()) release(warp, last = place);
        const std::uint64_t before = place ? arrive(warp, lane, place, operands) : 0;
        if (operands.state != no_operand) values<std::uint64_t>(warp, operands.state)[lane] = before;
    }
    warp.progress = true;
}

void change_bytes(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<Operands>(instruction);
    begin_access(warp, instruction, Operation::atomic, static_cast<int>(Mbarrier::bytes));
    for (const std::size_t lane : lanes_in(warp.active)) {
        const SharedPlace place = find_barrier(warp, lane, operands.address.of(warp, lane), operands.address.space);
        if (!place) continue;
        const std::uint32_t bytes = lane_count(warp, operands.bytes, lane, 0);
        Mbarrier barrier = Mbarrier::load(place.bytes);
        const std::int64_t counted = static_cast<std::int32_t>(bytes);
        barrier.transactions += operands.action == Action::expect ? counted : -counted;
        barrier.settle();
        barrier.store(place.bytes);
    }
    warp.progress = true;
}

bool is_complete(const SharedPlace& place, std::uint64_t value, bool is_parity) {
    const bool waited_for = is_parity ? (value & 1) != 0 : Mbarrier(value).phase;
    return Mbarrier::load(place.bytes).phase != waited_for;
}

/// Notes lanes whose `try_wait` has failed. On a GPU they sleep for a time, so they have to wait at this barrier until its phase ends.
void note_sleepers(Warp& warp, std::uint32_t failed, const unsigned char* barrier) {
    if (warp.sleep_at != barrier) warp.give_up_waiting();
    warp.sleepers = (warp.sleepers & ~warp.active) | failed;
    warp.sleep_at = barrier;
}

/// Lets others run after a wait that failed.
void let_others_run(Warp& warp, const DecodedInstruction& instruction, std::size_t lane) {
    warp.polls = &instruction;
    warp.polling_lane = lane;
    warp.patience = 0;
    warp.wait_reason = WaitReason::yielded;
}

void wait_for_phase(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<Operands>(instruction);
    begin_access(warp, instruction, Operation::atomic, static_cast<int>(Mbarrier::bytes));
    Use use(warp, instruction, Operation::atomic);
    std::array<SharedPlace, warp_size> places;
    for (const std::size_t lane : lanes_in(warp.active)) {
        places[lane] = find_barrier(warp, lane, operands.address.of(warp, lane), operands.address.space);
        if (places[lane]) use.add(warp, lane, places[lane]);
    }
    // Before the wait orders anything: the barrier must have been initialized even for a wait that does not end yet.
    use.tell(warp);
    std::uint32_t done = 0;
    SharedPlace last;
    const unsigned char* barrier = nullptr;
    for (const std::size_t lane : lanes_in(warp.active)) {
        const SharedPlace& place = places[lane];
        barrier = place.bytes.data();
        const std::uint64_t value = lane_value(warp, operands.value, lane, operands.is_parity ? 4 : 8);
        if (place && !is_complete(place, value, operands.is_parity)) {
            Asynchronous::of(*place.block).complete_barrier(place.offset, warp);
            if (!is_complete(place, value, operands.is_parity)) continue;
        }
        done |= 1u << lane;
        if (place && place.bytes.data() != last.bytes.data()) pass_barrier(warp, (last = place).offset);
    }
    write_predicate(warp, operands.done, done);
    note_sleepers(warp, operands.may_sleep ? warp.active & ~done : 0, barrier);
    if (const std::uint32_t failed = warp.active & ~done) let_others_run(warp, instruction, first_lane(failed));
}

void read_pending_count(Warp& warp, const DecodedInstruction& instruction) {
    for (const std::size_t lane : lanes_in(warp.active)) {
        const std::uint64_t count = Mbarrier(lane_value(warp, instruction.operand[1], lane, 8)).pending;
        set_lane_value(warp, instruction.operand[0], lane, count, instruction.width[0]);
    }
}

void decode_arrival(Decoder& decoder, const ptx::Instruction& instruction, Operands& operands, ptx::StateSpace space) {
    std::size_t n = 0;
    if (instruction.operands.at(0).kind != ptx::Operand::Kind::address)
        operands.state = decoder.slot(instruction.operands.at(n++), ptx::Type::b64);
    operands.address = lane_address(decoder, instruction.operands.at(n++), space);
    if (n == instruction.operands.size()) return;
    std::uint32_t& value = instruction.has("expect_tx") ? operands.bytes : operands.count;
    value = decoder.slot(instruction.operands.at(n), ptx::Type::u32);
}

void decode_wait(Decoder& decoder, const ptx::Instruction& instruction, Operands& operands, ptx::StateSpace space) {
    operands.action = Action::wait;
    operands.is_parity = instruction.has("parity");
    operands.may_sleep = instruction.has("try_wait");
    operands.done = decoder.slot(instruction.operands.at(0), ptx::Type::pred);
    operands.address = lane_address(decoder, instruction.operands.at(1), space);
    operands.value = decoder.slot(instruction.operands.at(2), operands.is_parity ? ptx::Type::u32 : ptx::Type::b64);
}

}  // namespace

Mbarrier::Mbarrier(std::uint64_t state)
    : pending(static_cast<std::uint32_t>(state & count_mask)),
      expected(static_cast<std::uint32_t>(state >> expected_shift & count_mask)),
      transactions(static_cast<std::int64_t>(state >> bytes_shift & bytes_mask) - static_cast<std::int64_t>(no_bytes)),
      phase((state >> phase_shift & 1) != 0),
      valid(state >> mark_shift == mark) {}

std::uint64_t Mbarrier::state() const {
    if (!valid) return 0;
    const std::uint64_t missing = (static_cast<std::uint64_t>(transactions) + no_bytes) & bytes_mask;
    return pending | std::uint64_t{expected} << expected_shift | missing << bytes_shift | std::uint64_t{phase} << phase_shift |
           mark << mark_shift;
}

void Mbarrier::settle() {
    if (pending != 0 || transactions != 0) return;
    phase = !phase;
    pending = expected;
}

void complete_transactions(const SharedPlace& barrier, std::uint64_t bytes) {
    Mbarrier state = Mbarrier::load(barrier.bytes);
    if (!state.valid) return;
    state.transactions -= static_cast<std::int32_t>(bytes);
    state.settle();
    state.store(barrier.bytes);
}

SharedPlace find_barrier(Warp& warp, std::size_t lane, std::uint64_t address, ptx::StateSpace space) {
    SharedPlace place = find_shared(warp, lane, address, space, Mbarrier::bytes, Mbarrier::bytes);
    if (!place || Mbarrier::load(place.bytes).valid) return place;
    const std::size_t lanes[] = {lane};
    const std::uint32_t program_counters[] = {warp.access.program_counter};
    warp.block->report(HazardKind::uninitialized, warp, lanes, program_counters,
                       {MessageCode::unset_mbarrier, {{"thread", warp.launch->info.thread(warp.thread_of(lane))}}});
    place.bytes = {};
    return place;
}

void pass_barrier(Warp& warp, std::uint64_t offset) {
    warp.block->watch.acquire(warp.index, watched_barrier(offset));
    if (warp.block->cluster.size() > 1) warp.block->watch.acquire(warp.index, watched_cluster);
}

bool decode_mbarrier(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    ptx::StateSpace space = ptx::StateSpace::generic;
    for (const std::string& modifier : instruction.modifiers)
        if (modifier.starts_with("shared")) space = ptx::StateSpace::shared;
    const std::string& action = instruction.modifiers.at(0);
    Operands operands;
    if (action == "pending_count") {
        decoder.add(out, decoder.slot(instruction.operands.at(0), ptx::Type::u32));
        decoder.add(out, decoder.slot(instruction.operands.at(1), ptx::Type::b64));
        out.width[0] = static_cast<std::uint8_t>(decoder.register_bytes(instruction.operands.at(0), ptx::Type::u32));
        out.execute = read_pending_count;
        return true;
    }
    if (action == "init" || action == "inval") {
        operands.action = action == "init" ? Action::initialize : Action::invalidate;
        operands.address = lane_address(decoder, instruction.operands.at(0), space);
        if (action == "init") operands.count = decoder.slot(instruction.operands.at(1), ptx::Type::u32);
        out.execute = initialize;
    } else if (action == "arrive" || action == "arrive_drop") {
        operands.action = action == "arrive" ? Action::arrive : Action::drop;
        decode_arrival(decoder, instruction, operands, space);
        out.execute = arrive_lanes;
    } else if (action == "expect_tx" || action == "complete_tx") {
        operands.action = action == "expect_tx" ? Action::expect : Action::complete;
        operands.address = lane_address(decoder, instruction.operands.at(0), space);
        operands.bytes = decoder.slot(instruction.operands.at(1), ptx::Type::u32);
        out.execute = change_bytes;
    } else if (action == "test_wait" || action == "try_wait") {
        decode_wait(decoder, instruction, operands, space);
        out.execute = wait_for_phase;
    } else {
        return false;
    }
    decoder.keep(out, operands);
    return true;
}

}  // namespace simt::interpreter
