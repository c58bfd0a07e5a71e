// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// From CUDA C++ to C++: what is not C++ is replaced, all else and every line number stays.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace simt::translate {

/// A construct that the translator does not know. The message names it, with file and line.
class TranslationError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Translates one source file. `file` is the name that debug information and messages give it.
/// - `kernel<<<grid, block, shared, stream>>>(arguments…)` becomes a call of simt::Launch;
/// - `__shared__ T x[…]` and `extern __shared__ T x[]` become references into the block's shared memory;
/// - the body of each `__global__` function starts with simt::kernel_entry().
/// @throws TranslationError for shared declarations and launches that it cannot read.
std::string translate(std::string_view source, std::string_view file);

}  // namespace simt::translate
