// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// From access sites to the source lines they stand on.
#pragma once

#include <cstdint>
#include <string>

namespace simt::detail {

/// A place in the source. An unknown place has line 0.
struct SourceLine {
    /// File name without its folder.
    std::string file;
    int line = 0;
};

/// The source line of an access site, read from the running program's debug information.
SourceLine source_line_of_site(std::uint32_t site);

}  // namespace simt::detail
