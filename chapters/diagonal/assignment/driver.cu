// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <cstddef>

#include <conflict_free/trial.hpp>

void subtract_minimum(int* output, const int* input, int width, int height);

int main(int argc, char** argv)
{
    return conflict_free::Trial::each(argc, argv, [](conflict_free::Trial& trial) {
        const int width = trial.integer("width"), height = trial.integer("height");
        const int* input = trial.input<int>("input");
        int* output = trial.output<int>("output", static_cast<std::size_t>(width) * height);
        trial.run([&] { subtract_minimum(output, input, width, height); });
    });
}
