// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <conflict_free/trial.hpp>

void multiply_tiles(float* products, const uint4* tiles, int pairs);

int main(int argc, char** argv)
{
    return conflict_free::Trial::each(argc, argv, [](conflict_free::Trial& trial) {
        const int pairs = trial.integer("pairs");
        const uint4* tiles = trial.input<uint4>("tiles");
        float* products = trial.output<float>("products", static_cast<std::size_t>(pairs) * 64 * 64);
        trial.run([&] { multiply_tiles(products, tiles, pairs); });
    });
}
