#include "simt/hazard.hpp"

namespace simt {

const char* name_of(HazardKind kind) {
    switch (kind) {
        case HazardKind::race: return "race";
        case HazardKind::uninitialized: return "uninitialized";
        case HazardKind::out_of_bounds: return "out_of_bounds";
        case HazardKind::misaligned: return "misaligned";
        case HazardKind::use_after_free: return "use_after_free";
        case HazardKind::divergent_barrier: return "divergent_barrier";
        case HazardKind::inactive_lane: return "inactive_lane";
        case HazardKind::unordered_product: return "unordered_product";
        case HazardKind::deadlock: return "deadlock";
    }
    return "unknown";
}

std::optional<HazardKind> find_hazard_kind(std::string_view name) {
    using enum HazardKind;
    for (const HazardKind kind :
         {race, uninitialized, out_of_bounds, misaligned, use_after_free, divergent_barrier, inactive_lane, unordered_product, deadlock})
        if (name == name_of(kind)) return kind;
    return {};
}

}  // namespace simt
