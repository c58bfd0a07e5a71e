// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Reductions over cooperative groups of lanes of a warp.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define SIMT_OPERATION(name, expression)                                     \
    template <class T>                                                       \
    struct name {                                                            \
        T operator()(T a, T b) const { return static_cast<T>(expression); }  \
    };
SIMT_OPERATION(plus, a + b)
SIMT_OPERATION(less, b < a ? b : a)
SIMT_OPERATION(greater, a < b ? b : a)
SIMT_OPERATION(bit_and, a& b)
SIMT_OPERATION(bit_or, a | b)
SIMT_OPERATION(bit_xor, a ^ b)
#undef SIMT_OPERATION

/// `operation` over the values of all threads of a tile or of coalesced threads; each of them gets the result.
template <class T, class Operation>
SIMT_UNCOUNTED T reduce(const detail::lane_group& group, T value, Operation operation)
{
    return ::simt::detail::reduce(group.lanes(), value, operation, __builtin_return_address(0));
}

}  // namespace cooperative_groups
