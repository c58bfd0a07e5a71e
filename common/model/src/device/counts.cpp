#include "simt/counts.hpp"

#include <algorithm>
#include <tuple>

#include "device/access_pattern.hpp"

namespace simt {

SharedCounts& SharedCounts::operator+=(const SharedCounts& other) {
#define SIMT_SHARED_COUNT(name, member) member += other.member;
#include "simt/counts.def"
    return *this;
}

GlobalCounts& GlobalCounts::operator+=(const GlobalCounts& other) {
#define SIMT_GLOBAL_COUNT(name, member) member += other.member;
#include "simt/counts.def"
    return *this;
}

double PartitionUse::mean() const {
    double all = 0, used = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        all += static_cast<double>(steps[i]);
        used += static_cast<double>((i + 1) * steps[i]);
    }
    return all > 0 ? used / all : 0;
}

PartitionUse& PartitionUse::operator+=(const PartitionUse& other) {
    steps.resize(std::max(steps.size(), other.steps.size()));
    for (std::size_t i = 0; i < other.steps.size(); ++i) steps[i] += other.steps[i];
    return *this;
}

Work& Work::operator+=(const Work& other) {
#define SIMT_WORK(name) name += other.name;
#include "simt/counts.def"
    return *this;
}

LaunchWork& LaunchWork::operator+=(const LaunchWork& other) {
    sum += other.sum;
#define SIMT_WORK(name)                                  \
    least.name = std::min(least.name, other.least.name); \
    most.name = std::max(most.name, other.most.name);
#include "simt/counts.def"
    loaded_sectors += other.loaded_sectors;
    stored_sectors += other.stored_sectors;
    return *this;
}

LaunchCounts& LaunchCounts::operator+=(const LaunchCounts& other) {
    launches += other.launches;
    blocks += other.blocks;
    uncounted_blocks += other.uncounted_blocks;
    stopped |= other.stopped;
#define SIMT_TOTAL(name, ...) name += other.name;
#define SIMT_NUMBER(name) name += other.name;
#include "simt/counts.def"
    exact &= other.exact;
    for (const FusedAccess& access : other.fused)
        if (std::ranges::find(fused, access) == fused.end()) fused.push_back(access);
    work += other.work;
    if (partitions && other.partitions) {
        partitions->load += other.partitions->load;
        partitions->store += other.partitions->store;
    }
    const auto place = [](const LineCounts& line) {
        return std::tuple(line.file, line.line, line.inlined_from, line.space, line.operation, pattern_of(line.first_access));
    };
    for (const LineCounts& line : other.lines) {
        const auto found = std::ranges::lower_bound(lines, place(line), {}, place);
        if (found == lines.end() || place(*found) != place(line)) {
            lines.insert(found, line);
            continue;
        }
        found->shared += line.shared;
        found->global += line.global;
    }
    return *this;
}

const char* name_of(Space space) {
    switch (space) {
#define SIMT_SPACE(name) \
    case Space::name: return #name;
#include "simt/counts.def"
    }
    return "unknown";
}

const char* name_of(Operation operation) {
    switch (operation) {
#define SIMT_OPERATION(name) \
    case Operation::name: return #name;
#include "simt/counts.def"
    }
    return "unknown";
}

}  // namespace simt
