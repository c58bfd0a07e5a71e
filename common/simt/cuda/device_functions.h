// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Older programs name this header for the intrinsics.
#pragma once

#include "cuda_runtime.h"
