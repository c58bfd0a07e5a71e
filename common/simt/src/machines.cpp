// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "simt/machine.hpp"

#include <algorithm>

namespace simt {

int Machine::lanes_per_phase(int size) const
{
    const int words_per_lane = std::max(1, size / bank_width);
    return std::max(1, banks / words_per_lane);
}

const std::vector<Machine>& machines()
{
    static const std::vector<Machine> all = {
        {.name = "sm_90",
         .description = "Hopper (H100, H200)",
         .banks = 32,
         .bank_width = 4,
         .sector_bytes = 32,
         .max_block_threads = 1024,
         .max_shared_bytes = 227 * 1024,
         .compute_major = 9,
         .compute_minor = 0,
         .multiprocessors = 132,
         .l2_bytes = 60 << 20},
    };
    return all;
}

const Machine* find_machine(std::string_view name)
{
    const auto found = std::ranges::find(machines(), name, &Machine::name);
    return found == machines().end() ? nullptr : &*found;
}

std::string machine_names()
{
    std::string names;
    for (const Machine& machine : machines()) names += (names.empty() ? "" : ", ") + machine.name;
    return names;
}

}  // namespace simt
