// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <conflict_free/trial.hpp>

void find_minimum(int* minimum, const int* numbers, int n);

int main(int argc, char** argv)
{
    return conflict_free::Trial::each(argc, argv, [](conflict_free::Trial& trial) {
        const int n = trial.integer("n"), second_n = trial.integer("second_n");
        const int* numbers = trial.input<int>("numbers");
        const int* second_numbers = trial.input<int>("second_numbers");
        int* minimum = trial.output<int>("minimum", 2);
        int* second_minimum = trial.output<int>("second_minimum", 2);
        // The function is called twice: leftovers of the first call must not disturb the second.
        trial.run([&] {
            find_minimum(minimum, numbers, n);
            find_minimum(second_minimum, second_numbers, second_n);
        });
    });
}
