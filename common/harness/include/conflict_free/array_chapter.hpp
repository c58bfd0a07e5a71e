// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// A chapter whose kernels read one array and write another of any length.
#pragma once

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conflict_free/chapter.hpp"
#include "conflict_free/device_buffer.hpp"
#include "conflict_free/random.hpp"
#include "conflict_free/std_function.hpp"

namespace conflict_free {

/// Reads a number of elements: a whole number from `least` to most_elements, or the same with "x1".
/// @return n as Size{n, 1}
/// @throws UsageError for anything else
Size parse_length(std::string_view text, int least);

/// The numbers in a file of text, separated by blanks, commas or ends of lines. `nan` and `inf` are numbers here.
/// @throws UsageError if the file cannot be read, or has something else in it
std::vector<float> read_numbers(const std::string& file);

/// Number of elements of something, given those of the input.
using LengthFunction = std::function<std::size_t(std::size_t n)>;

/// The arrays of a launch, in device memory.
template <class Input, class Output> struct Arrays {
    /// Poisoned, to be written by the kernel.
    Output* output;
    /// The same for each launch.
    const Input* input;
    /// Elements of the input.
    int n;
    /// Room for values between launches of one kernel.
    Output* scratch;
};

class ArrayChapter;

/// Kernels of an ArrayChapter that work on arrays of the same types, and these arrays. Made by ArrayChapter::arrays().
class AnyArrays {
public:
    virtual ~AnyArrays() = default;

    /// @name Interface for ArrayChapter
    /// @{

    /// See Chapter::prepare(); `n` is the number of elements of the input.
    virtual void prepare(std::size_t n, int sets, std::uint64_t seed) = 0;
    /// See Chapter::poison().
    virtual void poison() = 0;
    /// See Chapter::launch(); `kernel` counts the kernels on these arrays alone.
    virtual void launch(int kernel, int set) = 0;
    /// See Chapter::verify().
    virtual std::string verify(int kernel) = 0;
    /// See Chapter::figures().
    virtual std::map<std::string, double> figures(int kernel) = 0;
    /// See Chapter::release().
    virtual void release() = 0;
    /// See Chapter::bytes_of_set().
    virtual std::size_t bytes_of_set(std::size_t n) const = 0;
    /// See Chapter::useful_bytes().
    virtual std::size_t useful_bytes(std::size_t n) const = 0;
    /// See Chapter::element_bytes().
    virtual int element_bytes() const = 0;
    /// See Chapter::reads_input().
    virtual bool reads_input() const = 0;
    /// See Chapter::read_input(). Returns the number of elements.
    virtual std::size_t read_input(const std::string& file) = 0;
    /// @}
};

/// Kernels that read an array of `Input` and write an array of `Output`. The harness has the code of the pairs of types at the end of
/// this file; of other pairs each chapter has its own.
template <class Input, class Output> class ArrayKernels : public AnyArrays {
public:
    ~ArrayKernels() override;

    /// Starts a kernel.
    using LaunchFunction = std::function<void(const Arrays<Input, Output>&)>;
    /// Computes the output on the host.
    using HostFunction = std::function<void(std::span<const Input> input, std::span<Output> output)>;
    /// The data that a kernel has read and written.
    struct Written {
        /// All of the input.
        std::span<const Input> input;
        /// All of the output.
        std::span<const Output> output;
        /// The values between launches.
        std::span<const Output> scratch;
    };
    /// Describes what is wrong with a kernel's output; empty if nothing is.
    using Verify = std::function<std::string(const Written&)>;
    /// Computes further figures of a kernel's output: names, and values from 0.
    using Figures = std::function<std::map<std::string, double>(const Written&)>;
    /// Fills the input, reproducibly.
    using Fill = std::function<void(std::span<Input> input, std::uint64_t seed)>;
    /// Makes elements of the numbers in a file. @throws UsageError if they are too many or too few
    using FromNumbers = std::function<std::vector<Input>(std::span<const float> numbers)>;
    /// Describes what is wrong with an input, and what is accepted; empty if nothing is wrong.
    using Accepts = std::function<std::string(std::span<const Input> input)>;

    /// A kernel, or a baseline. Members that are not given have these values.
    struct Kernel {
        /// Its function's name, the library call's, or the host's function's.
        std::string name;
        /// Starts it.
        LaunchFunction launch = {};
        /// For a baseline that runs on the host, in place of `launch`.
        HostFunction compute = {};
        /// Its own reference.
        Verify verify = {};
        /// The expected counts; on older machines by `on("gt200", …)`.
        std::vector<Expectation> expect = {};
        /// The sizes that it accepts.
        AcceptedSizes sizes = {};
        /// Modeled machines that cannot run it, because its blocks are too large there.
        std::vector<std::string> left_out_on = {};
        /// Further figures for the report, such as the error of a sum.
        Figures figures = {};
        /// For a baseline: the library that is called.
        std::optional<Library> library = {};
    };

    /// Adds a kernel.
    ArrayKernels& add(Kernel kernel);

    /// Adds a library call or a function of the host, checked and timed to compare with, the latter by the host's clock. It is not
    /// counted.
    ArrayKernels& add_baseline(Kernel kernel);

    /// Sets the function that fills the input. Without it, fill_random() must know the type.
    ArrayKernels& filled_by(Fill fill);

    /// Lets the user give the input in a file of numbers.
    ArrayKernels& reads_numbers(FromNumbers from_numbers);

    /// Sets the check of inputs. If it refuses one, the program ends with the message and exit code 2 before a kernel runs.
    ArrayKernels& accepts(Accepts accepts);

    void prepare(std::size_t n, int sets, std::uint64_t seed) override;
    void poison() override;
    void launch(int kernel, int set) override;
    std::string verify(int kernel) override;
    std::map<std::string, double> figures(int kernel) override;
    void release() override;
    std::size_t bytes_of_set(std::size_t n) const override { return useful_bytes(n) + scratch_length(n) * sizeof(Output); }
    std::size_t useful_bytes(std::size_t n) const override { return n * sizeof(Input) + output_length_(n) * sizeof(Output); }
    int element_bytes() const override { return static_cast<int>(sizeof(Input)); }
    bool reads_input() const override { return from_numbers_ != nullptr; }
    std::size_t read_input(const std::string& file) override;

private:
    friend class ArrayChapter;

    ArrayKernels& add(Kernel kernel, bool is_baseline);
    ArrayKernels(ArrayChapter& chapter, LengthFunction output_length, LengthFunction scratch_length);
    static void default_fill(std::span<Input> input, std::uint64_t seed);
    std::size_t scratch_length(std::size_t n) const { return scratch_length_ ? scratch_length_(n) : 0; }

    ArrayChapter& chapter_;

    LengthFunction output_length_, scratch_length_;
    Fill fill_ = default_fill;
    FromNumbers from_numbers_;
    Accepts accepts_;
    std::vector<Kernel> kernels_;
    std::vector<Input> given_, input_;
    std::vector<Output> host_output_;
    std::vector<DeviceBuffer<Input>> inputs_;
    std::vector<DeviceBuffer<Output>> outputs_, scratch_;
};

/// A chapter program on arrays. A size is a number of elements n, kept as Size{n, 1}.
class ArrayChapter : public Chapter {
public:
    using Chapter::Chapter;
    ArrayChapter(const ArrayChapter&) = delete;
    ArrayChapter& operator=(const ArrayChapter&) = delete;
    ~ArrayChapter() override;

    /// Adds arrays for kernels.
    /// @param output_length elements that a kernel writes, given those of the input
    /// @param scratch_length elements of room between the launches of a kernel, likewise; none unless given
    /// @return to add kernels to; lives as long as the chapter
    template <class Input, class Output>
    ArrayKernels<Input, Output>& arrays(LengthFunction output_length, LengthFunction scratch_length = {}) {
        using Kernels = ArrayKernels<Input, Output>;
        auto* const kernels = new Kernels(*this, std::move(output_length), std::move(scratch_length));
        arrays_.push_back(kernels);
        return *kernels;
    }

    /// Sets the lengths to run when the user gives none.
    ArrayChapter& lengths(std::initializer_list<int> lengths);

    /// Sets further lengths to run on a GPU when the user gives none.
    ArrayChapter& gpu_lengths(std::initializer_list<int> lengths);

    /// The length at which counts are compared with the counters of a GPU.
    ArrayChapter& counted_length(int length);

    /// Lengths of the chapter at which the traffic of each kernel is read; see Chapter::traffic_sizes().
    ArrayChapter& traffic_lengths(std::initializer_list<int> lengths);

    /// Sets the work for n elements, if bytes do not measure it.
    ArrayChapter& work_is(std::string unit, std::function<double(double n)> amount);

    Size size_from(std::string_view text) const override { return parse_length(text, 0); }
    const char* accepted_size() const override { return "N"; }
    std::optional<Work> work(Size size) const override;
    bool is_worth_timing(Size size) const override;
    bool reads_input() const override;
    Size read_input(const std::string& file) override;
    void prepare(Size size, int sets, std::uint64_t seed) override;
    void choose(int kernel) override;
    void poison() override { chosen_->poison(); }
    void launch(int kernel, int set) override { chosen_->launch(place(kernel).second, set); }
    std::string verify(int kernel) override { return chosen_->verify(place(kernel).second); }
    std::map<std::string, double> figures(int kernel) override { return chosen_->figures(place(kernel).second); }
    void release() override;
    std::size_t bytes_of_set(Size size) const override;
    std::size_t useful_bytes(Size size) const override { return arrays_.front()->useful_bytes(size.count()); }
    int element_bytes() const override { return arrays_.front()->element_bytes(); }

private:
    template <class Input, class Output> friend class ArrayKernels;

    /// The arrays of a kernel, and its number among their kernels.
    const std::pair<AnyArrays*, int>& place(int kernel) const { return places_[static_cast<std::size_t>(kernel)]; }
    void add(RegisteredKernel kernel, AnyArrays* arrays, std::size_t number);

    std::string unit_;
    std::function<double(double)> amount_;
    /// Owned. A smart pointer needs `<memory>`, which takes nvcc a tenth of its time.
    std::vector<AnyArrays*> arrays_;
    std::vector<std::pair<AnyArrays*, int>> places_;
    AnyArrays* chosen_ = nullptr;
    Size size_;
    int sets_ = 0;
    std::uint64_t seed_ = 0;
};

template <class Input, class Output> ArrayKernels<Input, Output>& ArrayKernels<Input, Output>::add(Kernel kernel, bool is_baseline) {
    chapter_.add({.name = kernel.name,
                  .is_baseline = is_baseline,
                  .on_host = kernel.compute != nullptr,
                  .expect = kernel.expect,
                  .sizes = kernel.sizes,
                  .left_out_on = kernel.left_out_on,
                  .library = kernel.library},
                 this, kernels_.size());
    kernels_.push_back(std::move(kernel));
    return *this;
}

template <class Input, class Output>
ArrayKernels<Input, Output>::ArrayKernels(ArrayChapter& chapter, LengthFunction output_length, LengthFunction scratch_length)
    : chapter_(chapter), output_length_(std::move(output_length)), scratch_length_(std::move(scratch_length)) {}

template <class Input, class Output> ArrayKernels<Input, Output>::~ArrayKernels() = default;

template <class Input, class Output> ArrayKernels<Input, Output>& ArrayKernels<Input, Output>::add(Kernel kernel) {
    return add(std::move(kernel), false);
}

template <class Input, class Output> ArrayKernels<Input, Output>& ArrayKernels<Input, Output>::add_baseline(Kernel kernel) {
    return add(std::move(kernel), true);
}

template <class Input, class Output> ArrayKernels<Input, Output>& ArrayKernels<Input, Output>::filled_by(Fill fill) {
    fill_ = std::move(fill);
    return *this;
}

template <class Input, class Output> ArrayKernels<Input, Output>& ArrayKernels<Input, Output>::reads_numbers(FromNumbers from_numbers) {
    from_numbers_ = std::move(from_numbers);
    return *this;
}

template <class Input, class Output> ArrayKernels<Input, Output>& ArrayKernels<Input, Output>::accepts(Accepts accepts) {
    accepts_ = std::move(accepts);
    return *this;
}

template <class Input, class Output> void ArrayKernels<Input, Output>::prepare(std::size_t n, int sets, std::uint64_t seed) {
    if (given_.empty()) {
        input_.resize(n);
        fill_(input_, seed);
    } else {
        input_ = given_;
    }
    if (const std::string wrong = accepts_ ? accepts_(input_) : ""; !wrong.empty()) throw UsageError(wrong);
    for (int set = 0; set < sets; ++set) {
        inputs_.emplace_back(n).copy_from(input_);
        outputs_.emplace_back(output_length_(n));
        scratch_.emplace_back(scratch_length(n));
    }
    host_output_.resize(output_length_(n));
}

template <class Input, class Output> void ArrayKernels<Input, Output>::poison() {
    for (auto& output : outputs_) output.poison();
    for (auto& scratch : scratch_) scratch.poison();
    std::memset(static_cast<void*>(host_output_.data()), 0xFF, host_output_.size() * sizeof(Output));
}

template <class Input, class Output> void ArrayKernels<Input, Output>::launch(int kernel, int set) {
    const Kernel& called = kernels_[static_cast<std::size_t>(kernel)];
    const auto i = static_cast<std::size_t>(set);
    if (called.compute) called.compute(input_, host_output_);
    else called.launch({outputs_[i].data(), inputs_[i].data(), static_cast<int>(input_.size()), scratch_[i].data()});
}

template <class Input, class Output> std::string ArrayKernels<Input, Output>::verify(int kernel) {
    const Kernel& called = kernels_[static_cast<std::size_t>(kernel)];
    if (called.compute) return called.verify({input_, host_output_, {}});
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        std::vector<Output> output(outputs_[i].count()), scratch(scratch_[i].count());
        outputs_[i].copy_to(output);
        scratch_[i].copy_to(scratch);
        if (std::string wrong = called.verify({input_, output, scratch}); !wrong.empty()) return wrong;
    }
    return {};
}

template <class Input, class Output> std::map<std::string, double> ArrayKernels<Input, Output>::figures(int kernel) {
    const Kernel& called = kernels_[static_cast<std::size_t>(kernel)];
    if (!called.figures) return {};
    std::vector<Output> output(outputs_.front().count());
    outputs_.front().copy_to(output);
    return called.figures({input_, output, {}});
}

template <class Input, class Output> void ArrayKernels<Input, Output>::release() {
    inputs_.clear();
    outputs_.clear();
    scratch_.clear();
}

template <class Input, class Output> std::size_t ArrayKernels<Input, Output>::read_input(const std::string& file) {
    given_ = from_numbers_(read_numbers(file));
    return given_.size();
}

template <class Input, class Output> void ArrayKernels<Input, Output>::default_fill(std::span<Input> input, std::uint64_t seed) {
    if constexpr (requires { fill_random(input, seed); }) fill_random(input, seed);
}

extern template class ArrayKernels<float, float>;
extern template class ArrayKernels<float3, int>;
extern template class ArrayKernels<int, int>;
extern template class ArrayKernels<unsigned, unsigned>;

}  // namespace conflict_free
