// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Matrix operations of cuBLAS: not part of the counting model.
#error "the counting model does not support cuBLAS (cublas_v2.h)"
