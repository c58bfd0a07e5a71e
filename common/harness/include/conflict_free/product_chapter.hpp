// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// A chapter whose kernels multiply two matrices.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conflict_free/chapter.hpp"
#include "conflict_free/device_buffer.hpp"
#include "conflict_free/std_function.hpp"

namespace conflict_free {

/// The matrices of a launch, in device memory, row after row: C = A B.
struct Product {
    /// C: m rows of n elements. Poisoned, to be written by the kernel.
    __nv_bfloat16* c;
    /// A: m rows of k elements. The same for each launch.
    const __nv_bfloat16* a;
    /// B: k rows of n elements. The same for each launch.
    const __nv_bfloat16* b;
    /// Rows of A and C.
    int m;
    /// Columns of B and C.
    int n;
    /// Columns of A and rows of B.
    int k;
};

/// A chapter program on products. A size W x H is that of C: n = W, m = H. The third extent, k, is their mean, rounded up to a
/// multiple of 8; so the extents are equal for a square C, and differ for any other.
///
/// The elements are whole numbers from -128 to 127. Their sums are whole numbers, exact in float in any order of the additions
/// up to 2^24, which is 24 standard deviations of the largest sum of 16384 products. A right kernel therefore gives the reference's
/// bits: the exact sum, rounded to bf16 once.
class ProductChapter : public Chapter {
public:
    /// See Chapter.
    ProductChapter(std::string slug, std::string question);

    /// A kernel of the chapter, or a baseline. Members that are not given have these values.
    struct Kernel {
        /// Its function's name, or the library call's.
        std::string name;
        /// Starts it.
        std::function<void(const Product&)> launch;
        /// The expected counts.
        std::vector<Expectation> expect = {};
        /// The sizes that it accepts, beside multiples of 8 as width.
        AcceptedSizes sizes = {};
        /// For a baseline: the library that is called.
        std::optional<Library> library = {};
    };

    /// Adds a kernel.
    ProductChapter& add(Kernel kernel) { return add(std::move(kernel), false); }
    /// Adds a library call, timed and checked to compare with, but not counted.
    ProductChapter& add_baseline(Kernel kernel) { return add(std::move(kernel), true); }

    /// The third extent of the product at a size of C.
    static int depth(Size size);

    std::optional<Work> work(Size size) const override;
    void prepare(Size size, int sets, std::uint64_t seed) override;
    void poison() override;
    void launch(int kernel, int set) override;
    std::string verify(int kernel) override;
    void release() override;
    std::size_t bytes_of_set(Size size) const override;
    std::size_t useful_bytes(Size size) const override { return bytes_of_set(size); }
    int element_bytes() const override { return sizeof(__nv_bfloat16); }

private:
    struct Set { DeviceBuffer<__nv_bfloat16> a, b, c; };

    ProductChapter& add(Kernel kernel, bool is_baseline);

    std::vector<Kernel> kernels_;
    Size size_;
    std::vector<Set> sets_;
    std::vector<std::size_t> checked_rows_;
    std::vector<__nv_bfloat16> expected_;
};

}  // namespace conflict_free
