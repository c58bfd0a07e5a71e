// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// From CUDA C++ to C++: what is not C++ is replaced, all else and every line number stays.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace simt::translate {

/// Constructs that the translator cannot translate. The message has a line `file:line: what` for each of them.
class TranslationError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Finds the files that a translated file includes.
class Includes {
public:
    virtual ~Includes() = default;

    /// A file that `#include` names: its text, what messages call it, and where its translation will be found.
    struct File {
        std::string text, name, translation;
    };

    /// The file that an `#include` of `name` in the file called `includer` means; nothing for files that need no
    /// translation, such as those of the system. `quoted`: the name stands in quotes, not in angle brackets.
    virtual std::optional<File> find(std::string_view name, bool quoted, std::string_view includer) = 0;
    /// True the first time it is asked about a file: then the file is to be translated.
    virtual bool is_new(const File& file) = 0;
    /// Takes the translation of a file. Called once for each file that was new.
    virtual void translated(const File& file, const std::string& translation) = 0;
};

/// Translates one source file. `file` is the name that debug information and messages give it.
/// - `kernel<<<grid, block, shared, stream>>>(arguments…)` becomes a call of simt::Launch;
/// - `__shared__ T x[…]` and `extern __shared__ T x[]` become references into the block's shared memory;
/// - the body of each `__global__` function starts with simt::kernel_entry();
/// - `__device__`, `__managed__` and `__constant__` variables are followed by a simt::DeviceSymbol that makes them known.
/// The files that it includes are translated too if `includes` finds them.
/// @throws TranslationError for what it cannot read, and for the parts of CUDA that the counting model does not support.
std::string translate(std::string_view source, std::string_view file, Includes* includes = nullptr);

}  // namespace simt::translate
