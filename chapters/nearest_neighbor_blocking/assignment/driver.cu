// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <cstddef>

#include <conflict_free/trial.hpp>

void nearest_four(int* neighbors, const float3* points, int n);

int main(int argc, char** argv)
{
    return conflict_free::Trial::each(argc, argv, [](conflict_free::Trial& trial) {
        const int n = trial.integer("n");
        const float3* points = trial.input<float3>("points");
        int* neighbors = trial.output<int>("neighbors", 4 * static_cast<std::size_t>(n));
        trial.run([&] { nearest_four(neighbors, points, n); });
    });
}
