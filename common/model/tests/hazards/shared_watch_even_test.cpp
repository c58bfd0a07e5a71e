// Accesses of all lanes to evenly spaced words are tested together. They give the same hazards as the accesses of one half of
// the warp after the other.

#include <gtest/gtest.h>

#include <random>

#include "made_launch.hpp"

namespace simt::hazards {
namespace {

constexpr unsigned words_in_use = 640;

/// One step of a block.
struct Step {
    enum class What { access, warp_barrier, block_barrier, part_barrier } what = What::access;
    WarpAccess access{};
};

class RandomSteps {
public:
    RandomSteps(std::uint32_t seed, bool orders_parts) : random_(seed), orders_parts_(orders_parts) {}

    Step next() {
        Step step;
        const unsigned choice = random_() % 32;
        if (choice == 0) step.what = Step::What::block_barrier;
        if (choice == 1 || choice == 2) step.what = Step::What::warp_barrier;
        if (choice > 20 && orders_parts_) step.what = Step::What::part_barrier;
        step.access = access();
        return step;
    }

private:
    WarpAccess access() {
        static constexpr int spacings[] = {1, 1, 1, 1, 1, -1, -1, 2, 33, 3, -2, 0};
        const int size = orders_parts_ || random_() % 4 ? 4 : random_() % 2 ? 8 : 16;
        const auto words_of_lane = static_cast<std::uint64_t>(size) / 4;
        const int elements = spacings[random_() % (orders_parts_ ? 7 : std::size(spacings))] % (size == 4 ? 64 : 4);
        const std::uint64_t spacing = static_cast<std::uint64_t>(elements) * words_of_lane;
        // Few places, so that accesses meet.
        const std::uint64_t first = (elements < 0 ? 0 - 31 * spacing : 0) + (orders_parts_ ? 0 : random_() % 3 * 16 * words_of_lane);
        const bool loads = random_() % (orders_parts_ ? 6 : 3) != 0;
        const std::uint32_t changed = random_() % 4 ? all_lanes : random_() % 2 ? 0 : random_();
        return made(
            Space::shared, loads ? Operation::load : Operation::store, 1 + random_() % 60, static_cast<int>(random_() % made_warps),
            [&](unsigned lane) { return (first + lane * spacing) * 4; }, all_lanes, size, loads ? 0 : changed);
    }

    std::mt19937 random_;
    bool orders_parts_;
};

using Tell = void (*)(BlockWatch&, const WarpAccess&);

void whole(BlockWatch& watch, const WarpAccess& access) { watch.uncounted_access(access); }

void in_halves(BlockWatch& watch, const WarpAccess& access) {
    for (const std::uint32_t lanes : {0x0000FFFFu, 0xFFFF0000u}) {
        WarpAccess half = access;
        half.active = lanes;
        watch.uncounted_access(half);
    }
}

std::vector<std::string> found(std::uint32_t seed, bool orders_parts, Tell tell) {
    RandomSteps steps(seed, orders_parts);
    const auto block = [&](MadeBlock& made_block, unsigned) {
        // Some words are never written.
        for (unsigned first = 0; first < words_in_use - seed % 3 * 300; first += 32) made_block.store(99, 0, words(first));
        made_block.watch.block_barrier();
        for (std::uint32_t i = 0; i <= seed % 24; ++i) {
            const Step step = steps.next();
            switch (step.what) {
                case Step::What::access: tell(made_block.watch, step.access); break;
                case Step::What::warp_barrier: made_block.watch.warp_barrier(step.access.warp, all_lanes); break;
                case Step::What::block_barrier: made_block.watch.block_barrier(); break;
                case Step::What::part_barrier: {
                    const int warps[] = {step.access.warp, (step.access.warp + 1) % static_cast<int>(made_warps)};
                    made_block.watch.part_barrier(warps);
                    break;
                }
            }
        }
    };
    std::vector<std::string> texts;
    for (const Hazard& hazard : MadeLaunch().run({0, 1, 2}, block).hazards())
        texts.push_back(summary({hazard}).front() + ": " + hazard.message.text());
    return texts;
}

TEST(EvenlySpacedWords, AreJudgedAsLaneByLane) {
    std::size_t hazards = 0, clean = 0;
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        const bool orders_parts = seed % 4 == 0;
        const auto together = found(seed, orders_parts, whole);
        ASSERT_EQ(together, found(seed, orders_parts, in_halves)) << "seed " << seed;
        hazards += together.size();
        clean += together.empty();
    }
    EXPECT_GT(hazards, 1000u);
    EXPECT_GT(clean, 100u);
}

}  // namespace
}  // namespace simt::hazards
