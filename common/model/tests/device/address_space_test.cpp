// The addresses that the model reserves, where the host has few.

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cstdlib>
#include <exception>
#include <iostream>

#include "device/address_space.hpp"

namespace {

/// Allocates where the process may have `gibibytes` of addresses, and ends it.
[[noreturn]] void allocate_within(rlim_t gibibytes) {
    const rlimit limit{gibibytes << 30, gibibytes << 30};
    setrlimit(RLIMIT_AS, &limit);
    try {
        std::exit(simt::memory::AddressSpace::instance().allocate(1 << 20) != 0 ? 0 : 1);
    } catch (const std::exception& error) {
        std::cerr << error.what();
        std::exit(2);
    }
}

TEST(MemoryUse, AsksForFewerAddressesWhereThereAreFew) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";  // in a process that has reserved nothing yet
    EXPECT_EXIT(allocate_within(400), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(allocate_within(200), testing::ExitedWithCode(2), "cannot reserve 264 GiB of addresses.*ulimit -v");
}

}  // namespace
