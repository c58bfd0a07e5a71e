// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Names of kernels and functions as people write them.
#pragma once

#include <string>

namespace simt::ptx {

/// The name of the function that `mangled` stands for, without its namespaces and parameters; an instance of a template with
/// its arguments, as `transpose<float, 32>`.
std::string kernel_name(const std::string& mangled);

/// The name of any function with its namespaces and parameters; `mangled` itself if it is none of C++.
std::string function_name(const std::string& mangled);

}  // namespace simt::ptx
