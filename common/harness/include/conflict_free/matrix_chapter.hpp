// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// A chapter whose kernels read one matrix and write another.
#pragma once

#include <climits>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "conflict_free/chapter.hpp"
#include "conflict_free/device_buffer.hpp"
#include "conflict_free/random.hpp"
#include "conflict_free/verify.hpp"

namespace conflict_free {

/// The two matrices of a launch, in device memory, row after row. The input has height rows of width elements; the
/// output has as many elements.
template <class Element> struct Matrices {
    /// Poisoned, to be written by the kernel.
    Element* output;
    /// The same for each launch.
    const Element* input;
    /// Elements of a row of the input.
    int width;
    /// Rows of the input.
    int height;
    /// Elements between the end of a row and the start of the next, in both; 0 unless the kernel asked for them.
    int row_padding;
    /// How often the kernel does its work; 1 unless it asked for more.
    int repetitions;
};

/// A chapter program on matrices of `Element`. Each kernel has a reference of its own: a function that says what an
/// element of the output should be. The harness has the code of float; of another type each chapter has its own.
template <class Element> class MatrixChapter : public Chapter {
public:
    /// See Chapter.
    MatrixChapter(std::string slug, std::string question);
    ~MatrixChapter() override;

    /// Starts a kernel.
    using LaunchFunction = std::function<void(const Matrices<Element>&)>;

    /// Element `index` of the output that a right kernel computes, given the input matrix and its size.
    using Reference = Element (*)(const Element* input, Size size, std::size_t index);

    /// A kernel of the chapter, or a baseline. Members that are not given have these values.
    struct Kernel {
        /// Its function's name, or the library call's.
        std::string name;
        /// Starts it.
        LaunchFunction launch;
        /// The expected output.
        Reference expected;
        /// The expected counts; on older machines by `on("gt200", …)`.
        std::vector<Expectation> expect = {};
        /// The only sizes that it runs at; empty for any size.
        std::vector<Size> only_at = {};
        /// The sizes that it accepts.
        AcceptedSizes sizes = {};
        /// Modeled machines that cannot run it, because its blocks are too large there.
        std::vector<std::string> left_out_on = {};
        /// Unused elements after each row of both matrices, which it must leave alone. The rows of its output are as long as the
        /// columns of its input: it transposes.
        int row_padding = 0;
        /// How often a launch does the work where it is timed; see RegisteredKernel::repetitions.
        int repetitions = 1;
        /// Bytes that it reads and writes at a size, both together, where it leaves out a part of the matrix.
        std::function<std::size_t(Size)> useful_bytes = {};
        /// For a baseline: the library that is called.
        std::optional<Library> library = {};
    };

    /// Adds a kernel.
    MatrixChapter& add(Kernel kernel);

    /// Adds a library call, timed and checked to compare with, but not counted.
    MatrixChapter& add_baseline(Kernel kernel);

    void prepare(Size size, int sets, std::uint64_t seed) override;
    void choose(int kernel) override;
    void poison() override;
    void launch(int kernel, int set) override;
    std::string verify(int kernel) override;
    void release() override;
    std::size_t bytes_of_set(Size size) const override;
    std::size_t useful_bytes(Size size) const override { return 2 * size.count() * sizeof(Element); }
    int element_bytes() const override { return static_cast<int>(sizeof(Element)); }

private:
    static Size transposed(Size size) { return {size.height, size.width}; }
    static Size padded(Size size, int row_padding) { return {size.width + row_padding, size.height}; }
    static AcceptedSizes below_most_elements(int row_padding);

    void allocate(int row_padding);
    int most_row_padding() const;
    MatrixChapter& add(Kernel kernel, bool is_baseline);

    std::vector<Kernel> kernels_;
    Size size_;
    int sets_ = 0;
    int row_padding_ = 0;
    std::vector<Element> input_;
    std::vector<DeviceBuffer<Element>> inputs_, outputs_;
};

template <class Element>
MatrixChapter<Element>::MatrixChapter(std::string slug, std::string question) : Chapter(std::move(slug), std::move(question)) {}

template <class Element> MatrixChapter<Element>::~MatrixChapter() = default;

template <class Element> MatrixChapter<Element>& MatrixChapter<Element>::add(Kernel kernel) { return add(std::move(kernel), false); }

template <class Element> MatrixChapter<Element>& MatrixChapter<Element>::add_baseline(Kernel kernel) {
    return add(std::move(kernel), true);
}

template <class Element> void MatrixChapter<Element>::prepare(Size size, int sets, std::uint64_t seed) {
    size_ = size;
    sets_ = sets;
    input_.resize(size.count());
    fill_random(input_, seed);
    allocate(0);
}

template <class Element> void MatrixChapter<Element>::choose(int kernel) {
    const int row_padding = kernels_[static_cast<std::size_t>(kernel)].row_padding;
    if (row_padding != row_padding_) allocate(row_padding);
}

template <class Element> void MatrixChapter<Element>::poison() {
    for (auto& output : outputs_) output.poison();
}

template <class Element> void MatrixChapter<Element>::launch(int kernel, int set) {
    const auto i = static_cast<std::size_t>(set);
    kernels_[static_cast<std::size_t>(kernel)].launch(
        {outputs_[i].data(), inputs_[i].data(), size_.width, size_.height, row_padding_, repetitions()});
}

template <class Element> std::string MatrixChapter<Element>::verify(int kernel) {
    const Reference reference = kernels_[static_cast<std::size_t>(kernel)].expected;
    const auto length = static_cast<std::size_t>(row_padding_ ? size_.height : size_.width);
    const auto pitch = length + static_cast<std::size_t>(row_padding_);
    std::vector<Element> output(size_.count() / length * pitch);
    for (const auto& device_output : outputs_) {
        device_output.copy_to(output);
        const std::string difference = compare_elements<Element>(output, [&](std::size_t index) {
            const std::size_t row = index / pitch, column = index % pitch;
            return column < length ? reference(input_.data(), size_, row * length + column) : poison_value<Element>();
        });
        if (!difference.empty()) return difference;
    }
    return {};
}

template <class Element> void MatrixChapter<Element>::release() {
    inputs_.clear();
    outputs_.clear();
}

template <class Element> std::size_t MatrixChapter<Element>::bytes_of_set(Size size) const {
    return (padded(size, most_row_padding()).count() + padded(transposed(size), most_row_padding()).count()) * sizeof(Element);
}

// Makes new buffers of exactly the layout's size, so that an access beyond the layout is an access beyond the buffer.
template <class Element> void MatrixChapter<Element>::allocate(int row_padding) {
    release();
    row_padding_ = row_padding;
    const auto length = static_cast<std::size_t>(size_.width), pitch = length + static_cast<std::size_t>(row_padding);
    std::vector<Element> rows;
    if (row_padding > 0) {
        rows.assign(padded(size_, row_padding).count(), poison_value<Element>());
        for (std::size_t row = 0; row < static_cast<std::size_t>(size_.height); ++row)
            std::memcpy(&rows[row * pitch], &input_[row * length], length * sizeof(Element));
    }
    for (int set = 0; set < sets_; ++set) {
        inputs_.emplace_back(padded(size_, row_padding).count()).copy_from(row_padding > 0 ? rows : input_);
        outputs_.emplace_back(padded(transposed(size_), row_padding).count());
    }
}

template <class Element> int MatrixChapter<Element>::most_row_padding() const {
    int most = 0;
    for (const Kernel& kernel : kernels_)
        if (kernel.row_padding > most) most = kernel.row_padding;
    return most;
}

template <class Element> AcceptedSizes MatrixChapter<Element>::below_most_elements(int row_padding) {
    if (row_padding == 0) return {};
    return {[row_padding](Size size) {
                return padded(size, row_padding).count() <= INT_MAX && padded(transposed(size), row_padding).count() <= INT_MAX;
            },
            "sizes below 2^31 elements with " + std::to_string(row_padding) + " more in each row"};
}

template <class Element> MatrixChapter<Element>& MatrixChapter<Element>::add(Kernel kernel, bool is_baseline) {
    register_kernel({.name = kernel.name,
                     .is_baseline = is_baseline,
                     .expect = kernel.expect,
                     .only_at = kernel.only_at,
                     .sizes = kernel.sizes && below_most_elements(kernel.row_padding),
                     .left_out_on = kernel.left_out_on,
                     .repetitions = kernel.repetitions,
                     .useful_bytes = kernel.useful_bytes,
                     .library = kernel.library});
    kernels_.push_back(std::move(kernel));
    return *this;
}

extern template class MatrixChapter<float>;

}  // namespace conflict_free
