// Built programs whose kernels are damaged: the model ends them with an exit status, and neither crashes nor hangs.

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Bytes = std::vector<char>;

struct Range { std::size_t begin = 0, size = 0; };

Bytes read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

template <class T> T at(const Bytes& bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

/// The section of a program that holds its kernels.
Range fat_binary_of(const Bytes& program) {
    const auto header = at<Elf64_Ehdr>(program, 0);
    const auto section = [&](std::size_t n) { return at<Elf64_Shdr>(program, header.e_shoff + n * header.e_shentsize); };
    const auto names = section(header.e_shstrndx);
    for (std::size_t n = 0; n < header.e_shnum; ++n)
        if (std::string_view(program.data() + names.sh_offset + section(n).sh_name) == ".nv_fatbin")
            return {section(n).sh_offset, section(n).sh_size};
    return {};
}

/// Damages one program in one of several ways.
void damage(Bytes& program, const Range& range, std::mt19937& random) {
    constexpr std::string_view words[] = {"ld.global", "st.shared",
                                          "%r1",       "%rd3",
                                          "bar.sync",  "4294967295",
                                          "-1",        ".v4",
                                          ".f64",      ".u34",
                                          "@%p1",      "bra",
                                          "call",      ";",
                                          "{",         "}",
                                          "ret",       ".align 16",
                                          ".shared",   ".param",
                                          ".entry",    "99999999999999999999"};
    char* const bytes = program.data() + range.begin;
    const auto place = [&](std::size_t size) { return random() % (range.size - size); };
    const auto times = 1 + random() % 4;
    const auto kind = random() % 6;
    if (kind == 0) return void(std::fill_n(bytes + place(1000), random() % 1000, '\0'));
    if (kind == 1) return void(std::fill(bytes + place(1), bytes + range.size, '\0'));
    for (std::size_t i = 0; i < times; ++i) {
        if (kind == 2) {
            bytes[place(1)] ^= static_cast<char>(1 << random() % 8);
        } else if (kind == 3) {
            bytes[random() % 160] = static_cast<char>(random());
        } else if (kind == 4) {
            const std::string_view word = words[random() % std::size(words)];
            std::copy(word.begin(), word.end(), bytes + place(word.size()));
        } else if (char* const digit = std::find_if(bytes + place(1), bytes + range.size, [](char c) { return c >= '0' && c <= '9'; });
                   digit != bytes + range.size) {
            *digit = static_cast<char>('0' + random() % 10);
        }
    }
}

/// Runs a program without its output. Returns its wait status, or -1 after `seconds`.
int status_of(const std::filesystem::path& program, int seconds) {
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        execl(program.c_str(), program.c_str(), nullptr);
        _exit(126);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > end) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return status;
}

void test_damage_of(const std::filesystem::path& path, unsigned seed, int trials) {
    const Bytes program = read_file(path);
    ASSERT_FALSE(program.empty()) << path;
    const Range range = fat_binary_of(program);
    ASSERT_GT(range.size, 1000u);
    setenv("SIMT_TIMEOUT", "1", 1);
    const std::filesystem::path copy = std::filesystem::temp_directory_path() / ("damaged_" + std::to_string(getpid()));
    std::mt19937 random(seed);
    int refused = 0;
    for (int trial = 0; trial < trials; ++trial) {
        Bytes damaged = program;
        if (trial > 0) damage(damaged, range, random);
        std::ofstream(copy, std::ios::binary).write(damaged.data(), static_cast<std::streamsize>(damaged.size()));
        chmod(copy.c_str(), 0700);
        const int status = status_of(copy, 30);
        EXPECT_TRUE(status != -1 && WIFEXITED(status))
            << path << ", trial " << trial << (status == -1 ? ": hangs" : ": is ended by signal " + std::to_string(WTERMSIG(status)));
        if (trial == 0) {
            EXPECT_EQ(status, 0) << "without damage";
        }
        refused += status != 0;
    }
    std::filesystem::remove(copy);
    EXPECT_GT(refused, trials / 4) << "the damage is seen";
}

TEST(DamagedPrograms, EndWithAStatus) {
    test_damage_of(SIMT_DAMAGED_TEXT, 15, 60);
    test_damage_of(SIMT_DAMAGED_COPIES, 16, 40);
}

TEST(DamagedPrograms, WithCompressedTextEndWithAStatus) { test_damage_of(SIMT_DAMAGED_COMPRESSED, 17, 20); }

}  // namespace
