// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Random numbers of cuRAND: not part of the counting model.
#error "the counting model does not support cuRAND (curand.h)"
