// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The program's `__device__` and `__constant__` variables, and the rest of its image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/execution.hpp"

namespace simt::detail {

/// A variable.
struct Symbol {
    std::uint64_t begin;
    std::size_t bytes;
    std::string name;
    SymbolSpace space;

    bool contains(std::uint64_t address) const { return address - begin < bytes; }
};

/// All variables of the program that a simt::DeviceSymbol makes known.
class Symbols {
public:
    static Symbols& instance();

    /// The variable that holds `address`, or null.
    const Symbol* find(std::uint64_t address) const;

private:
    Symbols();

    std::vector<Symbol> symbols_;  // sorted by begin
};

/// True if `address` lies in a part of the program's image that cannot be written, such as constant tables.
bool is_read_only_data(std::uint64_t address);

}  // namespace simt::detail
