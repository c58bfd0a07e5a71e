// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "session.hpp"

#include <algorithm>
#include <utility>

namespace simt {

detail::Session& detail::session()
{
    static Session instance;
    return instance;
}

void set_machine(const Machine& machine) { detail::session().machine = &machine; }
const Machine& current_machine() { return *detail::session().machine; }
std::vector<LaunchCounts> take_launches() { return std::exchange(detail::session().launches, {}); }
void add_listener(Listener& listener) { detail::session().listeners.push_back(&listener); }
void remove_listener(Listener& listener) { std::erase(detail::session().listeners, &listener); }

}  // namespace simt
