// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What the counting model says, where the program runs under it.
#pragma once

#include <cstddef>
#include <string>

namespace across_gpus {

/// Such as `sm_90`; empty on a GPU.
std::string model_machine();

/// Bytes that devices have sent each other since the program began. 0 on a GPU.
std::size_t bytes_over_links();

/// The first hazard that the model has found, or error; empty if there is none, or no model.
std::string first_hazard();

}  // namespace across_gpus
