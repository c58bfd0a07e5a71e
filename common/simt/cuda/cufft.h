// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Fourier transforms of cuFFT: not part of the counting model.
#error "the counting model does not support cuFFT (cufft.h)"
