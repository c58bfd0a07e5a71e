// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "conflict_free/sums.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace conflict_free {

namespace {

constexpr double unit_roundoff = 0x1p-24;

/// Calls `judge(numbers of the block, its sum)` for each block, until one is wrong.
template <class Number, class Judge>
std::string for_each_block(std::span<const Number> numbers, std::span<const Number> sums, std::size_t block, Judge&& judge)
{
    for (std::size_t b = 0; b < sums.size(); ++b) {
        const std::size_t begin = std::min(b * block, numbers.size());
        const std::string wrong = judge(numbers.subspan(begin, std::min(block, numbers.size() - begin)), sums[b]);
        if (!wrong.empty()) return "the sum of block " + std::to_string(b) + " of " + std::to_string(sums.size()) + " is " + wrong;
    }
    return {};
}

}  // namespace

double summation_bound(int additions, double magnitudes)
{
    const double ku = additions * unit_roundoff;
    return ku / (1 - ku) * magnitudes;
}

std::string check_block_sums(std::span<const unsigned> numbers, std::span<const unsigned> sums, std::size_t block)
{
    return for_each_block(numbers, sums, block, [](std::span<const unsigned> part, unsigned sum) -> std::string {
        unsigned exact = 0;
        for (const unsigned number : part) exact += number;
        return sum == exact ? "" : std::to_string(sum) + ", expected " + std::to_string(exact);
    });
}

std::string check_block_sums(std::span<const float> numbers, std::span<const float> sums, std::size_t block, int additions)
{
    return for_each_block(numbers, sums, block, [=](std::span<const float> part, float sum) -> std::string {
        double exact = 0, magnitudes = 0;
        for (const float number : part) {
            exact += number;
            magnitudes += std::abs(number);
        }
        const double bound = summation_bound(additions, magnitudes);
        // Written so that NaN fails.
        if (std::abs(sum - exact) <= bound) return "";
        std::ostringstream text;
        text.precision(9);
        text << sum << ", exactly " << exact << ", and rounding explains " << bound << " at most";
        return text.str();
    });
}

}  // namespace conflict_free
