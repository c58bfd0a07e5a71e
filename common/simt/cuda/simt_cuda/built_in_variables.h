// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Where a thread is.
#pragma once

#include "simt/execution.hpp"

#define threadIdx (::simt::thread_index())
#define blockIdx (::simt::block_index())
#define blockDim (::simt::block_extent())
#define gridDim (::simt::grid_extent())
inline constexpr int warpSize = ::simt::warp_size;
