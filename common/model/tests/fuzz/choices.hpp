// Random numbers, more of them at values that often break programs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace fuzz {

/// Draws all random choices of one try from the try's number.
class Choices {
public:
    explicit Choices(std::uint64_t number) : random_(number) {}

    std::uint64_t bits() { return random_(); }
    /// A number from 0 to `limit` - 1.
    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
    bool one_in(std::size_t count) { return below(count) == 0; }
    template <class Values> const auto& one_of(const Values& values) { return values[below(values.size())]; }

    /// An argument of a kernel or a field of a packet: often an address in `memory`.
    std::uint64_t address(std::uint64_t memory) {
        if (!one_in(4)) return memory + 8 * below(64);
        const std::array<std::uint64_t, 6> windows{std::uint64_t{1} << 56, std::uint64_t{1} << 57, std::uint64_t{1} << 58,
                                                   std::uint64_t{1} << 63, memory + 4095,          memory - 1};
        return one_in(3) ? number() : one_of(windows);
    }
    /// A number at the edge of a type's range, or any other.
    std::uint64_t number() {
        static constexpr std::array<std::uint64_t, 12> edges{
            0, 1, 2, 31, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x100000000, ~std::uint64_t{0} >> 1, ~std::uint64_t{0}};
        return one_in(4) ? bits() : one_of(edges);
    }

    /// Overwrites, cuts, repeats or adds bytes, in a few places.
    void damage(std::vector<std::uint8_t>& bytes) {
        for (std::size_t changes = 1 + below(3); changes > 0 && !bytes.empty(); --changes) {
            // The heads of containers and packets are short and have most effect.
            const std::size_t at = one_in(2) ? below(bytes.size()) : below(std::min<std::size_t>(bytes.size(), 96));
            const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
            const std::uint64_t value = number();
            const std::array<std::size_t, 4> widths{1, 2, 4, 8};
            switch (below(8)) {
                case 0: bytes.resize(at); break;
                case 1: bytes.erase(place); break;
                case 2: bytes.insert(place, static_cast<std::uint8_t>(value)); break;
                case 3: bytes.insert(bytes.end(), bytes.begin(), place); break;
                default: std::memcpy(&*place, &value, std::min(one_of(widths), bytes.size() - at));
            }
        }
    }

private:
    std::mt19937_64 random_;
};

}  // namespace fuzz
