#include "conflict_free/verify.hpp"

#include <algorithm>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

namespace conflict_free {

void parallel_for(std::size_t count, const std::function<void(std::size_t, std::size_t)>& part, std::size_t least_part) {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t parts = std::clamp<std::size_t>(count / least_part, 1, cores);
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < parts; ++i) threads.emplace_back([&, i] { part(count * i / parts, count * (i + 1) / parts); });
    part(0, count / parts);
}

namespace detail {

Differences find_differences(std::size_t count, const std::function<Differences(std::size_t, std::size_t)>& part) {
    std::mutex mutex;
    Differences all{.count = 0, .first = count};
    parallel_for(count, [&](std::size_t begin, std::size_t end) {
        const Differences found = part(begin, end);
        if (found.count == 0) return;
        const std::lock_guard lock(mutex);
        all.count += found.count;
        all.first = std::min(all.first, found.first);
    });
    return all;
}

std::string tell_differences(std::size_t count, Differences found, const std::string& actual, const std::string& expected) {
    return std::to_string(found.count) + " of " + std::to_string(count) + " elements differ; the first is element " +
           std::to_string(found.first) + ": " + actual + ", expected " + expected;
}

std::string number_text(double number) {
    std::ostringstream text;
    text << number;
    return text.str();
}

}  // namespace detail
}  // namespace conflict_free
