// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <conflict_free/trial.hpp>

void sum_rows(float* sums, const float* matrix, int width, int height);

int main(int argc, char** argv)
{
    return conflict_free::Trial::each(argc, argv, [](conflict_free::Trial& trial) {
        const int width = trial.integer("width"), height = trial.integer("height");
        const float* matrix = trial.input<float>("matrix");
        float* sums = trial.output<float>("sums", height);
        trial.run([&] { sum_rows(sums, matrix, width, height); });
    });
}
