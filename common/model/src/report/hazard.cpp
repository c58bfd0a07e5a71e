#include "simt/hazard.hpp"

namespace simt {

const char* name_of(HazardKind kind) {
    switch (kind) {
#define SIMT_HAZARD(name) \
    case HazardKind::name: return #name;
#include "simt/counts.def"
    }
    return "unknown";
}

std::optional<HazardKind> find_hazard_kind(std::string_view name) {
#define SIMT_HAZARD(kind) \
    if (name == #kind) return HazardKind::kind;
#include "simt/counts.def"
    return {};
}

}  // namespace simt
