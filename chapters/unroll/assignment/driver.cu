// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <conflict_free/trial.hpp>

void histogram(unsigned* bins, const unsigned char* values, int count);

int main(int argc, char** argv)
{
    return conflict_free::Trial::each(argc, argv, [](conflict_free::Trial& trial) {
        const int count = trial.integer("count"), offset = trial.integer("offset");
        const unsigned char* values = trial.input<unsigned char>("values") + offset;
        unsigned* bins = trial.output<unsigned>("bins", 256);
        trial.run([&] { histogram(bins, values, count); });
    });
}
