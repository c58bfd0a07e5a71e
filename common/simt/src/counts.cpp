// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "simt/counts.hpp"

#include <algorithm>
#include <tuple>

namespace simt {

SharedCounts& SharedCounts::operator+=(const SharedCounts& other)
{
    instructions += other.instructions;
    wavefronts += other.wavefronts;
    ideal_wavefronts += other.ideal_wavefronts;
    return *this;
}

GlobalCounts& GlobalCounts::operator+=(const GlobalCounts& other)
{
    requests += other.requests;
    sectors += other.sectors;
    ideal_sectors += other.ideal_sectors;
    bytes += other.bytes;
    return *this;
}

double PartitionUse::mean() const
{
    double all = 0, used = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        all += static_cast<double>(steps[i]);
        used += static_cast<double>((i + 1) * steps[i]);
    }
    return all > 0 ? used / all : 0;
}

PartitionUse& PartitionUse::operator+=(const PartitionUse& other)
{
    steps.resize(std::max(steps.size(), other.steps.size()));
    for (std::size_t i = 0; i < other.steps.size(); ++i) steps[i] += other.steps[i];
    return *this;
}

LaunchCounts& LaunchCounts::operator+=(const LaunchCounts& other)
{
    launches += other.launches;
    blocks += other.blocks;
    stopped |= other.stopped;
    shared_load += other.shared_load;
    shared_store += other.shared_store;
    global_load += other.global_load;
    global_store += other.global_store;
    shared_atomic += other.shared_atomic;
    global_atomic += other.global_atomic;
    barriers += other.barriers;
    warp_barriers += other.warp_barriers;
    if (partitions && other.partitions) {
        partitions->load += other.partitions->load;
        partitions->store += other.partitions->store;
    }
    const auto place = [](const LineCounts& line) { return std::tie(line.file, line.line, line.space, line.operation); };
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

const char* name_of(Space space) { return space == Space::shared ? "shared" : "global"; }

const char* name_of(Operation operation)
{
    switch (operation) {
        case Operation::load: return "load";
        case Operation::store: return "store";
        case Operation::atomic: return "atomic";
    }
    return "unknown";
}

}  // namespace simt
