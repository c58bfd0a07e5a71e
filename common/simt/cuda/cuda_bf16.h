// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Numbers in the bfloat16 format: not part of the counting model.
#error "the counting model does not support bfloat16 (cuda_bf16.h)"
