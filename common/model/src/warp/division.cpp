// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "warp/division.hpp"

#include <bit>

#include "warp/launch.hpp"

namespace simt::warp {

namespace {

constexpr std::size_t divisor = 2;

template <class T>
void divide(Warp& warp, const Instruction& instruction)
{
    const T* const divisors = values<T>(warp, instruction.operand[divisor]);
    std::uint32_t zeros = 0;
    for (int lane = 0; lane < lanes_of_warp; ++lane) zeros |= std::uint32_t{divisors[lane] == 0} << lane;
    if (zeros &= warp.active; zeros != 0) [[unlikely]]
        throw LaunchStopped(error_failure, warp.launch->where(warp, std::countr_zero(zeros)) + ": integer division by zero" +
                                               warp.launch->line_of(instruction.site));
    reinterpret_cast<Execute>(instruction.immediate)(warp, instruction);
}

}  // namespace

void watch_divisors(Instruction& instruction, ptx::Type type)
{
    if (ptx::is_floating_point(type)) return;
    instruction.immediate = reinterpret_cast<std::uint64_t>(instruction.execute);
    switch (ptx::bytes_of(type)) {
        case 2: instruction.execute = divide<std::uint16_t>; break;
        case 4: instruction.execute = divide<std::uint32_t>; break;
        default: instruction.execute = divide<std::uint64_t>; break;
    }
}

}  // namespace simt::warp
