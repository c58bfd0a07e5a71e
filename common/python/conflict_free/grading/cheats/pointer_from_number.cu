// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Calls an address that it has made of a number.

GRADED_DECLARATION
{
    volatile unsigned long address = 0x401000;
    reinterpret_cast<void (*)()>(address)();
}
