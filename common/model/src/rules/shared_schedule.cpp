// The list of the lanes that each wavefront serves, by the rule of shared_service.hpp.

#include "simt/schedule.hpp"

#include "rules/served_access.hpp"

namespace simt {

Schedule shared_schedule(const WarpAccess& access, const SharedMemory& memory) {
    Schedule schedule;
    const auto list = [&](int wavefront, std::size_t lane, std::uint64_t word) {
        const auto number = static_cast<std::size_t>(wavefront);
        if (number >= schedule.wavefronts.size()) schedule.wavefronts.resize(number + 1);
        schedule.wavefronts[number].push_back({static_cast<int>(lane), word});
    };
    const SharedCost cost = rules::serve(rules::shared_access(access, memory), memory, list);
    schedule.wavefronts.resize(static_cast<std::size_t>(cost.wavefronts));
    schedule.ideal_wavefronts = cost.ideal_wavefronts;
    return schedule;
}

}  // namespace simt
