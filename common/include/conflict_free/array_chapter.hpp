// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// A chapter whose kernels read one array and write another of any length.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conflict_free/chapter.hpp"
#include "conflict_free/device_buffer.hpp"
#include "conflict_free/random.hpp"

namespace conflict_free {

/// Reads a number of elements: a whole number from `least` to 2³¹ − 1, or the same with "x1".
/// @return n as Size{n, 1}
/// @throws UsageError for anything else
Size parse_length(std::string_view text, int least);

/// The arrays of a launch, in device memory.
template <class Input, class Output>
struct Arrays {
    Output* output;
    const Input* input;
    /// Elements of the input.
    int n;
    /// Room for values between launches of one kernel.
    Output* scratch;
};

/// A chapter program on an array of `Input`. A size is a number of elements n, kept as Size{n, 1}.
template <class Input, class Output>
class ArrayChapter : public Chapter {
public:
    /// Starts a kernel.
    using LaunchFunction = std::function<void(const Arrays<Input, Output>&)>;
    /// Number of elements of something, given the length of the input.
    using Length = std::function<std::size_t(std::size_t n)>;
    /// Says what is wrong with an output, or nothing.
    using Verify = std::function<std::string(std::span<const Input> input, std::span<const Output> output)>;
    /// Fills the input, reproducibly.
    using Fill = std::function<void(std::span<Input> input, std::uint64_t seed)>;

    /// @param slug the chapter's directory name
    /// @param question the question that the chapter answers, shown by `--help`
    /// @param output_length elements that a kernel writes
    /// @param scratch_length elements of room between launches
    ArrayChapter(std::string slug, std::string question, Length output_length, Length scratch_length)
        : Chapter(std::move(slug), std::move(question)), output_length_(std::move(output_length)), scratch_length_(std::move(scratch_length))
    {
    }

    /// Adds a kernel. `name` is its function's name; `verify` is its own reference.
    ArrayChapter& kernel(std::string name, LaunchFunction launch, Verify verify)
    {
        return add(std::move(name), std::move(launch), std::move(verify), false);
    }

    /// Adds a library call, timed and checked as a row to compare with, but not counted.
    ArrayChapter& reference_row(std::string name, LaunchFunction launch, Verify verify)
    {
        return add(std::move(name), std::move(launch), std::move(verify), true);
    }

    /// States what the counts of the kernel added last must be.
    ArrayChapter& expect(Expectation expectation)
    {
        last_kernel().expectations.push_back(std::move(expectation));
        return *this;
    }

    /// States what the counts of the kernel added last must be on an older machine.
    ArrayChapter& expect_on(std::string machine, Expectation expectation)
    {
        expectation.machine = std::move(machine);
        return expect(std::move(expectation));
    }

    /// The kernel added last is left out on a modelled machine that cannot run it, because its blocks are too large there.
    ArrayChapter& left_out_on(std::string machine)
    {
        last_kernel().left_out_on.push_back(std::move(machine));
        return *this;
    }

    /// How the input is filled. Without it, fill_random() must know the type.
    ArrayChapter& filled_by(Fill fill)
    {
        fill_ = std::move(fill);
        return *this;
    }

    /// The least length that is accepted; 1 unless given.
    ArrayChapter& least_length(int least)
    {
        least_ = least;
        return *this;
    }

    /// What is done for n elements, where bytes do not tell it.
    ArrayChapter& work_is(std::string unit, std::function<double(double n)> amount)
    {
        unit_ = std::move(unit);
        amount_ = std::move(amount);
        return *this;
    }

    Size size_from(std::string_view text) const override { return parse_length(text, least_); }

    std::optional<Work> work(Size size) const override
    {
        if (!amount_) return {};
        return Work{unit_, amount_(static_cast<double>(size.width))};
    }

    bool is_worth_timing(Size size) const override { return amount_ ? size.width >= 1024 : Chapter::is_worth_timing(size); }

    void prepare(Size size, int sets, std::uint64_t seed) override
    {
        input_.resize(size.count());
        fill_(input_, seed);
        for (int set = 0; set < sets; ++set) {
            inputs_.emplace_back(size.count()).copy_from(input_);
            outputs_.emplace_back(output_length_(size.count()));
            scratch_.emplace_back(scratch_length_(size.count()));
        }
    }

    void poison() override
    {
        for (auto& output : outputs_) output.poison();
        for (auto& scratch : scratch_) scratch.poison();
    }

    void launch(int kernel, int set) override
    {
        const auto i = static_cast<std::size_t>(set);
        work_[static_cast<std::size_t>(kernel)].launch(
            {outputs_[i].data(), inputs_[i].data(), static_cast<int>(input_.size()), scratch_[i].data()});
    }

    std::string verify(int kernel) override
    {
        for (const auto& device_output : outputs_) {
            std::vector<Output> output(device_output.count());
            device_output.copy_to(output);
            std::string wrong = work_[static_cast<std::size_t>(kernel)].verify(input_, output);
            if (!wrong.empty()) return wrong;
        }
        return {};
    }

    void release() override
    {
        inputs_.clear();
        outputs_.clear();
        scratch_.clear();
    }

    std::size_t bytes_of_set(Size size) const override
    {
        return useful_bytes(size) + scratch_length_(size.count()) * sizeof(Output);
    }
    std::size_t useful_bytes(Size size) const override
    {
        return size.count() * sizeof(Input) + output_length_(size.count()) * sizeof(Output);
    }
    int element_bytes() const override { return static_cast<int>(sizeof(Input)); }

private:
    struct KernelWork {
        LaunchFunction launch;
        Verify verify;
    };

    static void default_fill(std::span<Input> input, std::uint64_t seed)
    {
        if constexpr (requires { fill_random(input, seed); }) fill_random(input, seed);
    }

    ArrayChapter& add(std::string name, LaunchFunction launch, Verify verify, bool is_reference)
    {
        add_kernel(std::move(name), is_reference);
        work_.push_back({std::move(launch), std::move(verify)});
        return *this;
    }

    Length output_length_, scratch_length_;
    Fill fill_ = default_fill;
    int least_ = 1;
    std::string unit_;
    std::function<double(double)> amount_;
    std::vector<KernelWork> work_;
    std::vector<Input> input_;
    std::vector<DeviceBuffer<Input>> inputs_;
    std::vector<DeviceBuffer<Output>> outputs_, scratch_;
};

}  // namespace conflict_free
