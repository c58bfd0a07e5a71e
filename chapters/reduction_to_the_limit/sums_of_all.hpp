// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The right sum of all numbers, and the greatest error that a kernel may have.
#pragma once

#include <conflict_free/array_chapter.hpp>
#include <conflict_free/device.hpp>
#include <conflict_free/sums.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <span>
#include <string>

/// Threads of a multiprocessor, in all grids that stride over the numbers.
constexpr int THREADS_PER_MULTIPROCESSOR = 2048;

/// Numbers of one block of the kernels that are launched again and again, and the additions that each goes through: one on
/// the way in, and one in each of eight rounds.
constexpr std::size_t NUMBERS_OF_BLOCK = 512;
constexpr int ADDITIONS_OF_BLOCK = 9;

using Summed = conflict_free::ArrayKernels<float, float>::Written;

inline std::size_t one_sum(std::size_t) { return 1; }

/// Room for the sums of all launches but the last, or for those of one grid that strides.
inline std::size_t sums_between_launches(std::size_t n)
{
    std::size_t sums = 0;
    for (std::size_t left = n; left > NUMBERS_OF_BLOCK; sums += left)
        left = (left + NUMBERS_OF_BLOCK - 1) / NUMBERS_OF_BLOCK;
    return std::max<std::size_t>(sums, 4096);
}

/// The most additions that a number goes through in a grid that strides: its thread's, at most one for each number of the
/// thread, and in blocks and over blocks less than 64.
inline int most_additions(std::size_t n)
{
    const std::size_t threads =
        static_cast<std::size_t>(conflict_free::multiprocessors()) * THREADS_PER_MULTIPROCESSOR;
    return static_cast<int>((n + threads - 1) / threads) + 64;
}

/// The sum of the input in doubles, compensated, and that of the magnitudes. An input is known by its place and length: in
/// one run of a chapter program, all inputs of one length are the same.
inline conflict_free::CompensatedSum reference_sum(std::span<const float> numbers)
{
    static std::span<const float> known;
    static conflict_free::CompensatedSum sum;
    if (known.data() != numbers.data() || known.size() != numbers.size()) {
        sum = conflict_free::compensated_sum(numbers);
        known = numbers;
    }
    return sum;
}

/// Within the bound of summation, or what is wrong.
inline std::string sum_is_right(const Summed& written)
{
    const auto [exact, magnitudes] = reference_sum(written.input);
    const double bound = conflict_free::summation_bound(most_additions(written.input.size()), magnitudes);
    // Written so that NaN fails.
    if (std::abs(written.output[0] - exact) <= bound)
        return {};
    char text[160];
    std::snprintf(text, sizeof text, "the sum is %.9g, exactly %.9g, and rounding explains %.9g at most",
        written.output[0], exact, bound);
    return text;
}

/// Each block of each launch is checked against its own input: a bound for 512 numbers hides no lost number.
inline std::string every_launch_is_right(const Summed& written)
{
    std::span<const float> numbers = written.input, scratch = written.scratch;
    for (int launch = 1; numbers.size() > NUMBERS_OF_BLOCK; ++launch) {
        const auto sums = scratch.first((numbers.size() + NUMBERS_OF_BLOCK - 1) / NUMBERS_OF_BLOCK);
        const std::string wrong =
            conflict_free::check_block_sums(numbers, sums, NUMBERS_OF_BLOCK, ADDITIONS_OF_BLOCK);
        if (!wrong.empty())
            return "launch " + std::to_string(launch) + ": " + wrong;
        numbers = sums;
        scratch = scratch.subspan(sums.size());
    }
    const std::string wrong =
        conflict_free::check_block_sums(numbers, written.output, NUMBERS_OF_BLOCK, ADDITIONS_OF_BLOCK);
    return wrong.empty() ? "" : "last launch: " + wrong;
}

/// The distance of the sum from the compensated one, and the largest that rounding explains.
inline std::map<std::string, double> error_of_sum(const Summed& written)
{
    const auto [exact, magnitudes] = reference_sum(written.input);
    return {{"error", std::abs(written.output[0] - exact)},
        {"error_bound", conflict_free::summation_bound(most_additions(written.input.size()), magnitudes)}};
}
