// The rule of shared memory for accesses of a warp that runs.
#pragma once

#include "rules/shared_service.hpp"
#include "simt/events.hpp"

namespace simt::rules {

/// The view that the rule has of an access. It refers to the addresses.
inline SharedAccess shared_access(const WarpAccess& access, const SharedMemory& memory) {
    SharedUse use = SharedUse::store;
    if (access.operation == Operation::load) use = access.matrix_rows ? SharedUse::load_of_matrix_rows : SharedUse::load;
    // As measured on the machine whose loads merge: a count of lanes, and an access narrower than a bank, is served like a store.
    const bool is_one_by_one = memory.wide == WideShared::merging_phases && access.operation == Operation::atomic &&
                               access.atomic != AtomicKind::counting && access.size >= memory.bank_width;
    if (is_one_by_one) use = access.atomic == AtomicKind::compare_and_swap ? SharedUse::compare_and_swap : SharedUse::atomic;
    return {use, access.size, access.active, access.address};
}

/// Serves an access by the rule, and returns its cost. See SharedService.
template <class Visit> SharedCost serve(const SharedAccess& access, const SharedMemory& memory, Visit&& visit) {
    if (PowerOfTwoBanks::fit(memory)) return serve_shared<PowerOfTwoBanks>(access, memory, visit);
    return serve_shared<AnyBanks>(access, memory, visit);
}

}  // namespace simt::rules
