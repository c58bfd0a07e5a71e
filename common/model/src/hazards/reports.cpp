#include "hazards/reports.hpp"

#include <algorithm>

namespace simt::hazards {

std::uint32_t Reports::number_of(std::uint32_t program_counter) {
    const auto [known, is_new] = line_of_program_counter_.try_emplace(program_counter, 0);
    if (is_new) {
        const SourcePlace place = place_of_(program_counter);
        known->second = lines_.try_emplace({place.file, place.line}, static_cast<std::uint32_t>(lines_.size())).first->second;
    }
    return known->second;
}

void Reports::add(Rank rank, std::uint64_t block_number, std::span<const std::uint32_t> program_counters, Hazard hazard) {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint32_t> lines;
    for (const std::uint32_t program_counter : program_counters) {
        lines.push_back(number_of(program_counter));
        hazard.lines.push_back(place_of_(program_counter));
    }
    std::ranges::sort(lines);
    Report report{rank, block_number, sequence_++, std::move(hazard)};
    const auto [known, is_new] = reports_.try_emplace({report.hazard.kind, std::move(lines)}, report);
    if (!is_new && rank < known->second.rank) known->second = std::move(report);
}

std::vector<Hazard> Reports::take() {
    const std::lock_guard lock(mutex_);
    std::vector<Report> all;
    for (auto& entry : reports_) all.push_back(std::move(entry.second));
    reports_.clear();
    std::ranges::sort(all, {}, [](const Report& report) { return std::pair(report.block_number, report.sequence); });
    std::vector<Hazard> hazards;
    for (Report& report : all) hazards.push_back(std::move(report.hazard));
    return hazards;
}

}  // namespace simt::hazards
