// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What the counting model says, where the program runs under it.
#pragma once

#include <cstddef>
#include <string>

namespace across_gpus {

/// Such as `sm_90`; empty on a GPU.
std::string model_machine();

/// Lets the model apply another machine's rules. Throws std::runtime_error with one line if it knows none of this name, or if
/// there is no model.
void choose_machine(const std::string& name);

/// What the model has counted: bytes that devices have sent each other, bytes that the kernels that move the matrix have loaded
/// and stored, and their bank conflicts.
struct Counted {
    std::size_t link_bytes = 0, loaded = 0, stored = 0, conflicts = 0;
    /// False if the model was told to count less than all launches and blocks.
    bool all = true;
};

/// Looks at what the model counts of all devices. On a GPU all stays 0.
class Counting {
public:
    /// What has been counted since the last call, or since the program began.
    Counted take();

private:
    std::size_t link_bytes_ = 0, launches_ = 0;
};

/// The first hazard that the model has found, or error; empty if there is none, or no model.
std::string first_hazard();

}  // namespace across_gpus
