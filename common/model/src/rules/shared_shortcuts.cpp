#include "rules/shared_shortcuts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "rules/lanes.hpp"

namespace simt::rules {

namespace {

// The shortcuts are for machines of 32 banks of 4 bytes whose requests are whole warps.
constexpr int bank_count = 32, bank_bytes = 4;

bool has_shortcuts(const SharedMemory& memory) {
    return memory.banks == bank_count && memory.bank_width == bank_bytes && memory.request_lanes == warp_size &&
           memory.words == SharedWords::multicast;
}

/// True if cost_of_even_steps() applies.
bool has_even_steps(const WarpAccess& access, std::uint64_t& step) {
    if (access.size < bank_bytes) return false;
    const auto offset_bits = static_cast<std::uint64_t>(access.size) - 1;
    return is_evenly_spaced(access, step) && (step != 0 || access.size == bank_bytes) && ((step | access.address[0]) & offset_bits) == 0;
}

/// The cost of an access of all lanes to aligned elements, a fixed number of elements apart or one word for all. A
/// phase then has as many elements as fit side by side into the banks. The fullest bank holds the greatest common divisor of
/// that number and the step, a power of two. Nothing merges, because no two lanes have the same address.
SharedCost cost_of_even_steps(std::uint64_t step, int size, const SharedMemory& memory) {
    const int width = std::countr_zero(static_cast<unsigned>(size));
    const int log_phases = width - std::countr_zero(static_cast<unsigned>(bank_bytes));
    const int log_lanes = std::countr_zero(static_cast<unsigned>(warp_size)) - log_phases;
    const int in_fullest_bank = step == 0 ? 1 : 1 << std::min(std::countr_zero(step >> width), log_lanes);
    const int extra = size == 16 ? memory.extra_wavefronts_of_16_bytes : 0;
    return {(in_fullest_bank + extra) << log_phases, 1 << log_phases};
}

/// Distinct words in the fullest bank. 0 if the shortcut does not apply: banks conflict, and the words are not in ascending order.
int most_in_a_bank(std::span<const std::uint32_t> words) {
    constexpr std::uint32_t bank_mask = bank_count - 1;
    std::array<std::uint32_t, bank_count> word_of_bank;
    for (const std::uint32_t word : words) word_of_bank[word & bank_mask] = word;
    bool is_free = true;
    for (const std::uint32_t word : words) is_free &= word_of_bank[word & bank_mask] == word;
    if (is_free) return 1;
    std::array<std::uint8_t, bank_count> in_bank{};
    in_bank[words[0] & bank_mask] = 1;
    int fullest = 1;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i] < words[i - 1]) return 0;
        std::uint8_t& count = in_bank[words[i] & bank_mask];
        count = static_cast<std::uint8_t>(count + (words[i] != words[i - 1]));
        fullest = std::max(fullest, static_cast<int>(count));
    }
    return fullest;
}

/// The wavefronts of an access of one word a lane; 0 if the shortcut does not apply.
int wavefronts_of_single_words(const WarpAccess& access) {
    std::array<std::uint32_t, warp_size> words;
    std::size_t count = 0;
    for_lanes(access.active, [&](std::size_t lane) { words[count++] = static_cast<std::uint32_t>(access.address[lane] / bank_bytes); });
    return most_in_a_bank({words.data(), count});
}

}  // namespace

SharedCost shortcut_cost(const WarpAccess& access, const SharedMemory& memory) {
    if (!has_shortcuts(memory)) return {0, 0};
    if (std::uint64_t step; has_even_steps(access, step)) return cost_of_even_steps(step, access.size, memory);
    if (access.size > bank_bytes || !is_aligned(access)) return {0, 0};
    return {wavefronts_of_single_words(access), 1};
}

}  // namespace simt::rules
