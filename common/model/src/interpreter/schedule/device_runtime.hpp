// The calls of the CUDA runtime that a kernel can make: launches, copies, memory, streams and events.
#pragma once

#include <string_view>

#include "interpreter/schedule/warp.hpp"

namespace simt::interpreter {

/// Whether `name`, as in PTX, is a function of the runtime that kernels may call here.
bool is_of_device_runtime(std::string_view name);

/// Makes the call for a lane.
void call_device_runtime(Warp& warp, std::size_t lane, const CallSite& call);

}  // namespace simt::interpreter
