// All values of a small floating-point format in a table: a reference for conversions that shares nothing with them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace simt::interpreter::test {

enum class Toward { nearest, zero, down, up, nearest_away };

class Table {
public:
    /// `has_infinity`: the greatest exponent is that of infinity and NaN. Otherwise (e4m3) only all ones are NaN, or
    /// (`has_nan` false) nothing is.
    Table(int exponent_bits, int mantissa_bits, bool has_infinity, bool has_nan = true)
        : sign_(1U << (exponent_bits + mantissa_bits)), has_infinity_(has_infinity) {
        const int bias = (1 << (exponent_bits - 1)) - 1;
        const std::uint32_t finite = has_infinity ? ((1U << exponent_bits) - 1) << mantissa_bits : sign_ - (has_nan ? 1 : 0);
        for (std::uint32_t bits = 0; bits < finite; ++bits) {
            const int exponent = static_cast<int>(bits >> mantissa_bits);
            const int fraction = static_cast<int>(bits & ((1U << mantissa_bits) - 1));
            const int whole = exponent == 0 ? fraction : fraction + (1 << mantissa_bits);
            values_.push_back(std::ldexp(static_cast<double>(whole), std::max(exponent, 1) - bias - mantissa_bits));
        }
        nan_ = has_nan ? sign_ - 1 : finite - 1;
    }

    double value(std::uint32_t bits) const {
        const std::uint32_t magnitude = bits & (sign_ - 1);
        const double sign = (bits & sign_) != 0 ? -1 : 1;
        if (magnitude < values_.size()) return sign * values_[magnitude];
        if (has_infinity_ && magnitude == values_.size()) return sign * std::numeric_limits<double>::infinity();
        return std::numeric_limits<double>::quiet_NaN();
    }

    std::uint32_t greatest() const { return static_cast<std::uint32_t>(values_.size()) - 1; }
    std::uint32_t nan() const { return nan_; }

    /// The bits that `exact` is rounded to; beyond the greatest value infinity (or NaN), unless `to_finite`.
    std::uint32_t round(long double exact, Toward mode, bool to_finite = false) const {
        if (std::isnan(exact)) return nan_;
        const bool negative = std::signbit(exact);
        const std::uint32_t sign = negative ? sign_ : 0;
        const long double magnitude = std::fabs(exact);
        if (mode == Toward::down) mode = negative ? Toward::up : Toward::zero;
        else if (mode == Toward::up) mode = negative ? Toward::zero : Toward::up;
        const std::uint32_t overflow = to_finite ? greatest() : greatest() + 1;
        if (std::isinf(exact)) return sign | overflow;
        const auto above = std::upper_bound(values_.begin(), values_.end(), magnitude,
                                            [](long double x, double y) { return x < static_cast<long double>(y); });
        const auto below = static_cast<std::uint32_t>(above - values_.begin()) - 1;
        const long double low = static_cast<long double>(values_[below]);
        if (magnitude == low || mode == Toward::zero) return sign | below;
        const long double step =
            below < greatest() ? static_cast<long double>(values_[below + 1]) - low : low - static_cast<long double>(values_[below - 1]);
        const long double rest = magnitude - low;
        bool up = mode == Toward::up || rest * 2 > step || (rest * 2 == step && (mode == Toward::nearest_away || below % 2 != 0));
        if (below == greatest()) return sign | (up ? overflow : below);
        return sign | (up ? below + 1 : below);
    }

private:
    std::uint32_t sign_, nan_ = 0;
    bool has_infinity_;
    std::vector<double> values_;
};

}  // namespace simt::interpreter::test
