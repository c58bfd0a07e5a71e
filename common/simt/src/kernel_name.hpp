// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The names of kernels that are instances of templates.
#pragma once

#include <string>
#include <string_view>

namespace simt::detail {

/// The name of an instance of a template, such as `reduce<float, 32>`.
/// @param function the name of the template
/// @param signature GCC's `__PRETTY_FUNCTION__`, such as `void reduce(T*) [with T = float; int N = 32]`
/// @param parameters how many parameters the template has: GCC lists those first, and then the type aliases of the signature
/// @return `function` alone where the signature tells no arguments
std::string instance_name(std::string_view function, std::string_view signature, int parameters);

}  // namespace simt::detail
