// Checks the launches of a program, and puts them into the form that the device takes.
#pragma once

#include "calls/runtime/work.hpp"

namespace simt::calls {

/// A launch as a program describes it, with pointers to its arguments.
KernelWork kernel_work(const void* function, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, void** arguments);

/// Changes a launch as its attributes ask.
void apply_attributes(KernelWork& work, const cudaLaunchAttribute* attributes, unsigned count);

/// Copies the arguments to where FunctionInfo::parameters has them.
std::vector<std::uint8_t> packed_arguments(const FunctionInfo& info, void** arguments);

}  // namespace simt::calls
