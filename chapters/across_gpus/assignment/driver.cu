// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <conflict_free/trial.hpp>

void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height);

int main(int argc, char** argv)
{
    return conflict_free::Trial::each(argc, argv, [](conflict_free::Trial& trial) {
        const int width = trial.integer("width"), height = trial.integer("height"), ranks = trial.integer("ranks");
        const float* matrix = trial.input<float>("matrix");
        float* sent = trial.output<float>("sent", static_cast<std::size_t>(width) * height);
        // One device plays all ranks, one after the other. Each has its rows and its send buffer.
        trial.run([&] {
            for (int rank = 0; rank < ranks; ++rank) {
                const std::size_t before = static_cast<std::size_t>(height) * rank / ranks * width;
                all_to_all_order(sent + before, matrix + before, rank, ranks, width, height);
            }
        });
    });
}
