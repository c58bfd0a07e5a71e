// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Prints without end.

#include <cstdio>

GRADED_DECLARATION
{
    for (;;) std::printf("more and more and more and more and more and more and more and more\n");
}
