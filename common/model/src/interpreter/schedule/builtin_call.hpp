// The arguments and the result of a built-in function that a lane calls.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

/// The place of an argument or of the result of a lane's call. Stops the launch if the call has none, or one of fewer bytes.
inline unsigned char* place_of(Warp& warp, std::size_t lane, const CallSite& call, const std::vector<LocalPlace>& places, std::size_t n,
                               std::size_t bytes) {
    if (n >= places.size() || places[n].bytes < bytes)
        throw LaunchStopped(error_not_supported,
                            warp.launch->message_of(warp, lane, MessageCode::other_arguments, {{"callee", call.builtin}}));
    return warp.local_lane(lane) + warp.frame->local_base + places[n].offset;
}

/// Returns argument `n` of a lane's call.
template <class T> T argument(Warp& warp, std::size_t lane, const CallSite& call, std::size_t n) {
    T value{};
    std::memcpy(&value, place_of(warp, lane, call, call.arguments, n, sizeof value), sizeof value);
    return value;
}

/// Gives a lane the result of its call, if the call has one.
template <class T> void give_back(Warp& warp, std::size_t lane, const CallSite& call, T value) {
    if (!call.results.empty()) std::memcpy(place_of(warp, lane, call, call.results, 0, sizeof value), &value, sizeof value);
}

}  // namespace simt::interpreter
