// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Reproducible random data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace conflict_free {

/// Element `index` of the sequence that `seed` names: 64 well-mixed bits (the SplitMix64 generator, Steele, Lea and
/// Flood 2014, with the index as its state). An element does not depend on those before it.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);

/// Fills `values` with the sequence that `seed` names, on all cores: floats evenly from [-1, 1).
void fill_random(std::span<float> values, std::uint64_t seed);

/// Fills `values` with the sequence that `seed` names, on all cores: integers evenly from all values of the type.
void fill_random(std::span<unsigned> values, std::uint64_t seed);

/// Fills `values` with the sequence that `seed` names, on all cores: integers evenly from [-2³⁰, 2³⁰).
void fill_random(std::span<int> values, std::uint64_t seed);

/// Fills `values` with the sequence that `seed` names, on all cores: whole numbers evenly from -128 to 127.
void fill_random(std::span<std::int8_t> values, std::uint64_t seed);

}  // namespace conflict_free
