// The part of the machine's memory that this process may use. A process that uses more is killed by Linux without a message.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "simt/message.hpp"

namespace simt::memory {

/// Bytes of memory: all that this process may use, and those that no process uses.
struct HostMemory {
    std::uint64_t all, left;

    /// By the machine and by each control group of the process, from the files of Linux below `root`.
    static HostMemory of(const std::filesystem::path& root = "/");
    /// Bytes that remain for other processes: a sixteenth, of 64 MiB to 1 GiB; or as many as SIMT_KEEP_FREE says.
    std::uint64_t kept_free() const;
};

/// A message if the memory is nearly used up, by numbers of the last 20 ms. Safe to use from several host threads.
std::optional<Message> no_memory_left();
/// The same for the memory after `bytes` more, by new numbers.
std::optional<Message> no_memory_left_after(std::uint64_t bytes);

}  // namespace simt::memory
