// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Numbers of 8 bits: not part of the counting model.
#error "the counting model does not support 8-bit floating point (cuda_fp8.h)"
