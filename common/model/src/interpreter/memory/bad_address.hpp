// Hazards of single accesses: reports on addresses that a kernel may not access.
#pragma once

#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

/// These functions report a lane's access in `warp.access`. They end the launch where a GPU would end it.
void report_bad_global(Warp& warp, std::size_t lane, std::uint64_t address);
void report_bad_shared(Warp& warp, std::size_t lane, std::uint64_t offset);
void report_bad_local(Warp& warp, std::size_t lane);
/// @param fatal whether a GPU would end the launch
void report_misaligned(Warp& warp, std::size_t lane, bool fatal);

}  // namespace simt::interpreter
