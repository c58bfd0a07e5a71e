#include "interpreter/asynchronous/asynchronous.hpp"

#include <algorithm>

#include "interpreter/memory/bad_address.hpp"
#include "interpreter/memory/memory_access.hpp"

namespace simt::interpreter {

namespace {

/// The watcher is told of global memory in pieces of this many bytes.
constexpr std::uint64_t watched_bytes = 64;

bool is_inside(const Launch& launch, std::uint64_t offset, std::uint64_t bytes) {
    return std::ranges::any_of(launch.program->shared, [&](const SharedVariable& variable) {
        const std::uint64_t extent = variable.dynamic ? launch.info.dynamic_shared_bytes : variable.bytes;
        return offset - variable.offset < extent && extent - (offset - variable.offset) >= bytes;
    });
}

bool is_aligned(Warp& warp, std::size_t lane, std::uint64_t address, std::uint64_t alignment, bool fatal) {
    if (address % alignment == 0) return true;
    const int size = warp.access.size;
    warp.access.size = static_cast<int>(alignment);
    report_misaligned(warp, lane, fatal);
    warp.access.size = size;
    return false;
}

}  // namespace

std::uint64_t LaneAddress::of(const Warp& warp, std::size_t lane) const {
    const std::uint64_t address = lane_value(warp, base, lane, base_bytes) + static_cast<std::uint64_t>(offset);
    return base_bytes == 4 ? address & 0xFFFF'FFFFu : address;
}

LaneAddress lane_address(Decoder& decoder, const ptx::Operand& operand, ptx::StateSpace space) {
    const AddressOperand address = decoder.address(operand, space);
    return {address.base, address.base_bytes, address.offset, space};
}

SharedPlace find_shared(Warp& warp, std::size_t lane, std::uint64_t address, ptx::StateSpace space, std::uint64_t bytes,
                        std::uint64_t alignment) {
    if (space != ptx::StateSpace::shared || memory::is_shared(address)) address -= memory::shared_window;
    if (!is_aligned(warp, lane, address, alignment, false)) return {};
    SharedPlace place{warp.block, address, {}};
    if (const std::uint64_t rank = address / memory::shared_window_bytes; rank > 0 && rank <= warp.block->cluster.size()) {
        place.block = warp.block->cluster[static_cast<std::size_t>(rank - 1)];
        place.offset = address % memory::shared_window_bytes;
    }
    if (is_inside(*warp.launch, place.offset, bytes)) place.bytes = part(std::span(place.block->shared_memory), place.offset, bytes);
    else report_bad_shared(warp, lane, place.offset);
    return place;
}

std::span<unsigned char> find_global(Warp& warp, std::size_t lane, std::uint64_t address, std::uint64_t bytes, std::uint64_t alignment) {
    if (!is_aligned(warp, lane, address, alignment, true)) return {};
    if (unsigned char* const first = locate_global(warp, address, address, bytes)) return {first, bytes};
    report_bad_global(warp, lane, address);
    return {};
}

void begin_access(Warp& warp, const DecodedInstruction& instruction, Operation operation, int bytes) {
    warp.access.size = bytes;
    warp.access.program_counter = instruction.program_counter;
    warp.access.operation = operation;
    warp.access.warp = warp.index;
}

std::uint32_t begin_shared_range(Block& block, int warp, std::size_t lane, std::uint32_t program_counter, Operation operation,
                                 std::uint64_t offset, std::uint64_t bytes) {
    if (bytes == 0 || !block.watch.is_watching()) return 0;
    WarpAccess access{};
    access.space = Space::shared;
    access.operation = operation;
    access.program_counter = program_counter;
    access.size = static_cast<int>(bytes);
    access.active = access.changed = 1u << lane;
    access.warp = warp;
    access.address[lane] = offset;
    return block.watch.begin_accesses({access});
}

void note_global_range(Block& block, int warp, std::size_t lane, std::uint32_t program_counter, Operation operation, std::uint64_t address,
                       std::uint64_t bytes) {
    WarpAccess access{};
    access.space = Space::global;
    access.operation = operation;
    access.program_counter = program_counter;
    access.active = access.changed = 1u << lane;
    access.warp = warp;
    const std::uint64_t end = address + bytes;
    while (address < end) {
        const std::uint64_t next = std::min(end, address / watched_bytes * watched_bytes + watched_bytes);
        access.size = static_cast<int>(next - address);
        access.address[lane] = address;
        block.watch.uncounted_access(access);
        address = next;
    }
}

Asynchronous& Asynchronous::of(Block& block) {
    if (!block.asynchronous) block.asynchronous = std::make_shared<Asynchronous>(block);
    return *static_cast<Asynchronous*>(block.asynchronous.get());
}

/// Tells the watcher that a warp begins the writes of a copy.
static std::uint32_t begin_writes(const Warp& warp, const ThreadCopy& copy) {
    if (!warp.block->watch.is_watching()) return 0;
    WarpAccess access{};
    access.space = Space::shared;
    access.operation = Operation::store;
    access.program_counter = copy.program_counter;
    access.size = copy.bytes;
    access.active = access.changed = copy.lanes;
    access.warp = warp.index;
    for (const std::size_t lane : lanes_in(copy.lanes)) access.address[lane] = copy.to[lane];
    return warp.block->watch.begin_accesses({access});
}

void Asynchronous::add(Warp& warp, ThreadCopy copy) {
    OfWarp& own = warps_[static_cast<std::size_t>(warp.index)];
    for (std::uint32_t rest = copy.lanes; rest;) {
        copy.group = own.committed[first_lane(rest)];
        copy.lanes = 0;
        for (const std::size_t lane : lanes_in(rest))
            if (own.committed[lane] == copy.group) copy.lanes |= 1u << lane;
        copy.number = own.next_number++;
        copy.writes = begin_writes(warp, copy);
        own.copies.push_back(copy);
        rest &= ~copy.lanes;
    }
}

void Asynchronous::commit(const Warp& warp) {
    OfWarp& own = warps_[static_cast<std::size_t>(warp.index)];
    for (const std::size_t lane : lanes_in(warp.active)) ++own.committed[lane];
}

/// Makes the copy of `lanes`: bytes that are not read become zeros.
static void make(Warp& warp, const ThreadCopy& copy, std::uint32_t lanes) {
    std::uint32_t changed = 0;
    for (const std::size_t lane : lanes_in(lanes)) {
        std::array<unsigned char, 16> bytes{};
        copy_bytes(bytes, copy.from[lane]);
        const auto size = static_cast<std::uint64_t>(copy.bytes);
        const std::span<unsigned char> to = part(std::span(warp.block->shared_memory), copy.to[lane], size);
        const std::span<const unsigned char> made = part(std::span<const unsigned char>(bytes), 0, size);
        if (!std::ranges::equal(to, made)) changed |= 1u << lane;
        copy_bytes(to, made);
    }
    warp.block->watch.end_accesses(copy.writes, lanes, changed);
}

template <class IsDue> void Asynchronous::complete(Warp& warp, std::uint32_t lanes, IsDue&& is_due) {
    auto& copies = warps_[static_cast<std::size_t>(warp.index)].copies;
    for (ThreadCopy& copy : copies) {
        std::uint32_t due = 0;
        for (const std::size_t lane : lanes_in(copy.lanes & lanes))
            if (is_due(copy, lane)) due |= 1u << lane;
        if (due == 0) continue;
        make(warp, copy, due);
        copy.lanes &= ~due;
        warp.progress = true;
    }
    while (!copies.empty() && copies.front().lanes == 0) copies.pop_front();
}

void Asynchronous::wait_for_groups(Warp& warp, std::uint64_t open) {
    const auto& committed = warps_[static_cast<std::size_t>(warp.index)].committed;
    complete(warp, warp.active, [&](const ThreadCopy& copy, std::size_t lane) { return copy.group + open < committed[lane]; });
}

void Asynchronous::wait_for_all(Warp& warp) {
    complete(warp, warp.active, [](const ThreadCopy&, std::size_t) { return true; });
}

void Asynchronous::complete_before(Warp& warp, std::uint32_t lanes, std::uint64_t number) {
    complete(warp, lanes, [&](const ThreadCopy& copy, std::size_t) { return copy.number < number; });
}

void Asynchronous::complete_barrier(std::uint64_t offset, Warp& waiter) {
    const auto found = of_barriers_.find(offset);
    if (found == of_barriers_.end()) return;
    while (!found->second.empty()) {
        const Work work = std::move(found->second.front());
        found->second.pop_front();
        work(waiter);
        waiter.progress = true;
    }
}

bool Asynchronous::Groups::complete(Warp& warp, std::uint64_t open) {
    bool any = false;
    for (; !works.empty() && works.front().first + open < committed; works.pop_front()) {
        works.front().second(warp);
        warp.progress = any = true;
    }
    return any;
}

void Asynchronous::add_to_group(int thread, Work work) { bulk_[thread].add(std::move(work)); }

void Asynchronous::wait_for_bulk(Warp& warp, std::size_t lane, std::uint64_t open) { bulk_[warp.thread_of(lane)].complete(warp, open); }

bool Asynchronous::add_to_matrix_group(int warp, std::uint32_t program_counter, Work work) {
    Products& products = matrices_[warp];
    products.newest = program_counter;
    products.add(std::move(work));
    return products.fenced;
}

bool Asynchronous::wait_for_matrices(Warp& warp, std::uint64_t open) { return matrices_[warp.index].complete(warp, open); }

void Asynchronous::finish() {
    for (auto& [thread, own] : bulk_) {
        Warp& warp = *block_.warps[static_cast<std::size_t>(thread / warp_size)];
        for (const auto& [group, work] : own.works) work(warp);
        own.works.clear();
    }
    for (const auto& [index, own] : matrices_) {
        if (own.works.empty()) continue;
        const Warp& warp = *block_.warps[static_cast<std::size_t>(index)];
        const std::size_t lanes[] = {0};
        const std::uint32_t program_counters[] = {own.newest};
        block_.report(HazardKind::unordered_product, warp, lanes, program_counters,
                      {MessageCode::product_without_wait, {{"thread", block_.launch.info.thread(warp.thread_of(0))}}});
    }
}

}  // namespace simt::interpreter
