// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Asynchronous copies: not part of the counting model.
#error "the counting model does not support asynchronous copies (cuda_pipeline.h)"
