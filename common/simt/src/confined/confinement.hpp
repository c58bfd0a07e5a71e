// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Code that is not trusted, run in one process with the model.
///
/// The grader assembles such code by itself: each access to memory that is not plainly the function's own frame is
/// preceded by a call of a guard below, and each call that leaves the code goes to a function of this folder, named
/// `simt_confined_` and the name of what it stands for, which looks at every pointer first. So that code can write to
/// its own memory and to nothing else. See docs/grading.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace simt::detail {

/// A range of addresses.
struct Range {
    std::uint64_t begin = 0, end = 0;

    bool contains(std::uint64_t address, std::size_t bytes) const { return address >= begin && address <= end && bytes <= end - address; }
};

/// Where confined code asks for something: its frame pointer, the lowest address of its frames that is in use, and the
/// address behind the call.
struct Asking {
    std::uint64_t frame, low;
    const void* site;
};

/// The function that calls the one in which this stands. Functions of this folder keep frame pointers.
#define SIMT_ASKING                                                                                            \
    ::simt::detail::Asking                                                                                     \
    {                                                                                                          \
        reinterpret_cast<std::uint64_t>(__builtin_frame_address(1)),                                           \
            reinterpret_cast<std::uint64_t>(__builtin_dwarf_cfa()), __builtin_return_address(0)                \
    }

enum class Direction : std::uint8_t { load = 0, store = 1 };

/// Ends the launch, or in host code the program, with an error that says what the confined code was about to do.
[[noreturn]] void refuse(const std::string& what, const void* site);

/// Ends with an error unless confined code may access these bytes itself.
void check_access(std::uint64_t address, std::size_t bytes, Direction direction, const Asking& asking);

/// The same for what a function is to read or write on behalf of host code. A null pointer is left to the function.
void check_argument(const volatile void* pointer, std::size_t bytes, Direction direction, const Asking& asking);

/// Ends with an error unless all bytes lie in the host's memory or all in device memory: for what copies between them.
void check_copied(const void* pointer, std::size_t bytes, Direction direction, const Asking& asking);

/// Ends with an error unless `function` is one that the confined code may hand out to be called.
void check_function(const void* function, const Asking& asking);

/// Remembers that the model has been told of an access of the running thread, which now comes.
void tell(std::uint64_t address, std::size_t bytes);

/// The memory that confined host code allocates for itself.
class ConfinedHeap {
public:
    static ConfinedHeap& instance();
    /// Memory of `bytes` bytes; ends with an error where the limit is reached.
    void* allocate(std::size_t bytes, const Asking& asking);
    /// Takes back what allocate() gave; ends with an error for any other pointer but null.
    void release(void* pointer, const Asking& asking);
    /// What has been given out lies here.
    Range range() const { return {begin_, next_}; }

private:
    ConfinedHeap();

    static constexpr std::size_t reserved_bytes = std::size_t{1} << 38;
    std::uint64_t begin_ = 0, next_ = 0, mapped_ = 0;
};

}  // namespace simt::detail
