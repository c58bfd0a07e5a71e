// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Calling code that is not trusted. See docs/grading.md.
#pragma once

extern "C" void simt_call_confined(void (*function)(const void*), const void* context);

namespace simt {

/// Calls `function()`, which calls code that is not trusted, and comes back with what the caller keeps in registers as it
/// was, whatever that code has done to its stack.
template <class Function>
void call_confined(const Function& function)
{
    simt_call_confined([](const void* context) { (*static_cast<const Function*>(context))(); }, &function);
}

}  // namespace simt
