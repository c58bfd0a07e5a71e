// ptx_of_program PROGRAM FOLDER: writes each text of PTX that the model would run of a program to a file named by the text's
// fingerprint.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "calls/runtime/fat_binary.hpp"
#include "device/device.hpp"
#include "interpreter/decode/fusion.hpp"

namespace {

constexpr int wrong_use = 2;
constexpr std::size_t container_alignment = 8;

bool write_text(const std::string& folder, const std::string& text) {
    std::ostringstream name;
    name << folder << '/' << std::hex << simt::interpreter::fingerprint(text) << ".ptx";
    std::ofstream file(name.str(), std::ios::binary);
    return static_cast<bool>(file << text);
}

/// Writes the text of the container at the start of `bytes`, if there is one. Returns the number of bytes to skip.
std::size_t write_container(const std::string& folder, std::span<const std::uint8_t> bytes) {
    if (bytes.size() < sizeof(std::uint32_t) || !simt::calls::is_fat_binary(bytes.data())) return container_alignment;
    try {
        const auto entries = simt::calls::read_fat_binary(bytes);
        const auto* best = simt::calls::best_ptx(entries);
        if (best && !write_text(folder, simt::calls::ptx_text(*best))) throw std::ios_base::failure(folder);
    } catch (const simt::DeviceError&) {
        // Not a container, or a damaged one, which the model reports when the program runs.
    }
    return container_alignment;
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) {
        std::fprintf(stderr, "usage: ptx_of_program PROGRAM FOLDER\n");
        return wrong_use;
    }
    std::ifstream file(words[1], std::ios::binary);
    if (!file) {
        std::fprintf(stderr, "error: %s: %s\n", words[1], std::strerror(errno));
        return wrong_use;
    }
    const std::vector<char> content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
    try {
        for (std::size_t at = 0; at < bytes.size();) at += write_container(words[2], bytes.subspan(at));
    } catch (const std::ios_base::failure&) {
        std::fprintf(stderr, "error: %s: cannot be written to\n", words[2]);
        return wrong_use;
    }
    return 0;
}
