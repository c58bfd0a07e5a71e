// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Does a sum come out the same each time, and is every number in it?
//
// Whole numbers whose sums a float holds exactly have one sum in every order, as unsigned integers
// do: a number lost or added twice shows at any length, where a bound on rounding would hide it. Of
// other numbers, the order decides the last bits: run after run, they have to be the same.

#define main chapter_main
#include "reduction_to_the_limit.cu"
#undef main

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <conflict_free/random.hpp>

namespace {

struct Way {
    const char* name;
    void (*add)(const Floats&);
};

constexpr Way ways[] = {
    {"reduce_first_add", add_up<reduce_first_add>},
    {"reduce_last_warp", add_up<reduce_last_warp>},
    {"reduce_unrolled", add_up<reduce_unrolled<BLOCK>>},
    {"reduce_many_elements", add_in_two<reduce_many_elements<BLOCK>, BLOCK>},
    {"reduce_vector", add_in_two<reduce_vector<BLOCK>, 4 * LOADS * BLOCK>},
    {"reduce_one_launch", add_in_one},
    {"reduce_packed_flags", add_with_flags},
    // Each of its configurations at every length, whichever it is meant for.
    {"reduce_packed_flags, 512 threads", add_by_mail<512, 2>},
    {"reduce_packed_flags, 1024 threads", add_by_mail<1024, 4>},
    {"reduce_dependent_launch", add_with_dependent_launch},
    {"reduce_dependent_launch, 512 threads", add_early<512, 2>},
    {"reduce_dependent_launch, 1024 threads", add_early<1024, 4>},
};

/// Numbers that begin 16 bytes into their memory, and room for the results.
class Trial {
public:
    explicit Trial(const std::vector<float>& numbers)
        : n_(static_cast<int>(numbers.size())),
          input_(numbers.size() + 4),
          output_(1),
          scratch_(sums_between_launches(numbers.size()))
    {
        std::vector<float> shifted(4, NAN);
        shifted.insert(shifted.end(), numbers.begin(), numbers.end());
        input_.copy_from(shifted);
    }

    float sum(const Way& way)
    {
        output_.poison();
        scratch_.poison();
        way.add({output_.data(), input_.data() + 4, n_, scratch_.data()});
        CUDA_CHECK(cudaGetLastError());
        float sum = 0;
        output_.copy_to({&sum, 1});
        return sum;
    }

private:
    int n_;
    DeviceBuffer<float> input_, output_, scratch_;
};

bool is_exact_of_whole_numbers(int n)
{
    std::vector<float> numbers(static_cast<std::size_t>(n));
    double exact = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        exact += numbers[i] = static_cast<float>(random_bits(2, i) % 17) - 8.0f;
    Trial trial(numbers);
    bool passed = true;
    for (const Way& way : ways) {
        const float sum = trial.sum(way);
        if (sum == exact)
            continue;
        std::fprintf(
            stderr, "%s: the sum of %d whole numbers is %.9g, wanted %.9g\n", way.name, n, sum, exact);
        passed = false;
    }
    return passed;
}

/// Launches with nothing between them, each of which adds up the results of those before it: none may start before these have ended. The
/// first finds a 1, and each other twice the number of the one before.
bool is_right_in_a_row(int n, int runs)
{
    std::vector<float> numbers(static_cast<std::size_t>(n + runs), 0.0f);
    bool passed = true;
    for (const Way& way : ways) {
        std::ranges::fill(numbers, 0.0f);
        numbers[0] = 1;
        DeviceBuffer<float> input(numbers.size()), scratch(sums_between_launches(numbers.size()));
        input.copy_from(numbers);
        for (int run = 0; run < runs; ++run)
            way.add({input.data() + n + run, input.data(), n + run, scratch.data()});
        CUDA_CHECK(cudaGetLastError());
        input.copy_to(numbers);
        for (int run = 0; run < runs; ++run) {
            const float sum = numbers[static_cast<std::size_t>(n + run)], wanted = std::ldexp(1.0f, run);
            if (sum == wanted)
                continue;
            std::fprintf(stderr, "%s: sum %d of a row of launches over %d numbers is %.9g, wanted %.9g\n",
                way.name, run, n, sum, wanted);
            passed = false;
        }
    }
    return passed;
}

bool is_same_each_time(int n, int runs)
{
    std::vector<float> numbers(static_cast<std::size_t>(n));
    fill_random(numbers, 1);
    const CompensatedSum exact = compensated_sum(numbers);
    const double bound = summation_bound(most_additions(numbers.size()), exact.magnitudes);
    Trial trial(numbers);
    bool passed = true;
    for (const Way& way : ways) {
        const float first = trial.sum(way);
        int others = 0;
        for (int run = 1; run < runs; ++run) {
            const float sum = trial.sum(way);
            others += std::memcmp(&sum, &first, sizeof sum) != 0;
        }
        const double error = std::abs(first - exact.sum);
        std::printf(
            "%-34s %9d numbers  sum %-13.9g error %.2e, at most %.2e  %d runs, %d with other bits\n",
            way.name, n, first, error, bound, runs, others);
        passed &= others == 0 && error <= bound;
    }
    return passed;
}

}  // namespace

int main(int argc, char** argv)
{
    const int runs = argc == 2 ? std::atoi(argv[1]) : 0;
    if (runs < 1) {
        std::fprintf(
            stderr, "same_bits: got %d arguments, accepted: the number of runs, from 1\n", argc - 1);
        return 2;
    }
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "same_bits: there is no GPU to run on\n");
        return 77;
    }
    bool passed = true;
    for (const int n : {0, 1, 2, 3, 4, 5, 7, 31, 32, 33, 511, 512, 513, 4095, 4096, 4097, 65539, 300007})
        passed &= is_exact_of_whole_numbers(n);
    for (const int n : {1, 65539, 300007})
        passed &= is_right_in_a_row(n, std::min(runs, 20));
    for (const int n : {65539, 300007})
        passed &= is_same_each_time(n, runs);
    // A run on the CPU would take minutes for these sizes.
    if (runs >= 100) {
        for (const int n : {1048575, 16777213, 33554437})
            passed &= is_exact_of_whole_numbers(n) && is_same_each_time(n, runs);
    }
    std::printf("%s\n", passed ? "all right" : "FAILED");
    return passed ? 0 : 1;
}
