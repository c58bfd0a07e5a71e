// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Includes a file of the machine.

#include "/etc/passwd"

GRADED_SOLUTION
