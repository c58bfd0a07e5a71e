#include "report/trace.hpp"

#include <gtest/gtest.h>

#include "rules/made_access.hpp"

namespace simt::report {
namespace {

WarpAccess access_of(Space space, std::uint32_t program_counter, int warp) {
    WarpAccess access = made_access(space, Operation::load, 4, [](unsigned lane) { return 4096 + 4 * lane; }, 0xFFFF);
    access.program_counter = program_counter;
    access.warp = warp;
    access.allocation = space == Space::global ? 4096 : 0;
    return access;
}

nlohmann::ordered_json accesses_of(const Trace& trace, std::size_t block = 0) {
    return trace.launches().at(0).at("blocks").at(block).at("accesses");
}

TEST(Trace, KeepsPlaceOrderAndOffsetsOfEachAccess) {
    Trace trace;
    trace.launch_begins({{2, 1, 1}, {64, 1, 1}, 0});
    trace.block_begins({0, 0, 0});
    trace.warp_access(access_of(Space::global, 10, 1));
    trace.block_barrier();
    trace.warp_access(access_of(Space::shared, 20, 1));
    trace.warp_access(access_of(Space::shared, 30, 1));
    trace.warp_access(access_of(Space::shared, 20, 1));
    trace.launch_ends();
    const auto accesses = accesses_of(trace);
    EXPECT_EQ(accesses[0]["lanes"][15], 60);
    EXPECT_TRUE(accesses[0]["lanes"][16].is_null());
    EXPECT_EQ(accesses[0]["interval"], 0);
    EXPECT_EQ(accesses[0]["allocation"], 0);
    EXPECT_EQ(accesses[1]["interval"], 1);
    EXPECT_EQ(accesses[1]["lanes"][0], 4096);
    EXPECT_EQ(accesses[1]["wavefronts"].size(), 1u);
    EXPECT_EQ(accesses[1]["wavefronts"][0][15], (nlohmann::ordered_json{15, 1039}));
    // Two instructions without a source line count as two of one line.
    EXPECT_EQ(accesses[1]["instruction"], 0);
    EXPECT_EQ(accesses[2]["instruction"], 1);
    EXPECT_EQ(accesses[3]["occurrence"], 1);
}

TEST(Trace, IsBoundedInBlocksAndInAccesses) {
    Trace trace;
    trace.launch_begins({{3, 1, 1}, {32, 1, 1}, 0});
    for (unsigned block = 0; block < 3; ++block) {
        trace.block_begins({block, 0, 0});
        for (int i = 0; i < 40; ++i) trace.warp_access(access_of(Space::shared, 20, 0));
    }
    trace.launch_ends();
    EXPECT_EQ(trace.launches()[0]["blocks"].size(), Trace::most_blocks);
    EXPECT_EQ(accesses_of(trace, 1).size(), Trace::most_accesses);
}

}  // namespace
}  // namespace simt::report
