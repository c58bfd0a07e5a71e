// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Names of kernels as people write them.
#pragma once

#include <string>

namespace simt::detail {

/// The name of the function that `mangled` stands for, without its namespaces and parameters; an instance of a template with
/// its arguments, as `transpose<float, 32>`.
std::string kernel_name(const std::string& mangled);

}  // namespace simt::detail
