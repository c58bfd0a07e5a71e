// Texts of PTX, changed at random.
#pragma once

#include <string>
#include <vector>

#include "device/device.hpp"
#include "fuzz/choices.hpp"

namespace fuzz {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text);

/// One of the texts with lines, operands and opcodes removed, repeated, exchanged or replaced, in a few places.
std::string changed_text(Choices& choices, const std::vector<Lines>& texts);

/// A launch of a function with arguments of any kind. @param memory an allocation of 4,096 bytes
simt::LaunchRequest launch_of(Choices& choices, const simt::FunctionInfo& info, int function, simt::DeviceAddress memory);

/// Loads a text and launches its first kernels. Returns how many launches there were.
int run_text(Choices& choices, const std::string& text);

}  // namespace fuzz
