#include "conflict_free/points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

#include "conflict_free/error.hpp"
#include "conflict_free/random.hpp"
#include "conflict_free/size.hpp"
#include "conflict_free/verify.hpp"

namespace conflict_free {

void random_points(std::span<float3> points, std::uint64_t seed) {
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::uint64_t bits = random_bits(seed, i);
        const auto coordinate = [&](int from) { return static_cast<float>(static_cast<int>(bits >> from & 0x7FF) - 1024) * 0x1p-10f; };
        const bool is_copy = i > 0 && bits >> 60 == 0;
        points[i] = is_copy ? points[(bits >> 20) % i] : make_float3(coordinate(0), coordinate(11), coordinate(22));
    }
}

std::vector<float3> points_from(std::span<const float> numbers) {
    if (numbers.size() % 3 != 0 || numbers.size() / 3 > most_elements)
        throw UsageError("--input: got " + std::to_string(numbers.size()) + " numbers, accepted: three coordinates a point, of at most " +
                         std::to_string(most_elements) + " points");
    std::vector<float3> points;
    for (std::size_t i = 0; i < numbers.size(); i += 3) points.push_back(make_float3(numbers[i], numbers[i + 1], numbers[i + 2]));
    return points;
}

std::string wrong_points(std::span<const float3> points) {
    constexpr float most = 1e18f;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const float coordinates[] = {points[i].x, points[i].y, points[i].z};
        for (int axis = 0; axis < 3; ++axis) {
            if (std::abs(coordinates[axis]) <= most) continue;
            std::ostringstream message;
            message << "point " << i << ": got " << coordinates[axis] << " for " << "xyz"[axis]
                    << ", accepted: coordinates from -1e18 to 1e18";
            return message.str();
        }
    }
    return {};
}

float squared_distance(float3 a, float3 b) {
    const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return dx * dx + dy * dy + dz * dz;
}

std::vector<int> nearest_by_sorting(std::span<const float3> points, float (*distance)(float3, float3)) {
    const auto n = static_cast<std::ptrdiff_t>(points.size());
    std::vector<int> order(points.size()), nearest(points.size(), -1);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](int i) { return points[static_cast<std::size_t>(i)].x; });
    const auto search_from = [&](std::ptrdiff_t place) {
        const int i = order[static_cast<std::size_t>(place)];
        const float3 mine = points[static_cast<std::size_t>(i)];
        float best = std::numeric_limits<float>::infinity();
        int& found = nearest[static_cast<std::size_t>(i)];
        for (const int step : {-1, 1})
            for (std::ptrdiff_t other = place + step; other >= 0 && other < n; other += step) {
                const int j = order[static_cast<std::size_t>(other)];
                const float3 theirs = points[static_cast<std::size_t>(j)];
                const float dx = mine.x - theirs.x;
                if (dx * dx > best) break;
                const float found_distance = distance(mine, theirs);
                if (found_distance < best || (found_distance == best && j < found)) {
                    best = found_distance;
                    found = j;
                }
            }
    };
    constexpr std::size_t worth_a_thread = 4096;
    parallel_for(
        points.size(),
        [&](std::size_t begin, std::size_t end) {
            for (std::size_t place = begin; place < end; ++place) search_from(static_cast<std::ptrdiff_t>(place));
        },
        worth_a_thread);
    return nearest;
}

}  // namespace conflict_free
