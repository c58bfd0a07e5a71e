// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What is in the libraries of the names under which programs ask for the CUDA runtime and the driver. The model's runtime and driver are in
// one library whose name nobody else has, and call one another within it: a process can have loaded NVIDIA's runtime before, as Python's
// packages do, and the model must not get that one.

extern "C" {
extern const int conflict_free_is_cudart, conflict_free_is_cuda, conflict_free_is_nvJitLink;
const int conflict_free_is_cudart = 1, conflict_free_is_cuda = 1, conflict_free_is_nvJitLink = 1;
}
