// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// How functions are marked that stand for an instruction of the device. They stay out of line, so that the address
/// behind their call is in the user's code, and their own memory traffic is not counted.
#pragma once

#define SIMT_UNCOUNTED [[gnu::noinline, gnu::no_sanitize("thread"), gnu::no_sanitize_coverage]]
#define SIMT_UNCOUNTED_INLINE [[gnu::always_inline, gnu::no_sanitize("thread"), gnu::no_sanitize_coverage]]
/// The same for a lambda, between its parameters and its body.
#define SIMT_UNCOUNTED_LAMBDA __attribute__((no_sanitize("thread"), no_sanitize_coverage))
