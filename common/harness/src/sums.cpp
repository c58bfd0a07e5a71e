#include "conflict_free/sums.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "conflict_free/verify.hpp"

namespace conflict_free {

namespace {

constexpr double unit_roundoff = 0x1p-24;

/// A sum that keeps the rounding errors of its additions.
class Compensated {
public:
    void add(double number) {
        const double sum = sum_ + number;
        // The smaller of the two lost its last bits.
        lost_ += std::abs(sum_) >= std::abs(number) ? sum_ - sum + number : number - sum + sum_;
        sum_ = sum;
    }
    void add(const Compensated& other) {
        add(other.sum_);
        lost_ += other.lost_;
    }
    double value() const { return sum_ + lost_; }

private:
    double sum_ = 0, lost_ = 0;
};

/// Calls `judge(numbers of the block, its sum)` for each block, until one is wrong.
template <class Number, class Judge>
std::string for_each_block(std::span<const Number> numbers, std::span<const Number> sums, std::size_t block, Judge&& judge) {
    for (std::size_t b = 0; b < sums.size(); ++b) {
        const std::size_t begin = std::min(b * block, numbers.size());
        const std::string wrong = judge(numbers.subspan(begin, std::min(block, numbers.size() - begin)), sums[b]);
        if (!wrong.empty()) return "the sum of block " + std::to_string(b) + " of " + std::to_string(sums.size()) + " is " + wrong;
    }
    return {};
}

}  // namespace

double summation_bound(int additions, double magnitudes) {
    const double ku = additions * unit_roundoff;
    return ku / (1 - ku) * magnitudes;
}

CompensatedSum compensated_sum(std::span<const float> numbers) {
    // The length of the parts, and so the sum, does not depend on the number of cores.
    constexpr std::size_t part = std::size_t{1} << 16;
    std::vector<Compensated> parts((numbers.size() + part - 1) / part), magnitudes(parts.size());
    parallel_for(
        parts.size(),
        [&](std::size_t begin, std::size_t end) {
            for (std::size_t p = begin; p < end; ++p)
                for (const float number : numbers.subspan(p * part, std::min(part, numbers.size() - p * part))) {
                    parts[p].add(number);
                    magnitudes[p].add(std::abs(number));
                }
        },
        1);
    Compensated sum, magnitude;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        sum.add(parts[p]);
        magnitude.add(magnitudes[p]);
    }
    return {sum.value(), magnitude.value()};
}

std::string check_block_sums(std::span<const unsigned> numbers, std::span<const unsigned> sums, std::size_t block) {
    return for_each_block(numbers, sums, block, [](std::span<const unsigned> part, unsigned sum) -> std::string {
        unsigned exact = 0;
        for (const unsigned number : part) exact += number;
        return sum == exact ? "" : std::to_string(sum) + ", expected " + std::to_string(exact);
    });
}

std::string check_block_sums(std::span<const float> numbers, std::span<const float> sums, std::size_t block, int additions) {
    return for_each_block(numbers, sums, block, [=](std::span<const float> part, float sum) -> std::string {
        double exact = 0, magnitudes = 0;
        for (const float number : part) {
            exact += number;
            magnitudes += std::abs(number);
        }
        const double bound = summation_bound(additions, magnitudes);
        // Written so that NaN fails.
        if (std::abs(sum - exact) <= bound) return "";
        std::ostringstream text;
        text.precision(9);
        text << sum << ", exactly " << exact << ", and rounding explains " << bound << " at most";
        return text.str();
    });
}

}  // namespace conflict_free
