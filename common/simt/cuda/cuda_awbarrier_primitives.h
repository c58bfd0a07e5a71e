// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Asynchronous barriers: not part of the counting model.
#error "the counting model does not support asynchronous barriers (cuda_awbarrier_primitives.h)"
