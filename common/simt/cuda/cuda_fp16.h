// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Numbers of half precision: not part of the counting model.
#error "the counting model does not support half precision (cuda_fp16.h)"
