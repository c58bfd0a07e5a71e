// The special registers of PTX, which hold values of the machine.
#pragma once

#include <optional>
#include <string_view>

#include "interpreter/schedule/warp.hpp"

namespace simt::interpreter {

/// The special register called `name` (with its `%`), and its size in bytes; nothing if its value changes while a block
/// runs, or if there is none.
std::optional<Special> find_special(std::string_view name);

/// Writes the value of a special register into its slot, for all lanes.
void fill_special(const Warp& warp, const SpecialSlot& slot, unsigned char* registers);

/// Whether the special register's value differs between the blocks that a warp runs.
bool changes_between_blocks(Special special);

/// Whether a special register is a clock or a timer, which is read anew each time.
bool is_clock(std::string_view name);

}  // namespace simt::interpreter
