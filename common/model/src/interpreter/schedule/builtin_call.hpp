// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The arguments and the result of a built-in function that a lane calls.
#pragma once

#include <cstddef>
#include <cstring>

#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

/// Returns argument `n` of a lane's call.
template <class T> T argument(Warp& warp, std::size_t lane, const CallSite& call, std::size_t n)
{
    T value{};
    std::memcpy(&value, warp.local_lane(lane) + warp.frame->local_base + call.arguments.at(n).offset, sizeof value);
    return value;
}

/// Gives a lane the result of its call, if the call has one.
template <class T> void give_back(Warp& warp, std::size_t lane, const CallSite& call, T value)
{
    if (!call.results.empty()) std::memcpy(warp.local_lane(lane) + warp.frame->local_base + call.results[0].offset, &value, sizeof value);
}

}  // namespace simt::interpreter
