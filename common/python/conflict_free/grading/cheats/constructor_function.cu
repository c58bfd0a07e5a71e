// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Ends the program before the driver begins, by a constructor attribute.

#include <cstdlib>

__attribute__((constructor)) static void begin() { std::exit(0); }

GRADED_SOLUTION
