// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Switching between stacks.
#pragma once

#include <cstddef>

#if !(defined(__x86_64__) || defined(__aarch64__)) && !defined(SIMT_PORTABLE_CONTEXT)
#define SIMT_PORTABLE_CONTEXT
#endif

#ifdef SIMT_PORTABLE_CONTEXT
#include <ucontext.h>
#endif

namespace simt::detail {

/// A place where execution goes on: a stack, and on it the registers that a function call preserves.
///
/// On x86-64 and AArch64 a switch is a dozen instructions of the model's own: at a barrier each thread of a block is
/// switched, and then little else is done. What libraries save besides, the control words of the floating-point units,
/// takes most of their time, and no thread is switched while it has changed them. On other machines the C library
/// switches, several times slower.
struct Context {
#ifdef SIMT_PORTABLE_CONTEXT
    ucontext_t registers;
#else
    void* stack_pointer = nullptr;
#endif
};

/// Makes the first switch to `context` call `entry` on the stack of `bytes` bytes whose low end is `low`.
/// @param entry never returns
void start_context(Context& context, void* low, std::size_t bytes, void (*entry)());

/// Fetches into the host's cache what a switch to `context` will touch. Inlined by force: a call to a function that only
/// prefetches is left out by GCC as one without effect.
[[gnu::always_inline]] inline void prefetch_context([[maybe_unused]] const Context& context)
{
#ifndef SIMT_PORTABLE_CONTEXT
    constexpr int lines = 4, line_bytes = 64;
    for (int line = 0; line < lines; ++line) __builtin_prefetch(static_cast<const char*>(context.stack_pointer) + line * line_bytes, 1);
#endif
}

#ifndef SIMT_PORTABLE_CONTEXT
/// Pushes the registers that a call preserves, stores the stack pointer in *from, and does the reverse on the stack `to`.
/// It returns to whoever called it there.
extern "C" void simt_switch_stack(void** from, void* to);
#endif

/// Leaves the running stack, remembers in `from` where, and goes on with `to`.
inline void switch_context(Context& from, Context& to)
{
#ifdef SIMT_PORTABLE_CONTEXT
    swapcontext(&from.registers, &to.registers);
#else
    simt_switch_stack(&from.stack_pointer, to.stack_pointer);
#endif
}

}  // namespace simt::detail
