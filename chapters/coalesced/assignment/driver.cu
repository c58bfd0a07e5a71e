// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <conflict_free/trial.hpp>

void rotate(unsigned* output, const unsigned* input, int width, int height);

int main(int argc, char** argv)
{
    return conflict_free::Trial::each(argc, argv, [](conflict_free::Trial& trial) {
        const int width = trial.integer("width"), height = trial.integer("height");
        const unsigned* input = trial.input<unsigned>("input");
        unsigned* output = trial.output<unsigned>("output", std::size_t(width) * height);
        trial.run([&] { rotate(output, input, width, height); });
    });
}
