// The memory that a process may use, from the files of an invented machine.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "device/host_memory.hpp"

namespace {

using simt::memory::HostMemory;

class HostMemoryTest : public testing::Test {
protected:
    void SetUp() override { write("proc/meminfo", "MemTotal: 16000 kB\nMemFree: 10 kB\nMemAvailable: 9000 kB\nSwapFree: 1000 kB\n"); }
    void TearDown() override { std::filesystem::remove_all(root_); }

    void write(const char* file, const char* text) {
        std::filesystem::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }
    void expect(std::uint64_t all, std::uint64_t left) {
        const HostMemory found = HostMemory::of(root_);
        EXPECT_EQ(found.all, all);
        EXPECT_EQ(found.left, left);
    }

    static constexpr std::uint64_t kibi = 1024;
    // CTest runs tests side by side.
    std::filesystem::path root_ = std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(HostMemoryTest, IsThatOfTheMachine) { expect(16000 * kibi, 10000 * kibi); }

TEST_F(HostMemoryTest, IsLimitedByEachGroupAroundTheProcess) {
    write("proc/self/cgroup", "1:name=systemd:/\n0::/outer/inner\n");
    write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
    write("sys/fs/cgroup/outer/inner/memory.current", "1024\n");
    expect(16000 * kibi, 10000 * kibi);
    write("sys/fs/cgroup/outer/memory.max", "8192000\n");
    write("sys/fs/cgroup/outer/memory.current", "5120000\n");
    expect(8000 * kibi, 3000 * kibi);
    write("sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 1024000\nactive_file 3\n");
    expect(8000 * kibi, 4000 * kibi);
    write("sys/fs/cgroup/outer/memory.current", "9000000000\n");
    expect(8000 * kibi, 0);
}

TEST_F(HostMemoryTest, IsLimitedByGroupsOfTheFirstVersion) {
    // A container sees its own group at the top, and the machine's name for it.
    write("proc/self/cgroup", "4:memory:/docker/0123\n0::/\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096000\n");
    write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1024000\n");
    expect(4000 * kibi, 3000 * kibi);
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    expect(16000 * kibi, 10000 * kibi);
}

TEST(HostMemory, IsUsedUpWhereLessIsLeftThanIsKeptFree) {
    EXPECT_FALSE(simt::memory::no_memory_left_after(1 << 20));
    EXPECT_TRUE(simt::memory::no_memory_left_after(std::uint64_t{1} << 60));
    setenv("SIMT_KEEP_FREE", "1000000000000000", 1);
    const auto message = simt::memory::no_memory_left();
    unsetenv("SIMT_KEEP_FREE");
    ASSERT_TRUE(message);
    EXPECT_EQ(message->code, simt::MessageCode::no_memory_left);
    EXPECT_FALSE(simt::memory::no_memory_left()) << "it does not look again at once";
}

}  // namespace
