// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Launches: `kernel<<<grid, block, shared, stream>>>(arguments…)`.
#pragma once

#include "source.hpp"

namespace simt::translate {

/// True if the `<<<` at `chevrons` launches a kernel. In `operator<<<int>` it does not.
bool is_launch(const Source& source, Index chevrons);

/// Turns the launch whose `<<<` is at `chevrons` into a call of simt::Launch.
/// @throws TranslationError if the kernel, the `>>>` or the arguments cannot be found.
void rewrite_launch(const Source& source, Edits& edits, Index chevrons);

}  // namespace simt::translate
