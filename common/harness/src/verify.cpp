// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "conflict_free/verify.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace conflict_free {

void parallel_for(std::size_t count, const std::function<void(std::size_t, std::size_t)>& part, std::size_t least_part)
{
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t parts = std::clamp<std::size_t>(count / least_part, 1, cores);
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < parts; ++i) threads.emplace_back([&, i] { part(count * i / parts, count * (i + 1) / parts); });
    part(0, count / parts);
}

}  // namespace conflict_free
