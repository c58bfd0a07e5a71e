// Local memory is a part of global memory for each thread. Its words are laid out so that lanes of a warp that access
// the same offset access neighboring words (CUDA C++ Programming Guide, "Local Memory"). Constant memory serves the distinct
// words of a warp one after another (same guide, "Constant Memory"). The rules for requests, for accesses of less than a word to
// constant memory, and for textures are measured (tests/hardware/h200_features.json).

#include <algorithm>
#include <array>

#include "rules/lanes.hpp"
#include "simt/rules.hpp"

namespace simt {

namespace {

constexpr std::uint64_t word_bytes = 4, words_of_sector = 8;

/// The number of different values.
template <std::size_t n> int distinct(std::array<std::uint64_t, n>& values, std::size_t count) {
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(values.begin(), end);
    return static_cast<int>(std::unique(values.begin(), end) - values.begin());
}

// 16 bytes that start in the middle of a word touch five words.
constexpr std::size_t most_words = 5 * warp_size;

/// Returns how many different values `number(lane, word)` has for the words that the lanes touch.
template <class Number> int distinct_of_words(const WarpAccess& access, Number&& number) {
    std::array<std::uint64_t, most_words> values;
    std::size_t count = 0;
    for (const std::size_t lane : lanes_in(access.active)) {
        const std::uint64_t first = access.address[lane], last = first + static_cast<std::uint64_t>(access.size) - 1;
        for (std::uint64_t word = first / word_bytes; word <= last / word_bytes; ++word) values[count++] = number(lane, word);
    }
    return distinct(values, count);
}

}  // namespace

GlobalCost local_cost(const WarpAccess& access) {
    const auto bytes = static_cast<std::uint64_t>(access.active_lanes()) * static_cast<std::uint64_t>(access.size);
    const int ideal = static_cast<int>((bytes + sector_bytes - 1) / sector_bytes);
    const int sectors =
        distinct_of_words(access, [](std::size_t lane, std::uint64_t word) { return (word * warp_size + lane) / words_of_sector; });
    return {sectors, ideal};
}

int local_requests(const WarpAccess& access) { return std::max(1, access.size / static_cast<int>(word_bytes)); }

int constant_words(const WarpAccess& access) {
    if (access.size < static_cast<int>(word_bytes)) {
        std::array<std::uint64_t, warp_size> addresses;
        std::size_t count = 0;
        for (const std::size_t lane : lanes_in(access.active)) addresses[count++] = access.address[lane];
        return distinct(addresses, count);
    }
    return distinct_of_words(access, [](std::size_t, std::uint64_t word) { return word; });
}

int texture_requests(const WarpAccess& access) {
    int requests = 0;
    for (int first = 0; first < warp_size; first += access.request_lanes)
        requests += (access.active & lane_group(first, access.request_lanes)) != 0;
    return requests;
}

}  // namespace simt
