// Atomic operations in shared memory for which a machine has no instruction: of floating-point numbers, and of 8 bytes.
//
// Compute capability 9.0, measured (tests/hardware/h200_features.json): a round loads the words of all lanes that are left, and
// then compares and swaps. The swap of a round takes two wavefronts for each phase of the access. Of the lanes that go to one bank,
// only the lowest is served, and it fails if an earlier phase changed its word. Lanes that failed or were not served go another
// round. Lanes also fail if another warp changes their word in between; that is not modeled.

#include "rules/shared_service.hpp"
#include "simt/rules.hpp"

namespace simt {

namespace {

constexpr int wavefronts_of_swap = 2;

/// The lanes that one round's swap serves.
std::uint32_t served_lanes(const WarpAccess& access, std::uint32_t left, int phase_lanes, const SharedMemory& memory) {
    const auto size = static_cast<std::uint64_t>(access.size);
    const auto places = static_cast<std::uint64_t>(memory.banks * memory.bank_width) / size;
    std::uint32_t served = 0;
    for (int first = 0; first < warp_size; first += phase_lanes) {
        std::uint64_t taken = 0;
        const std::uint32_t before = served;
        for (const std::size_t lane : lanes_in(left & lane_group(first, phase_lanes))) {
            const std::uint64_t place = std::uint64_t{1} << access.address[lane] / size % places;
            if (taken & place) continue;
            taken |= place;
            bool changed = false;
            for (const std::size_t other : lanes_in(before)) changed |= access.address[other] == access.address[lane];
            if (!changed) served |= 1u << lane;
        }
    }
    return served;
}

int phases_of(std::uint32_t lanes, int phase_lanes) {
    int phases = 0;
    for (int first = 0; first < warp_size; first += phase_lanes) phases += (lanes & lane_group(first, phase_lanes)) != 0;
    return phases;
}

}  // namespace

bool is_loop(const WarpAccess& access, const Machine& machine) {
    return access.operation == Operation::atomic && access.atomic == AtomicKind::loop &&
           machine.shared.wide == WideShared::merging_phases && access.size >= machine.shared.bank_width;
}

LoopCost loop_cost(const WarpAccess& access, const Machine& machine) {
    const int phase_lanes = rules::phase_lanes(machine.shared, access.size);
    LoopCost cost{0, {0, 0}, {0, wavefronts_of_swap * phases_of(access.active, phase_lanes)}};
    WarpAccess load = access;
    load.operation = Operation::load;
    // Later rounds have fewer lanes.
    load.evenly_spaced = false;
    while (load.active) {
        const SharedCost loaded = shared_cost(load, machine);
        if (cost.rounds == 0) cost.loads.ideal_wavefronts = loaded.ideal_wavefronts;
        cost.rounds += 1;
        cost.loads.wavefronts += loaded.wavefronts;
        cost.swaps.wavefronts += wavefronts_of_swap * phases_of(load.active, phase_lanes);
        load.active &= ~served_lanes(access, load.active, phase_lanes, machine.shared);
    }
    return cost;
}

}  // namespace simt
