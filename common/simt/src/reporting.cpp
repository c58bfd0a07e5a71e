// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "reporting.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "session.hpp"

namespace simt::detail {

namespace {

std::uint32_t short_site(const void* site) { return static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(site)); }

std::string in_parentheses(const Extent& e)
{
    return "(" + std::to_string(e.x) + ", " + std::to_string(e.y) + ", " + std::to_string(e.z) + ")";
}

std::set<std::tuple<HazardKind, std::uint32_t, std::uint32_t>>& reported()
{
    static auto& instance = *new std::set<std::tuple<HazardKind, std::uint32_t, std::uint32_t>>;
    return instance;
}

}  // namespace

std::string thread_name(int slot) { return "thread " + in_parentheses(current_launch().info.thread(slot)); }

std::string block_name(const Extent& block) { return "block " + in_parentheses(block); }

SourcePlace place_of(const void* site) { return source_place(short_site(site)); }

std::string last_line(const TraceEntry* entry)
{
    if (!entry) return {};
    const SourcePlace place = source_place(entry->site);
    return place.line == 0 ? std::string() : ", at or after " + place.file + ":" + std::to_string(place.line);
}

std::string line_of_code(std::uint64_t address)
{
    // A site is the address behind an instruction.
    const SourcePlace place = address ? place_of(reinterpret_cast<const void*>(address + 1)) : SourcePlace{};
    return place.line == 0 ? std::string() : ", " + place.file + ":" + std::to_string(place.line);
}

bool is_first_report(HazardKind kind, std::uint32_t site, std::uint32_t other_site)
{
    return reported().insert({kind, site, other_site}).second;
}

void begin_reports() { reported().clear(); }

void report_hazard(HazardKind kind, const std::vector<int>& slots, const std::vector<std::uint32_t>& sites, std::string message,
                   std::string help)
{
    Hazard hazard{kind, current_launch().kernel, current_launch().block, {}, {}, std::move(message), std::move(help)};
    for (const int slot : slots) hazard.threads.push_back(current_launch().info.thread(slot));
    for (const std::uint32_t site : sites) hazard.lines.push_back(source_place(site));
    session().add(std::move(hazard));
}

void report_threads_hazard(HazardKind kind, const std::vector<int>& slots, const std::vector<const void*>& sites, std::string message,
                           std::string help)
{
    std::vector<std::uint32_t> short_sites;
    std::ranges::transform(sites, std::back_inserter(short_sites), short_site);
    report_hazard(kind, slots, short_sites, std::move(message), std::move(help));
}

void report_thread_hazard(HazardKind kind, int slot, const std::vector<const void*>& sites, std::string message, std::string help)
{
    report_threads_hazard(kind, {slot}, sites, std::move(message), std::move(help));
}

}  // namespace simt::detail
