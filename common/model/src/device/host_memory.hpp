// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What this process may use of the machine's memory. Where it is used up, the kernel of the machine kills a process without a word.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "simt/message.hpp"

namespace simt::memory {

/// Bytes of memory: all that this process may use, and what nobody uses.
struct HostMemory {
    std::uint64_t all, left;

    /// By the machine and by each control group of the process, from the files of Linux below `root`.
    static HostMemory of(const std::filesystem::path& root = "/");
    /// What remains for everybody else: a sixteenth, of 64 MiB to 1 GiB; or as many bytes as SIMT_KEEP_FREE says.
    std::uint64_t kept_free() const;
};

/// A message if the memory is nearly used up; what is told of the last 20 ms counts. Safe to use from several host threads.
std::optional<Message> no_memory_left();
/// The same if it would be after `bytes` more, looked up anew.
std::optional<Message> no_memory_left_after(std::uint64_t bytes);

}  // namespace simt::memory
