// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "context.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace simt::detail {
namespace {

constexpr std::size_t stack_bytes = 128 << 10;

Context scheduler;
std::array<Context, 3> threads;
std::vector<std::string> log;

/// Runs `body` on stack `number` until it switches to the scheduler.
void run(std::size_t number, void (*body)())
{
    static std::array<std::vector<std::uint64_t>, 3> stacks;
    stacks[number].resize(stack_bytes / sizeof(std::uint64_t));
    start_context(threads[number], stacks[number].data(), stack_bytes, body);
    switch_context(scheduler, threads[number]);
}

TEST(Context, KeepsWhatStandsInRegistersAcrossSwitches)
{
    static std::vector<std::string> results;
    results.clear();
    const auto body = [] {
        // More values than there are registers that a call preserves, so that all of these are in use.
        double sum = 0.5;
        std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7;
        for (int round = 0; round < 3; ++round) {
            switch_context(threads[0], scheduler);
            a += 1, b += a, c ^= b, d += c, e ^= d, f += e, g ^= f, sum *= 1.5;
        }
        results.push_back(std::to_string(a + b + c + d + e + f + g) + " " + std::to_string(sum));
        switch_context(threads[0], scheduler);
        std::abort();
    };
    run(0, body);
    for (int round = 0; round < 3; ++round) switch_context(scheduler, threads[0]);
    ASSERT_EQ(results.size(), 1u);

    double sum = 0.5;
    std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7;
    for (int round = 0; round < 3; ++round) a += 1, b += a, c ^= b, d += c, e ^= d, f += e, g ^= f, sum *= 1.5;
    EXPECT_EQ(results[0], std::to_string(a + b + c + d + e + f + g) + " " + std::to_string(sum));
}

TEST(Context, ThreadsHandOverToOneAnother)
{
    log.clear();
    run(1, [] {
        log.push_back("second begins");
        switch_context(threads[1], scheduler);
        log.push_back("second goes on");
        switch_context(threads[1], scheduler);
        std::abort();
    });
    run(0, [] {
        log.push_back("first begins");
        switch_context(threads[0], threads[1]);
        std::abort();
    });
    EXPECT_EQ(log, (std::vector<std::string>{"second begins", "first begins", "second goes on"}));
}

TEST(Context, StacksAreAlignedAsFunctionsExpect)
{
    static std::uint64_t address = 1;
    run(2, [] {
        alignas(16) volatile char variable[16] = {};
        address = reinterpret_cast<std::uint64_t>(&variable);
        EXPECT_EQ(address % 16, 0u);
        // Aligned vector instructions in the C library fault on a stack that is not.
        log.push_back(std::to_string(1.25L));
        switch_context(threads[2], scheduler);
        std::abort();
    });
    EXPECT_EQ(address % 16, 0u);
}

TEST(Context, ExceptionsAreCaughtOnTheStackThatThrowsThem)
{
    static std::string caught;
    run(0, [] {
        try {
            throw std::runtime_error("thrown on another stack");
        } catch (const std::exception& error) {
            caught = error.what();
        }
        switch_context(threads[0], scheduler);
        std::abort();
    });
    EXPECT_EQ(caught, "thrown on another stack");
}

TEST(ContextDeathTest, AnUncaughtExceptionEndsTheProgram)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(run(0, [] { throw std::runtime_error("nobody catches this"); }), "terminate called");
}

}  // namespace
}  // namespace simt::detail
