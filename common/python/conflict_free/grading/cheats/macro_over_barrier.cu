// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Makes nothing of a name of CUDA.

#define __syncthreads() static_cast<void>(0)

GRADED_SOLUTION
