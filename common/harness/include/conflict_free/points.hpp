// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Points in space: random points, points of a user, and the nearest neighbor of each.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace conflict_free {

/// Random points in the cube from -1 to 1. Coordinates are multiples of 2⁻¹⁰: a difference has at most 12 bits, and the
/// sum of three squares at most 24, which a float holds. So squared distances are exact, however they are computed, and
/// equal ones are equal. About one point in sixteen is a copy of one before it.
void random_points(std::span<float3> points, std::uint64_t seed);

/// Points of three numbers each.
std::vector<float3> points_from(std::span<const float> numbers);

/// Describes what is wrong with points. NaN is near nothing, and larger coordinates have infinite squares.
std::string wrong_points(std::span<const float3> points);

/// The squared distance of two points, with each operation rounded.
float squared_distance(float3 a, float3 b);

/// Returns for each point the index of the nearest other point, the lowest of equals, or -1 if there is no other. The method differs
/// from that of the kernels: the points are sorted by x, and the search goes both ways until x alone is too far.
/// @param points to search among
/// @param distance of two points, squared, and rounded as the kernels round it; not below the squared distance of x alone
std::vector<int> nearest_by_sorting(std::span<const float3> points, float (*distance)(float3, float3) = squared_distance);

}  // namespace conflict_free
