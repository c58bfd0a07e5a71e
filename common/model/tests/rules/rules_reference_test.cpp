// The rules have shortcuts for common patterns. Here they are compared with the same rules without shortcuts.

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "made_access.hpp"
#include "rules/lanes.hpp"
#include "rules/shared_shortcuts.hpp"
#include "simt/schedule.hpp"

namespace simt {
namespace {

/// Accesses of all kinds, mostly of kinds that kernels make.
class Accesses {
public:
    WarpAccess next() {
        WarpAccess access{};
        access.operation = number(2) ? Operation::load : Operation::store;
        access.size = 1 << number(5);
        const auto size = static_cast<std::uint64_t>(access.size);
        const std::uint64_t start = number(1000) * size, step = (number(70) - 20) * size;
        const std::uint64_t width = 1 << number(6), pitch = number(300) * size;
        const auto pattern = number(7);
        for (std::uint64_t lane = 0; lane < warp_size; ++lane)
            access.address[lane] = (1 << 16) + start + offset(pattern, lane, step, width, pitch, size);
        if (number(10) == 0) std::shuffle(access.address.begin(), access.address.end(), random_);
        if (number(10) == 0)
            for (std::uint64_t most = 1 + number(2) * 4, skew = number(5); std::uint64_t& address : access.address)
                address += skew + number(most);
        const auto lanes = number(8);
        access.active = lanes == 0 ? static_cast<std::uint32_t>(random_()) : lanes == 1 ? ~0u >> number(32) : lanes == 2 ? 0x55555555 : ~0u;
        if (access.active == 0) access.active = 1;
        return access;
    }

private:
    std::uint64_t number(std::uint64_t below) { return random_() % below; }

    std::uint64_t offset(std::uint64_t pattern, std::uint64_t lane, std::uint64_t step, std::uint64_t width, std::uint64_t pitch,
                         std::uint64_t size) {
        switch (pattern) {
            case 0: return lane * size;
            case 1: return lane * step;
            case 2: return lane / width * pitch + lane % width * size;
            case 3: return lane % width * step;
            case 4: return (lane ^ width) * size;
            case 5: return number(64) * size;
            default: return number(2000) * size;
        }
    }

    std::mt19937_64 random_{1};
};

GlobalCost plain_global_cost(const WarpAccess& access) {
    std::set<std::uint64_t> sectors, addresses;
    for (const std::size_t lane : lanes_in(access.active)) {
        addresses.insert(access.address[lane]);
        // No access is wider than a sector.
        sectors.insert({access.address[lane] / 32, (access.address[lane] + static_cast<std::uint64_t>(access.size) - 1) / 32});
    }
    return {static_cast<int>(sectors.size()), (static_cast<int>(addresses.size()) * access.size + 31) / 32};
}

std::string text(const WarpAccess& access) {
    std::string text = std::string(name_of(access.operation)) + " of " + std::to_string(access.size) + " bytes:";
    for (std::size_t lane = 0; lane < warp_size; ++lane)
        text += access.active >> lane & 1 ? " " + std::to_string(access.address[lane]) : " -";
    return text;
}

constexpr int repetitions = 100000;

TEST(RulesWithoutShortCuts, CountTheSameSectors) {
    Accesses accesses;
    const Machine& machine = *find_machine("sm_90");
    for (int i = 0; i < repetitions; ++i) {
        const WarpAccess access = accesses.next();
        ASSERT_EQ(global_cost(access, machine), plain_global_cost(access)) << text(access);
    }
}

TEST(RulesWithoutShortCuts, CountTheSameCyclesOfTheL1) {
    Accesses accesses;
    const Machine& machine = *find_machine("sm_90");
    for (int i = 0; i < repetitions; ++i) {
        const WarpAccess access = accesses.next();
        if (!rules::is_aligned(access)) continue;
        std::set<std::uint64_t> lines;
        for (const std::size_t lane : lanes_in(access.active)) lines.insert(access.address[lane] / 128);
        int cycles = (static_cast<int>(lines.size()) + 3) / 4;
        std::uint64_t step;
        if (rules::is_evenly_spaced(access, step)) cycles = std::max(cycles, shared_cost(access, machine).wavefronts);
        ASSERT_EQ(l1_cycles(access, machine), cycles) << text(access);
    }
}

TEST(RulesWithoutShortCuts, CountTheSameWavefronts) {
    Accesses accesses;
    std::mt19937 random(3);
    int shortcuts = 0;
    for (int i = 0; i < repetitions; ++i) {
        const WarpAccess access = accesses.next();
        const SharedMemory memory = i % 8 < 6   ? find_machine("sm_90")->shared
                                    : i % 8 < 7 ? find_machine("fermi")->shared
                                                : some_memory(random);
        const SharedCost quick = rules::shortcut_cost(access, memory);
        if (!quick.wavefronts) continue;
        ++shortcuts;
        const Schedule schedule = shared_schedule(access, memory);
        ASSERT_EQ(quick, (SharedCost{static_cast<int>(schedule.wavefronts.size()), schedule.ideal_wavefronts}))
            << memory.banks << " banks, " << text(access);
    }
    EXPECT_GT(shortcuts, repetitions / 4);
}

TEST(RulesWithoutShortCuts, EvenStepsOfWideLoadsDoNotMerge) {
    const Machine& machine = *find_machine("sm_90");
    for (const int size : {8, 16})
        for (std::uint64_t step = 1; step < 70; ++step) {
            WarpAccess access{};
            access.size = size;
            access.active = ~0u;
            for (std::uint64_t lane = 0; lane < warp_size; ++lane) access.address[lane] = lane * step * static_cast<std::uint64_t>(size);
            EXPECT_EQ(shared_cost(access, machine).ideal_wavefronts, size / 4) << step;
        }
}

}  // namespace
}  // namespace simt
