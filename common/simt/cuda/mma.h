// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Tensor cores: not part of the counting model.
#error "the counting model does not support tensor cores (mma.h)"
