// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Loops in which a thread looks again and again at memory, until another one has written what it waits for. How often it looks is a
/// matter of time, so that no model can count it.
#pragma once

#include "interpreter/decode/flow.hpp"

namespace simt::interpreter {

/// For each instruction of a function, whether it is a look of that kind: a load or an atomic operation in a loop, at an address
/// that the loop does not change, whose result decides whether the loop goes on. A load must be one that is made anew each time:
/// `volatile`, `relaxed`, `acquire`, or with a fence in the loop. Loops with a barrier of the block are none: their threads wait
/// there, and not by looking. A `volatile`, `relaxed` or `acquire` load at the address of another one that is a look is the first look.
ptx::Numbered<bool> find_polls(const ptx::Function& function, const Flow& flow);

}  // namespace simt::interpreter
