// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What the parts of the runtime API share.
#pragma once

#include <cstddef>

#include "simt/runtime_errors.hpp"

namespace simt::detail {

/// The last error if it is one that a kernel met while it ran. Calls that wait for the device report it, too.
cudaError_t kernel_error();

/// True if the host may use `bytes` bytes at `pointer`: memory of its own, or managed or pinned memory.
bool host_may_use(const void* pointer, std::size_t bytes);

/// Frees all memory, as cudaDeviceReset() does.
void free_all_memory();

/// Takes back what cudaFuncSetAttribute() allowed.
void reset_dynamic_shared_limit();

}  // namespace simt::detail
