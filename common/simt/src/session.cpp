// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "session.hpp"

#include <algorithm>
#include <utility>

namespace simt {

namespace detail {

Session& session()
{
    // Never destroyed: programs launch and report until their very end.
    static Session& instance = *new Session;
    return instance;
}

CurrentLaunch& current_launch()
{
    static CurrentLaunch& instance = *new CurrentLaunch;
    return instance;
}

void Session::add(Hazard hazard)
{
    const auto same = [&](const Hazard& other) {
        return other.kind == hazard.kind && other.kernel == hazard.kernel && std::ranges::is_permutation(other.lines, hazard.lines);
    };
    if (std::ranges::none_of(hazards, same)) hazards.push_back(std::move(hazard));
}

}  // namespace detail

void set_machine(const Machine& machine) { detail::session().machine = &machine; }
const Machine& current_machine() { return *detail::session().machine; }
std::vector<LaunchCounts> take_launches() { return std::exchange(detail::session().launches, {}); }
std::vector<Hazard> take_hazards() { return std::exchange(detail::session().hazards, {}); }
std::vector<std::string> take_errors() { return std::exchange(detail::session().errors, {}); }
void add_listener(Listener& listener) { detail::session().listeners.push_back(&listener); }
void remove_listener(Listener& listener) { std::erase(detail::session().listeners, &listener); }

}  // namespace simt
