// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Puts a file of the machine into the program.

asm(".section .rodata\n.incbin \"/etc/passwd\"\n.text");

GRADED_SOLUTION
