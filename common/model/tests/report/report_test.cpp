#include "report/report.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace simt {
namespace {

TEST(Report, ReplacesAFileAndIsWrittenIntoAPipe) {
    namespace fs = std::filesystem;
    std::string name = (fs::temp_directory_path() / "report.XXXXXX").string();
    const fs::path folder = mkdtemp(name.data());
    const std::string file = folder / "file", pipe = folder / "pipe";
    EXPECT_TRUE(report::write_atomically(file, "old") && report::write_atomically(file, "new"));
    std::string text;
    std::ifstream(file) >> text;
    EXPECT_EQ(text, "new");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    EXPECT_TRUE(report::write_atomically(pipe, "new"));
    char read_back[8];
    EXPECT_EQ(read(reader, read_back, sizeof read_back), 3);
    EXPECT_TRUE(fs::is_fifo(pipe));
    close(reader);
    EXPECT_FALSE(report::write_atomically(folder / "absent" / "file", ""));
    fs::remove_all(folder);
}

}  // namespace
}  // namespace simt
