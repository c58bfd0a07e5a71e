#include "hazards/counters.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "device/access_pattern.hpp"
#include "rules/lanes.hpp"
#include "simt/rules.hpp"

namespace simt::hazards {

namespace {

/// Accesses of one source line to one space are separate rows if their lanes have at most this many patterns. If there are more, the
/// patterns that follow from data become one row; if there are still more, all become one row.
constexpr std::size_t most_patterns = 4;

/// The bits of the first address that decide the cost of an access to evenly spaced elements. No machine moves global memory in units
/// of more than 128 bytes. If all elements have the same place in their sectors, this place does not matter, but elements may be unaligned.
std::uint64_t deciding_bits(std::uint64_t step, int size) {
    constexpr std::uint64_t largest_unit = 128;
    const std::uint64_t in_sector = step % sector_bytes == 0 ? static_cast<std::uint64_t>(size) - 1 : sector_bytes - 1;
    return (largest_unit - sector_bytes) | in_sector;
}

/// Whether neighboring active lanes are mostly equally far apart, so that the pattern follows from an index and not from data.
bool is_regular(const AccessPattern& pattern) {
    std::map<std::int64_t, int> distances;
    int all = 0;
    for (std::size_t lane = 1; lane < pattern.size(); ++lane) {
        if (pattern[lane] == not_active || pattern[lane - 1] == not_active) continue;
        ++distances[pattern[lane] - pattern[lane - 1]];
        ++all;
    }
    return std::ranges::any_of(distances, [&](const auto& each) { return 2 * each.second > all; });
}

void add(SharedCounts& counts, int wavefronts, int ideal, int instructions = 1) {
    counts.instructions += static_cast<std::uint64_t>(instructions);
    counts.wavefronts += static_cast<std::uint64_t>(wavefronts);
    counts.ideal_wavefronts += static_cast<std::uint64_t>(ideal);
}

void add(GlobalCounts& counts, const GlobalCost& cost, const WarpAccess& access, int requests, int wavefronts) {
    counts.wavefronts += static_cast<std::uint64_t>(wavefronts);
    counts.requests += static_cast<std::uint64_t>(requests);
    counts.sectors += static_cast<std::uint64_t>(cost.sectors);
    counts.ideal_sectors += static_cast<std::uint64_t>(cost.ideal_sectors);
    counts.bytes += static_cast<std::uint64_t>(access.active_lanes()) * static_cast<std::uint64_t>(access.size);
}

/// The part of an instruction's counts that a sum of this type holds.
const SharedCounts& part(const SharedCounts&, const SharedCounts& shared, const GlobalCounts&) { return shared; }
const GlobalCounts& part(const GlobalCounts&, const SharedCounts&, const GlobalCounts& global) { return global; }

/// Adds an instruction's counts to the sum of the launch that they belong to, if there is one.
void add_to_total(LaunchCounts& counts, Space in, Operation does, const SharedCounts& shared, const GlobalCounts& global) {
    // Atomic operations on a surface count as stores.
    if ((in == Space::local || in == Space::texture) && does != Operation::load) does = Operation::store;
#define SIMT_TOTAL(name, type, kind, parent, key, when, space, operation) \
    if (in == Space::space && does == Operation::operation) counts.name += part(counts.name, shared, global);
#include "simt/counts.def"
}

}  // namespace

template <class Visit> void Counters::for_each_instruction(Visit&& visit) const {
    for (const Space space : all_spaces)
        for (const Operation operation : all_operations) {
            const auto& counts = all_[static_cast<std::size_t>(space)][static_cast<std::size_t>(operation)];
            for (std::uint32_t at = 0; at < counts.size(); ++at)
                if (counts[at].counted()) visit(space, operation, at, counts[at]);
        }
}

void Counters::count(const WarpAccess& access, std::uint64_t block) {
    InstructionCounts& counts = counts_of(access.space, access.program_counter, access.operation);
    ++work.instructions;
    switch (access.space) {
        case Space::shared:
            // An asynchronous copy is one instruction, and an access to each of two spaces.
            if (access.operation == Operation::async_copy) --work.instructions;
            count_shared(counts.shared, access);
            break;
        case Space::global: count_global(counts, access); break;
        case Space::local:
            hazards::add(counts.global, local_cost(access), access, local_requests(access), local_requests(access));
            work.wavefronts += static_cast<std::uint64_t>(local_requests(access));
            break;
        case Space::constant:
            // Arithmetic may read constants itself.
            --work.instructions;
            count_constant(counts.shared, access);
            break;
        case Space::texture: hazards::add(counts.global, {0, 0}, access, texture_requests(access), 0); break;
    }
    const int lanes = access.active_lanes();
    if (lanes > counts.example_lanes || (lanes == counts.example_lanes && block < counts.example_block))
        keep_example(counts, access, block);
}

void Counters::count_shared(SharedCounts& counts, const WarpAccess& access) {
    if (!is_loop(access, machine_)) {
        const SharedCost cost = shared_cost(access, machine_);
        work.wavefronts += static_cast<std::uint64_t>(cost.wavefronts);
        return hazards::add(counts, cost.wavefronts, cost.ideal_wavefronts);
    }
    const LoopCost cost = loop_cost(access, machine_);
    work.wavefronts += static_cast<std::uint64_t>(cost.swaps.wavefronts + cost.loads.wavefronts);
    hazards::add(counts, cost.swaps.wavefronts, cost.swaps.ideal_wavefronts, cost.rounds);
    hazards::add(counts_of(Space::shared, access.program_counter, Operation::load).shared, cost.loads.wavefronts,
                 cost.loads.ideal_wavefronts, cost.rounds);
}

void Counters::count_constant(SharedCounts& counts, const WarpAccess& access) {
    const int words = constant_words(access);
    hazards::add(counts, words, 1);
    constexpr int word_bytes = 4;
    if (words > std::max(access.size / word_bytes, 1)) work.constant_words += static_cast<std::uint64_t>(words);
}

void Counters::set_use(GlobalUse& use, const WarpAccess& access) const {
    use = {global_cost(access, machine_), l1_cycles(access, machine_), 0};
    if (access.operation == Operation::store) use.partly_written_lines = simt::partly_written_lines(access);
}

void Counters::count_global(InstructionCounts& counts, const WarpAccess& access) {
    LastGlobal& last = counts.last_global;
    const std::uint64_t place = access.address[0] & deciding_bits(access.step, access.size);
    const bool is_atomic = access.operation == Operation::atomic;
    if (!access.evenly_spaced || is_atomic || access.operation == Operation::async_copy) {
        set_use(last.use, access);
        last.size = 0;
    } else if (last.place != place || last.step != access.step || last.size != access.size) {
        set_use(last.use, access);
        last.place = place;
        last.step = access.step;
        last.size = access.size;
    }
    const auto& [cost, wavefronts, lines] = last.use;
    hazards::add(counts.global, cost, access, 1, wavefronts);
    work.wavefronts += static_cast<std::uint64_t>(wavefronts);
    if (is_atomic || access.operation == Operation::store) work.stored_sectors += static_cast<std::uint64_t>(cost.sectors);
    work.partly_written_lines += static_cast<std::uint64_t>(lines);
}

void Counters::keep_example(InstructionCounts& counts, const WarpAccess& access, std::uint64_t block) {
    if (!counts.example) counts.example = std::make_unique<Example>();
    Example& example = *counts.example;
    counts.example_lanes = access.active_lanes();
    counts.example_block = block;
    example.active = access.active;
    example.size = access.size;
    for (const std::size_t lane : lanes_in(access.active)) example.offset[lane] = access.address[lane] - access.allocation;
}

void Counters::count_bulk_copy(std::uint32_t program_counter, std::uint64_t address, std::uint64_t bytes, std::uint64_t requests) {
    GlobalCounts& counts = counts_of(Space::global, program_counter, Operation::bulk_copy).global;
    counts.requests += requests;
    counts.bytes += bytes;
    if (bytes > 0) counts.sectors += (address + bytes - 1) / sector_bytes - address / sector_bytes + 1;
    counts.ideal_sectors += (bytes + sector_bytes - 1) / sector_bytes;
}

void Counters::add(const Counters& other) {
#define SIMT_NUMBER(name) name += other.name;
#include "simt/counts.def"
    other.for_each_instruction([&](Space space, Operation operation, std::uint32_t program_counter, const InstructionCounts& from) {
        InstructionCounts& to = counts_of(space, program_counter, operation);
        to.shared += from.shared;
        to.global += from.global;
        if (!from.example || from.example_lanes < to.example_lanes) return;
        if (from.example_lanes == to.example_lanes && from.example_block >= to.example_block) return;
        to.example_lanes = from.example_lanes;
        to.example_block = from.example_block;
        to.example = std::make_unique<Example>(*from.example);
    });
}

void Counters::write(LaunchCounts& counts, const std::function<SourcePlace(std::uint32_t)>& place_of) const {
    struct Row {
        LineCounts counts;
        int example_lanes = 0;
        std::uint64_t example_block = 0;

        void add(const Row& other) {
            counts.shared += other.counts.shared;
            counts.global += other.counts.global;
            if (std::pair(-other.example_lanes, other.example_block) >= std::pair(-example_lanes, example_block)) return;
            counts.first_access = other.counts.first_access;
            example_lanes = other.example_lanes;
            example_block = other.example_block;
        }
    };
    std::map<std::tuple<std::string, int, std::vector<InlinedCall>, Space, Operation>, std::map<AccessPattern, Row>> lines;
    for_each_instruction([&](Space space, Operation operation, std::uint32_t program_counter, const InstructionCounts& own) {
        const SourcePlace place = place_of(program_counter);
        Row row{{place.file, place.line, place.inlined_from, space, operation, own.shared, own.global, {}},
                own.example_lanes,
                own.example_block};
        if (own.example) {
            row.counts.first_access.size = own.example->size;
            for (const std::size_t lane : lanes_in(own.example->active)) row.counts.first_access.lanes[lane] = own.example->offset[lane];
        }
        add_to_total(counts, space, operation, own.shared, own.global);
        auto& rows = lines[{place.file, place.line, place.inlined_from, space, operation}];
        const auto [known, is_new] = rows.try_emplace(pattern_of(row.counts.first_access), row);
        if (!is_new) known->second.add(row);
    });
    for (auto& [key, rows] : lines) {
        for (const bool all : {false, true}) {
            if (rows.size() <= most_patterns) break;
            const auto joins = [&](const auto& row) { return all || !is_regular(row.first); };
            const auto first = std::ranges::find_if(rows, joins);
            for (auto other = first; other != rows.end();) {
                const bool is_joined = other != first && joins(*other);
                if (is_joined) first->second.add(other->second);
                other = is_joined ? rows.erase(other) : std::next(other);
            }
        }
        for (auto& [pattern, row] : rows) counts.lines.push_back(std::move(row.counts));
    }
#define SIMT_NUMBER(name) counts.name += name;
#include "simt/counts.def"
}

}  // namespace simt::hazards
