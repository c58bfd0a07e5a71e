#include "calls/runtime/fat_binary.hpp"

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <random>

#include "device/device.hpp"

namespace {

using namespace simt::calls;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t lz4_flag = 0x2000, zstd_flag = 0x8000, architecture_flag = 0x100000, family_flag = 0x200000;

struct Piece {
    int kind;
    unsigned architecture;
    std::uint64_t flags;
    std::string text;
};

template <class Number> void put(Bytes& bytes, std::size_t offset, Number number) {
    std::memcpy(bytes.data() + offset, &number, sizeof number);
}

std::string compressed(const Piece& piece) {
    if (piece.flags & lz4_flag) {
        std::string out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(piece.text.size()))), '\0');
        out.resize(static_cast<std::size_t>(
            LZ4_compress_default(piece.text.data(), out.data(), static_cast<int>(piece.text.size()), static_cast<int>(out.size()))));
        return out;
    }
    if (piece.flags & zstd_flag) {
        std::string out(ZSTD_compressBound(piece.text.size()), '\0');
        out.resize(ZSTD_compress(out.data(), out.size(), piece.text.data(), piece.text.size(), 3));
        return out;
    }
    return piece.text;
}

/// A container in nvcc's layout.
Bytes container(const std::vector<Piece>& pieces) {
    constexpr std::size_t header_bytes = 64;
    Bytes bytes(16);
    for (const Piece& piece : pieces) {
        const std::string payload = compressed(piece);
        const std::size_t begin = bytes.size(), padded = (payload.size() + 7) / 8 * 8;
        bytes.resize(begin + header_bytes + padded);
        put(bytes, begin, static_cast<std::uint16_t>(piece.kind));
        put(bytes, begin + 4, static_cast<std::uint32_t>(header_bytes));
        put(bytes, begin + 8, static_cast<std::uint64_t>(padded));
        put(bytes, begin + 16, static_cast<std::uint32_t>(payload.size()));
        put(bytes, begin + 28, piece.architecture);
        put(bytes, begin + 40, piece.flags);
        put(bytes, begin + 56, static_cast<std::uint64_t>(piece.text.size()));
        std::memcpy(bytes.data() + begin + header_bytes, payload.data(), payload.size());
    }
    put(bytes, 0, std::uint32_t{0xBA55ED50});
    put(bytes, 4, std::uint16_t{1});
    put(bytes, 6, std::uint16_t{16});
    put(bytes, 8, static_cast<std::uint64_t>(bytes.size() - 16));
    return bytes;
}

std::string best_text(const Bytes& bytes) {
    const auto entries = read_fat_binary(bytes);
    const FatBinaryEntry* best = best_ptx(entries);
    return best ? ptx_text(*best) : "";
}

const std::string packed_text = ".version 9.0\n.target sm_90\n" + std::string(500, ' ') + "// the end\n";

TEST(FatBinary, IsReadHoweverItIsCompressed) {
    for (const std::uint64_t flags : {std::uint64_t{0}, lz4_flag, zstd_flag})
        EXPECT_EQ(best_text(container({{1, 90, flags, packed_text}})), packed_text);
}

TEST(FatBinary, GivesTheNewestTextThatFits) {
    const Bytes bytes =
        container({{2, 90, 0, "machine"}, {1, 75, 0, "75"}, {1, 80, zstd_flag, "80"}, {1, 100, 0, "100"}, {1, 100, family_flag, "100f"}});
    EXPECT_EQ(best_text(bytes), "80");
}

TEST(FatBinary, PrefersTheTextForThisVeryArchitecture) {
    EXPECT_EQ(best_text(container({{1, 90, architecture_flag, "90a"}, {1, 90, 0, "90"}})), "90a");
    EXPECT_EQ(best_text(container({{1, 80, architecture_flag, "80a"}, {1, 75, 0, "75"}})), "75");
}

TEST(FatBinary, NamesItsTargets) {
    const Bytes bytes = container({{2, 90, architecture_flag, "x"}, {1, 100, family_flag, "y"}});
    const auto entries = read_fat_binary(bytes);
    EXPECT_EQ(entries[0].target(), "sm_90a");
    EXPECT_EQ(entries[1].target(), "compute_100f");
    EXPECT_EQ(best_ptx(entries), nullptr);
}

TEST(FatBinary, EmptyContainerHasNoText) { EXPECT_TRUE(read_fat_binary(container({})).empty()); }

TEST(FatBinary, EndsAtTheTextsEnd) { EXPECT_EQ(best_text(container({{1, 90, 0, std::string("text\0\0\0", 7)}})), "text"); }

TEST(FatBinary, EachCutIsAnErrorOrAShorterText) {
    const Bytes whole = container({{1, 90, zstd_flag, packed_text}, {1, 80, lz4_flag, packed_text}});
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
        EXPECT_THROW(best_text(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes))), simt::DeviceError) << bytes;
}

TEST(FatBinary, DamageIsAnErrorAndNoCrash) {
    std::mt19937 random(15);
    const Bytes whole = container({{1, 90, zstd_flag, packed_text}, {1, 80, lz4_flag, packed_text}, {1, 75, 0, packed_text}});
    int errors = 0;
    for (int round = 0; round < 20000; ++round) {
        Bytes bytes = whole;
        const int changes = 1 + static_cast<int>(random() % 4);
        for (int i = 0; i < changes; ++i) {
            // Most damage is in the headers, where its effects are largest.
            const std::size_t at = random() % 2 ? random() % 80 : random() % bytes.size();
            bytes[at] = random() % 3 == 0 ? 0xFF : static_cast<std::uint8_t>(random());
        }
        try {
            for (const FatBinaryEntry& entry : read_fat_binary(bytes)) {
                if (entry.uncompressed_bytes < (std::size_t{1} << 20)) ptx_text(entry);
            }
        } catch (const simt::DeviceError& error) {
            ++errors;
            EXPECT_EQ(error.code(), 200);
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
    EXPECT_GT(errors, 1000);
}

}  // namespace
