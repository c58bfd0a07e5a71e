// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// A chapter whose kernels read one matrix and write another.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conflict_free/chapter.hpp"
#include "conflict_free/device_buffer.hpp"
#include "conflict_free/random.hpp"
#include "conflict_free/verify.hpp"

namespace conflict_free {

/// The two matrices of a launch, in device memory, row after row.
template <class Element>
struct Matrices {
    /// width × height elements to write.
    Element* output;
    /// height rows of width elements to read.
    const Element* input;
    int width;
    int height;
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

    /// The kernel added last is left out on a modelled machine that cannot run it, because its blocks are too large there.
    MatrixChapter& left_out_on(std::string machine)
    {
        last_kernel().left_out_on.push_back(std::move(machine));
        return *this;
    }

    void prepare(Size size, int sets, std::uint64_t seed) override
    {
        size_ = size;
        input_.resize(size.count());
        fill_random(input_, seed);
        for (int set = 0; set < sets; ++set) {
            inputs_.emplace_back(size.count()).copy_from(input_);
            outputs_.emplace_back(size.count());
        }
    }

    void poison() override
    {
        for (auto& output : outputs_) output.poison();
    }

    void launch(int kernel, int set) override
    {
        const auto i = static_cast<std::size_t>(set);
        work_[static_cast<std::size_t>(kernel)].launch({outputs_[i].data(), inputs_[i].data(), size_.width, size_.height});
    }

    std::string verify(int kernel) override
    {
        const Reference reference = work_[static_cast<std::size_t>(kernel)].reference;
        std::vector<Element> output(size_.count());
        for (const auto& device_output : outputs_) {
            device_output.copy_to(output);
            const std::string difference = compare_elements<Element>(
                output, [&](std::size_t index) { return reference(input_.data(), size_, index); });
            if (!difference.empty()) return difference;
        }
        return {};
    }

    void release() override
    {
        inputs_.clear();
        outputs_.clear();
    }

    std::size_t bytes_of_set(Size size) const override { return 2 * size.count() * sizeof(Element); }
    std::size_t useful_bytes(Size size) const override { return 2 * size.count() * sizeof(Element); }
    int element_bytes() const override { return static_cast<int>(sizeof(Element)); }

private:
    struct Work {
        LaunchFunction launch;
        Reference reference;
    };

    MatrixChapter& add(std::string name, LaunchFunction launch, Reference reference, bool is_reference)
    {
        add_kernel(std::move(name), is_reference);
        work_.push_back({std::move(launch), reference});
        return *this;
    }

    std::vector<Work> work_;
    Size size_;
    std::vector<Element> input_;
    std::vector<DeviceBuffer<Element>> inputs_, outputs_;
};

}  // namespace conflict_free
