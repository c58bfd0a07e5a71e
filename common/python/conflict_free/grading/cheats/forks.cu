// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Starts processes without end.

extern "C" int fork();

GRADED_DECLARATION
{
    for (;;) fork();
}
