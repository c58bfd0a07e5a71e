#include "conflict_free/product_chapter.hpp"

#include <algorithm>
#include <climits>

#include "conflict_free/random.hpp"
#include "conflict_free/verify.hpp"

namespace conflict_free {

namespace {

/// Up to this many multiplications, all rows of C are checked. Beyond it, the check would take longer than all launches.
constexpr double most_checked_wholly = 1 << 28;

/// Beyond it, one row of this many is checked: each tile of each kernel has at least one such row.
constexpr std::size_t rows_per_checked_row = 64;

/// Columns of B that are multiplied with a row of A in one go: their sums stay in the L1.
constexpr std::size_t columns_at_once = 4096;

std::vector<std::int8_t> whole_numbers(std::size_t count, std::uint64_t seed) {
    std::vector<std::int8_t> numbers(count);
    fill_random(numbers, seed);
    return numbers;
}

std::vector<__nv_bfloat16> as_bf16(const std::vector<std::int8_t>& numbers) {
    std::vector<__nv_bfloat16> elements(numbers.size());
    parallel_for(numbers.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) elements[i] = __float2bfloat16(numbers[i]);
    });
    return elements;
}

std::vector<std::size_t> rows_to_check(Size size, int depth, std::uint64_t seed) {
    const bool all = static_cast<double>(size.count()) * depth <= most_checked_wholly;
    const std::size_t height = static_cast<std::size_t>(size.height), step = all ? 1 : rows_per_checked_row;
    std::vector<std::size_t> rows;
    for (std::size_t first = 0; first < height; first += step)
        rows.push_back(first + random_bits(seed, first) % std::min(step, height - first));
    return rows;
}

/// One row of the product, exactly: `a` is a row of A, and `c` takes `width` elements.
void multiply_row(const std::int8_t* a, const std::vector<std::int8_t>& b, std::size_t width, std::size_t depth, __nv_bfloat16* c) {
    std::vector<int> sums(std::min(width, columns_at_once));
    for (std::size_t left = 0; left < width; left += sums.size()) {
        const std::size_t columns = std::min(sums.size(), width - left);
        std::fill(sums.begin(), sums.end(), 0);
        for (std::size_t i = 0; i < depth; ++i) {
            const std::int8_t* row = &b[i * width + left];
            for (std::size_t x = 0; x < columns; ++x) sums[x] += a[i] * row[x];
        }
        for (std::size_t x = 0; x < columns; ++x) c[left + x] = __float2bfloat16(static_cast<float>(sums[x]));
    }
}

}  // namespace

ProductChapter::ProductChapter(std::string slug, std::string question) : Chapter(std::move(slug), std::move(question)) {}

int ProductChapter::depth(Size size) { return ((size.width + size.height + 1) / 2 + 7) / 8 * 8; }

std::optional<Work> ProductChapter::work(Size size) const { return Work{flop, 2.0 * static_cast<double>(size.count()) * depth(size)}; }

std::size_t ProductChapter::bytes_of_set(Size size) const {
    const auto k = static_cast<std::size_t>(depth(size)), m = static_cast<std::size_t>(size.height),
               n = static_cast<std::size_t>(size.width);
    return (m * k + k * n + m * n) * sizeof(__nv_bfloat16);
}

void ProductChapter::prepare(Size size, int sets, std::uint64_t seed) {
    size_ = size;
    const auto k = static_cast<std::size_t>(depth(size)), m = static_cast<std::size_t>(size.height),
               n = static_cast<std::size_t>(size.width);
    const std::vector<std::int8_t> a = whole_numbers(m * k, seed), b = whole_numbers(k * n, ~seed);
    release();
    const std::vector<__nv_bfloat16> a_elements = as_bf16(a), b_elements = as_bf16(b);
    for (int i = 0; i < sets; ++i) {
        Set set{DeviceBuffer<__nv_bfloat16>(m * k), DeviceBuffer<__nv_bfloat16>(k * n), DeviceBuffer<__nv_bfloat16>(m * n)};
        set.a.copy_from(a_elements);
        set.b.copy_from(b_elements);
        sets_.push_back(std::move(set));
    }
    checked_rows_ = rows_to_check(size, depth(size), seed);
    expected_.resize(checked_rows_.size() * n);
    parallel_for(
        checked_rows_.size(),
        [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) multiply_row(&a[checked_rows_[i] * k], b, n, k, &expected_[i * n]);
        },
        1);
}

void ProductChapter::poison() {
    for (Set& set : sets_) set.c.poison();
}

void ProductChapter::launch(int kernel, int set) {
    const Set& chosen = sets_[static_cast<std::size_t>(set)];
    kernels_[static_cast<std::size_t>(kernel)].launch(
        {chosen.c.data(), chosen.a.data(), chosen.b.data(), size_.height, size_.width, depth(size_)});
}

std::string ProductChapter::verify(int) {
    const auto width = static_cast<std::size_t>(size_.width);
    std::vector<__nv_bfloat16> c(size_.count()), checked(expected_.size());
    for (const Set& set : sets_) {
        set.c.copy_to(c);
        for (std::size_t i = 0; i < checked_rows_.size(); ++i) std::copy_n(&c[checked_rows_[i] * width], width, &checked[i * width]);
        const std::string difference = compare_elements<__nv_bfloat16>(checked, [&](std::size_t index) { return expected_[index]; });
        if (!difference.empty()) return difference;
    }
    return {};
}

void ProductChapter::release() { sets_.clear(); }

ProductChapter& ProductChapter::add(Kernel kernel, bool is_baseline) {
    const AcceptedSizes whole_units{[](Size size) { return size.width % 8 == 0 && static_cast<double>(size.count()) <= INT_MAX; },
                                    "widths that are multiples of 8"};
    register_kernel({.name = kernel.name,
                     .is_baseline = is_baseline,
                     .expect = kernel.expect,
                     .sizes = whole_units && kernel.sizes,
                     .library = kernel.library});
    kernels_.push_back(std::move(kernel));
    return *this;
}

}  // namespace conflict_free
