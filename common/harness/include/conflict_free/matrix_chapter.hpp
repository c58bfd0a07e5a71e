// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// A chapter whose kernels read one matrix and write another.
#pragma once

#include <algorithm>
#include <climits>
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
template <class Element>
struct Matrices {
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
/// element of the output should be.
template <class Element>
class MatrixChapter : public Chapter {
public:
    using Chapter::Chapter;

    /// Starts a kernel.
    using LaunchFunction = std::function<void(const Matrices<Element>&)>;

    /// Element `index` of the output that a right kernel computes, given the input matrix and its size.
    using Reference = Element (*)(const Element* input, Size size, std::size_t index);

    /// Adds a kernel. `name` is its function's name.
    MatrixChapter& kernel(std::string name, LaunchFunction launch, Reference reference)
    {
        return add(std::move(name), std::move(launch), reference, false);
    }

    /// Adds a library call, timed and checked as a row to compare with, but not counted.
    MatrixChapter& reference_row(std::string name, LaunchFunction launch, Reference reference)
    {
        return add(std::move(name), std::move(launch), reference, true);
    }

    /// States what the counts of the kernel added last must be.
    MatrixChapter& expect(Expectation expectation)
    {
        last_kernel().expectations.push_back(std::move(expectation));
        return *this;
    }

    /// States what the counts of the kernel added last must be on an older machine.
    MatrixChapter& expect_on(std::string machine, Expectation expectation)
    {
        expectation.machine = std::move(machine);
        return expect(std::move(expectation));
    }

    /// The kernel added last runs at these sizes and at no others.
    MatrixChapter& only_at(std::initializer_list<Size> sizes)
    {
        last_kernel().only_sizes = sizes;
        return *this;
    }

    /// The kernel added last is left out on a modeled machine that cannot run it, because its blocks are too large there.
    MatrixChapter& left_out_on(std::string machine)
    {
        last_kernel().left_out_on.push_back(std::move(machine));
        return *this;
    }

    /// The kernel added last runs at square sizes alone.
    MatrixChapter& only_at_square_sizes()
    {
        return only_where([](Size size) { return size.width == size.height; }, "square sizes");
    }

    /// The kernel added last runs at sizes whose width and height are multiples of `elements` alone.
    MatrixChapter& only_at_multiples_of(int elements)
    {
        return only_where([elements](Size size) { return size.width % elements == 0 && size.height % elements == 0; },
                          "multiples of " + std::to_string(elements));
    }

    /// The kernel added last runs at widths up to `most` alone, such as one whose grid has its columns of tiles in y.
    MatrixChapter& only_up_to_width(int most)
    {
        return only_where([most](Size size) { return size.width <= most; }, "widths up to " + std::to_string(most));
    }

    /// The kernel added last runs at widths from `least` alone, such as one that takes several elements for one of its own.
    MatrixChapter& only_from_width(int least)
    {
        return only_where([least](Size size) { return size.width >= least; }, "widths from " + std::to_string(least));
    }

    /// The kernel added last leaves out a part of the matrix: it reads and writes `bytes` at a size, both together.
    MatrixChapter& moves(std::function<std::size_t(Size)> bytes)
    {
        last_kernel().useful_bytes = std::move(bytes);
        return *this;
    }

    /// The kernel added last works on matrices with `elements` unused elements after each row, which it must leave
    /// alone. The rows of its output are as long as the columns of its input: it transposes.
    MatrixChapter& rows_padded_by(int elements)
    {
        work_.back().row_padding = elements;
        last_kernel().accepts = [elements](Size size) {
            return std::max(padded(size, elements).count(), padded(transposed(size), elements).count()) <= INT_MAX;
        };
        last_kernel().accepted = "sizes below 2^31 elements with " + std::to_string(elements) + " more in each row";
        return *this;
    }

    /// The kernel added last does its work so many times in one launch where it is timed; see Kernel::repetitions.
    MatrixChapter& repeats(int repetitions)
    {
        last_kernel().repetitions = repetitions;
        return *this;
    }

    /// The reference row added last is a call of this library.
    MatrixChapter& of_library(Library library)
    {
        last_kernel().library = std::move(library);
        return *this;
    }

    void prepare(Size size, int sets, std::uint64_t seed) override
    {
        size_ = size;
        sets_ = sets;
        input_.resize(size.count());
        fill_random(input_, seed);
        allocate(0);
    }

    void choose(int kernel) override
    {
        const int row_padding = work_[static_cast<std::size_t>(kernel)].row_padding;
        if (row_padding != row_padding_) allocate(row_padding);
    }

    void poison() override
    {
        for (auto& output : outputs_) output.poison();
    }

    void launch(int kernel, int set) override
    {
        const auto i = static_cast<std::size_t>(set);
        work_[static_cast<std::size_t>(kernel)].launch(
            {outputs_[i].data(), inputs_[i].data(), size_.width, size_.height, row_padding_, repetitions()});
    }

    std::string verify(int kernel) override
    {
        const Reference reference = work_[static_cast<std::size_t>(kernel)].reference;
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

    void release() override
    {
        inputs_.clear();
        outputs_.clear();
    }

    std::size_t bytes_of_set(Size size) const override
    {
        return (padded(size, most_row_padding()).count() + padded(transposed(size), most_row_padding()).count()) * sizeof(Element);
    }
    std::size_t useful_bytes(Size size) const override { return 2 * size.count() * sizeof(Element); }
    int element_bytes() const override { return static_cast<int>(sizeof(Element)); }

private:
    struct Work {
        LaunchFunction launch;
        Reference reference;
        int row_padding = 0;
    };

    static Size transposed(Size size) { return {size.height, size.width}; }
    static Size padded(Size size, int row_padding) { return {size.width + row_padding, size.height}; }

    /// Makes all buffers anew, exactly as large as the layout asks for, so that an access beyond them is one.
    void allocate(int row_padding)
    {
        release();
        row_padding_ = row_padding;
        const auto length = static_cast<std::size_t>(size_.width), pitch = length + static_cast<std::size_t>(row_padding);
        std::vector<Element> rows;
        if (row_padding > 0) {
            rows.assign(padded(size_, row_padding).count(), poison_value<Element>());
            for (std::size_t row = 0; row < static_cast<std::size_t>(size_.height); ++row)
                std::copy_n(&input_[row * length], length, &rows[row * pitch]);
        }
        for (int set = 0; set < sets_; ++set) {
            inputs_.emplace_back(padded(size_, row_padding).count()).copy_from(row_padding > 0 ? rows : input_);
            outputs_.emplace_back(padded(transposed(size_), row_padding).count());
        }
    }

    int most_row_padding() const
    {
        int most = 0;
        for (const Work& work : work_) most = std::max(most, work.row_padding);
        return most;
    }

    /// One more condition on the sizes of the kernel added last.
    MatrixChapter& only_where(std::function<bool(Size)> accepts, const std::string& accepted)
    {
        Kernel& kernel = last_kernel();
        if (kernel.accepts) accepts = [first = kernel.accepts, accepts](Size size) { return first(size) && accepts(size); };
        kernel.accepts = std::move(accepts);
        kernel.accepted += (kernel.accepted.empty() ? "" : " and ") + accepted;
        return *this;
    }

    MatrixChapter& add(std::string name, LaunchFunction launch, Reference reference, bool is_reference)
    {
        add_kernel(std::move(name), is_reference);
        work_.push_back({std::move(launch), reference, 0});
        return *this;
    }

    std::vector<Work> work_;
    Size size_;
    int sets_ = 0;
    int row_padding_ = 0;
    std::vector<Element> input_;
    std::vector<DeviceBuffer<Element>> inputs_, outputs_;
};

}  // namespace conflict_free
