// A program that talks to the judge. Some of its packets are damaged.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/choices.hpp"

namespace fuzz {

/// Writes the case that conversations are about.
void make_case(const std::filesystem::path& folder);

/// Sends some twenty packets to the judge's server, on a device that executes: calls in any order, with objects that the answers before
/// have named. @param texts of PTX to load  @return how many packets were answered
int converse(Choices& choices, const std::vector<std::string>& texts, const std::filesystem::path& a_case);

}  // namespace fuzz
