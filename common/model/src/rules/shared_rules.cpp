// The cost of an access to shared memory: the number of wavefronts of the rule of shared_service.hpp.

#include "rules/served_access.hpp"
#include "rules/shared_shortcuts.hpp"
#include "simt/rules.hpp"

namespace simt {

SharedCost shared_cost(const WarpAccess& access, const Machine& machine) {
    const SharedMemory& memory = machine.shared;
    if (access.operation == Operation::atomic && is_loop(access, machine)) return loop_cost(access, machine).swaps;
    if (memory.wide == WideShared::merging_phases && access.operation == Operation::async_copy) return copy_cost(access, machine);
    const rules::SharedAccess shared = rules::shared_access(access, memory);
    if (!is_one_by_one(shared.use))
        if (const SharedCost cost = rules::shortcut_cost(access, memory); cost.wavefronts) return cost;
    return rules::serve(shared, memory, [](int, std::size_t, std::uint64_t) {});
}

}  // namespace simt
