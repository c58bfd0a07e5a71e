// The containers of device code in programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fuzz {

using Bytes = std::vector<std::uint8_t>;

/// The containers in a program's file.
std::vector<Bytes> containers_in(const std::filesystem::path& program);

/// The PTX of a container that fits the engine best; empty if there is none, or if the container is damaged.
std::string text_in(const Bytes& container);

}  // namespace fuzz
