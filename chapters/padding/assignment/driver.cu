// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <conflict_free/trial.hpp>

void transpose_doubles(double* output, const double* input, int width, int height);

int main(int argc, char** argv)
{
    return conflict_free::Trial::each(argc, argv, [](conflict_free::Trial& trial) {
        const int width = trial.integer("width"), height = trial.integer("height");
        const double* input = trial.input<double>("input");
        double* output = trial.output<double>("output", static_cast<std::size_t>(width) * height);
        trial.run([&] { transpose_doubles(output, input, width, height); });
    });
}
