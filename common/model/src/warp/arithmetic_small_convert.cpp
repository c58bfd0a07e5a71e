// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "warp/finders.hpp"

namespace simt::warp {

Semantics find_small_convert(const ptx::Instruction&)
{
    return {};
}

}  // namespace simt::warp
