#include "conflict_free/size.hpp"

#include <charconv>
#include <cstdint>
#include <limits>

#include "conflict_free/array_chapter.hpp"
#include "conflict_free/error.hpp"

namespace conflict_free {

namespace {

/// A whole number from 1 that fits 32 bits, or 0.
std::int64_t parse_extent(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && value > 0 && value <= std::numeric_limits<std::int32_t>::max() ? value : 0;
}

}  // namespace

Size parse_size(std::string_view text, int most_height, std::int64_t most_count) {
    const std::size_t cross = text.find('x');
    const std::int64_t width = parse_extent(text.substr(0, cross));
    const std::int64_t height = cross == std::string_view::npos ? width : parse_extent(text.substr(cross + 1));
    if (width == 0 || height == 0 || width > most_elements || height > most_height || width * height > most_count)
        throw UsageError("--size: got '" + std::string(text) + "', accepted: N or WxH, whole numbers from 1, W*H below " +
                         std::to_string(most_count + 1) + ", W at most " + std::to_string(most_elements) + ", H at most " +
                         std::to_string(most_height));
    return {static_cast<int>(width), static_cast<int>(height)};
}

Size parse_length(std::string_view text, int least) {
    std::string_view digits = text;
    if (digits.ends_with("x1")) digits.remove_suffix(2);
    std::int64_t value = parse_extent(digits);
    if (value == 0 && digits != "0") value = -1;
    if (value < least || value > most_elements)
        throw UsageError("--size: got '" + std::string(text) + "', accepted: N, a whole number from " + std::to_string(least) + " to " +
                         std::to_string(most_elements));
    return {static_cast<int>(value), 1};
}

std::string to_string(Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

}  // namespace conflict_free
