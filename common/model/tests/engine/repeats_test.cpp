// Which launches are deferred, and when they are executed.

#include "engine/repeats.hpp"

#include <gtest/gtest.h>

namespace {

using simt::LaunchRequest;
using simt::Repeats;

using Digest = std::pair<std::uint64_t, std::uint64_t>;

LaunchRequest launch_of(int function, std::uint8_t argument = 0) {
    LaunchRequest launch;
    launch.function = function;
    launch.parameters = {argument};
    return launch;
}

/// Executes a launch that leaves memory with the digest `digest`.
void execute(Repeats& repeats, const LaunchRequest& launch, const Digest* digest = nullptr) {
    EXPECT_FALSE(repeats.puts_off(0, launch, true));
    EXPECT_TRUE(repeats.take_put_off().empty());
    repeats.add_change(0, launch, repeats.state(), digest);
}

TEST(Repeats, putsOffWhatChangesNothing) {
    Repeats repeats;
    EXPECT_FALSE(repeats.puts_off(0, launch_of(1), true));
    repeats.add_unchanged(0, launch_of(1), repeats.state());
    EXPECT_TRUE(repeats.puts_off(0, launch_of(1), false));
    EXPECT_FALSE(repeats.has_put_off());
    EXPECT_FALSE(repeats.puts_off(0, launch_of(1, 1), true)) << "another argument";
    EXPECT_FALSE(repeats.puts_off(1, launch_of(1), true)) << "another device";
    repeats.memory_changed();
    EXPECT_FALSE(repeats.puts_off(0, launch_of(1), true)) << "another memory";
}

TEST(Repeats, doesNotKnowWhatChangesMemoryAgainAndAgain) {
    Repeats repeats;
    for (int i = 0; i < 5; ++i) execute(repeats, launch_of(1));
}

TEST(Repeats, forgetsALaunchDuringWhichMemoryChanged) {
    Repeats repeats;
    const std::uint64_t before = repeats.state();
    repeats.memory_changed();
    repeats.add_unchanged(0, launch_of(1), before);
    EXPECT_FALSE(repeats.puts_off(0, launch_of(1), true));
}

TEST(Repeats, settlesACycleWhereItStands) {
    Repeats repeats;
    const Digest first{1, 1}, second{2, 2};
    execute(repeats, launch_of(1), &first);
    execute(repeats, launch_of(2), &second);
    execute(repeats, launch_of(1), &first);
    EXPECT_TRUE(repeats.puts_off(0, launch_of(2), true));
    EXPECT_TRUE(repeats.has_put_off());
    EXPECT_TRUE(repeats.puts_off(0, launch_of(1), true));
    EXPECT_FALSE(repeats.has_put_off()) << "memory is what it was";
    EXPECT_FALSE(repeats.puts_off(0, launch_of(2), false)) << "it changes memory";
    EXPECT_TRUE(repeats.puts_off(0, launch_of(2), true));
    const std::vector<LaunchRequest> put_off = repeats.take_put_off();
    ASSERT_EQ(put_off.size(), 1u);
    EXPECT_EQ(put_off.front().function, 2);
    EXPECT_FALSE(repeats.has_put_off());
    EXPECT_TRUE(repeats.puts_off(0, launch_of(1), true));
    EXPECT_TRUE(repeats.has_put_off());
}

TEST(Repeats, wantsADigestOfLaunchesThatComeAgain) {
    Repeats repeats;
    EXPECT_FALSE(repeats.wants_digest(0, launch_of(1), 1.0, 0.1));
    execute(repeats, launch_of(1));
    EXPECT_TRUE(repeats.wants_digest(0, launch_of(1), 1.0, 0.1));
    EXPECT_FALSE(repeats.wants_digest(0, launch_of(1), 1.0, 0.5)) << "it takes too long";
    for (std::uint64_t i = 0; i < 100; ++i) {
        const Digest digest{i, i};
        execute(repeats, launch_of(1), &digest);
    }
    EXPECT_FALSE(repeats.wants_digest(0, launch_of(1), 1.0, 0.1)) << "memory never comes back to what it was";
}

TEST(Repeats, knowsNothingOfMemoryThatOthersChange) {
    Repeats repeats;
    repeats.distrust_memory();
    repeats.add_unchanged(0, launch_of(1), repeats.state());
    EXPECT_FALSE(repeats.puts_off(0, launch_of(1), true));
}

}  // namespace
