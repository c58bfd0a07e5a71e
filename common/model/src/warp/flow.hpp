// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The control flow of a function: where lanes that part at a branch meet again.
#pragma once

#include <vector>

#include "ptx/module.hpp"

namespace simt::warp {

/// For each instruction of `function` that is a branch: the index of the instruction at its immediate post-dominator, or -1
/// where the lanes do not meet before the end of the function. -1 for all others.
std::vector<int> find_joins(const ptx::Function& function);

}  // namespace simt::warp
