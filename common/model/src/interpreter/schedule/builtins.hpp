// Functions without PTX that kernels call: `vprintf`, `malloc`, `free`, `__assertfail`, and those of the CUDA runtime
// (device_runtime.hpp).
#pragma once

#include <string_view>

#include "interpreter/schedule/warp.hpp"

namespace simt::interpreter {

bool is_builtin(std::string_view name);

/// Makes the call for the active lanes; the warp then goes on after the call.
void call_builtin(Warp& warp, const DecodedInstruction& instruction, const CallSite& call);

}  // namespace simt::interpreter
