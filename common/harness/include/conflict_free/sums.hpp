// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The right sums for blocks of threads, and the largest error that a sum of floats may have.
#pragma once

#include <span>
#include <string>

namespace conflict_free {

/// The largest error of a computed sum of floats, given the sum of the magnitudes of its numbers, if no number goes through more than
/// `additions` additions: γ Σ|x| with γ = ku / (1 − ku), k = `additions` and u = 2⁻²⁴.
///
/// Each addition rounds, and multiplies what it adds by 1 + δ with |δ| ≤ u. A number that goes through k additions
/// ends in the sum multiplied by k such factors, and their product differs from 1 by at most γ. For a tree of pairs
/// this is the bound of Higham, *The Accuracy of Floating Point Summation*, SIAM J. Sci. Comput. 14 (1993), with k the
/// height of the tree.
double summation_bound(int additions, double magnitudes);

/// A sum in doubles, and the sum of the magnitudes of the same numbers.
struct CompensatedSum {
    /// The sum.
    double sum = 0;
    /// The sum of the numbers without their signs.
    double magnitudes = 0;
};

/// The sum of `numbers`, on all cores, in doubles that carry what each addition rounds off (A. Neumaier, *Rundungsfehleranalyse
/// einiger Verfahren zur Summation endlicher Summen*, ZAMM 54, 1974). Its error is less than 2⁻⁵² of the sum itself plus
/// n² × 2⁻¹⁰⁴ of the magnitudes, which is nothing beside the rounding of a float. The same for each number of cores.
CompensatedSum compensated_sum(std::span<const float> numbers);

/// @name Sums of blocks
/// Checks `sums[b]`, computed from numbers b·block to (b + 1)·block − 1, against the exact sum.
/// @param numbers what was added
/// @param sums one for each block, the last of which may be cut; at least one
/// @param block numbers of a block, from 1
/// @return what is wrong, or an empty text
/// @{

/// Sums modulo 2³², which are the same in every order.
std::string check_block_sums(std::span<const unsigned> numbers, std::span<const unsigned> sums, std::size_t block);

/// Sums within summation_bound() of the exact one.
/// The numbers must be multiples of 2⁻²⁴ and their magnitudes add up to less than 2²⁸: then doubles hold the sums exactly.
/// @param numbers what was added
/// @param sums one for each block, the last of which may be cut; at least one
/// @param block numbers of a block, from 1
/// @param additions the most additions that a number goes through on its way into its block's sum
std::string check_block_sums(std::span<const float> numbers, std::span<const float> sums, std::size_t block, int additions);
/// @}

}  // namespace conflict_free
