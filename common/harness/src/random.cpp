#include "conflict_free/random.hpp"

#include "conflict_free/verify.hpp"

namespace conflict_free {

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed * 0xD1342543DE82EF95ull + (index + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

namespace {

template <class T, class FromBits> void fill(std::span<T> values, std::uint64_t seed, FromBits from_bits) {
    parallel_for(values.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) values[i] = static_cast<T>(from_bits(random_bits(seed, i)));
    });
}

}  // namespace

void fill_random(std::span<float> values, std::uint64_t seed) {
    // A float holds 24 significant bits, so that every one of these values is exact.
    fill(values, seed, [](std::uint64_t bits) { return static_cast<float>(bits >> 40) * 0x1p-23f - 1.0f; });
}

void fill_random(std::span<unsigned> values, std::uint64_t seed) {
    fill(values, seed, [](std::uint64_t bits) { return bits >> 32; });
}

void fill_random(std::span<int> values, std::uint64_t seed) {
    fill(values, seed, [](std::uint64_t bits) { return static_cast<int>(bits >> 33) - (1 << 30); });
}

void fill_random(std::span<std::int8_t> values, std::uint64_t seed) {
    fill(values, seed, [](std::uint64_t bits) { return bits >> 56; });
}

}  // namespace conflict_free
