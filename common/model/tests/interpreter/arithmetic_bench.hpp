// A warp's registers for tests of lane-wise instructions, and a comparison with a reference, lane by lane.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "interpreter/decode/instruction.hpp"
#include "interpreter/decode/opcodes.hpp"
#include "ptx/module.hpp"

namespace simt::interpreter::test {

__extension__ using Int128 = __int128;

/// `opcode.modifier.modifier` as the parser gives it, with `operands` registers that have no names.
inline ptx::Instruction instruction_of(std::string_view text, std::size_t operands = 0) {
    ptx::Instruction result;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find('.', begin), text.size());
        const std::string word(text.substr(begin, end - begin));
        if (begin == 0) result.opcode = word;
        else result.modifiers.push_back(word);
        begin = end + 1;
    }
    result.operands.resize(operands);
    for (ptx::Operand& operand : result.operands) operand.kind = ptx::Operand::Kind::reg;
    return result;
}

/// Registers of 16 bytes a lane at most, numbered.
class Bench {
public:
    static constexpr std::size_t registers = 10;
    /// One more register, for results that are never read.
    static constexpr std::size_t sink = registers;
    static constexpr std::size_t register_bytes = 16 * warp_size;

    Bench() { file_.registers = storage_.data(); }

    template <class T> T* at(std::size_t n) { return reinterpret_cast<T*>(storage_.data() + n * register_bytes); }

    static std::uint32_t offset(std::size_t n) { return static_cast<std::uint32_t>(n * register_bytes); }

    RegisterFile& file() { return file_; }

    /// Fills a register with bytes that are unlikely in a result.
    void poison(std::size_t n) { std::memset(at<unsigned char>(n), 0xa5, register_bytes); }

    /// Executes with operand i in register `operands[i]`. @return false if the instruction is not known.
    bool run(const ptx::Instruction& instruction, const std::vector<std::size_t>& operands, std::uint32_t active, std::uint32_t negated = 0,
             std::array<std::uint8_t, 4> width = {}) {
        const Semantics semantics = find_lanewise(instruction);
        if (semantics.execute == nullptr) return false;
        std::vector<std::uint32_t> offsets;
        DecodedInstruction decoded;
        for (std::size_t n = 0; n < operands.size(); ++n) {
            offsets.push_back(offset(operands[n]));
            if (n < decoded.operand.size()) decoded.operand[n] = offsets.back();
        }
        decoded.operands = offsets.data();
        decoded.operand_count = static_cast<std::uint8_t>(operands.size());
        decoded.immediate = semantics.immediate;
        decoded.negated = negated;
        decoded.width = width;
        file_.active = active;
        semantics.execute(reinterpret_cast<Warp&>(file_), decoded);
        return true;
    }

private:
    alignas(64) std::array<unsigned char, (registers + 1) * register_bytes> storage_{};
    RegisterFile file_;
};

/// Numbers for tests; half of them are cases where mistakes are common.
class Numbers {
public:
    template <class T> T next() {
        if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(edge_or<std::uint32_t>(float_edges));
        else if constexpr (std::is_same_v<T, double>) return std::bit_cast<double>(edge_or<std::uint64_t>(double_edges));
        else return static_cast<T>(integer());
    }

    std::uint64_t random() { return engine_(); }

private:
    static constexpr std::uint32_t float_edges[] = {
        0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000,
        0xbf800000, 0x3f7fffff, 0x3f800001, 0x40000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
        0xffc00001, 0x7f800001, 0x4f000000, 0xcf000000, 0x4f800000, 0x4effffff, 0x3f000000, 0xbf000000, 0x40200000,
        0x4b000001, 0x477fe000, 0x477ff000, 0x33000000, 0x33000001, 0x38800000, 0x387fffff, 0x43800000, 0x5f000000};
    static constexpr std::uint64_t double_edges[] = {0,
                                                     0x8000000000000000,
                                                     1,
                                                     0x800fffffffffffff,
                                                     0x0010000000000000,
                                                     0x3ff0000000000000,
                                                     0xbff0000000000000,
                                                     0x3fe0000000000000,
                                                     0x7fefffffffffffff,
                                                     0x7ff0000000000000,
                                                     0xfff0000000000000,
                                                     0x7ff8000000000000,
                                                     0x41dfffffffc00000,
                                                     0x41e0000000000000,
                                                     0xc1e0000000200000,
                                                     0x43e0000000000000,
                                                     0xc3e0000000000000,
                                                     0x43f0000000000000,
                                                     0x47efffffe0000000,
                                                     0x47efffffefffffff,
                                                     0x36a0000000000000,
                                                     0x3690000000000000,
                                                     0x3690000000000001,
                                                     0x380fffffffffffff,
                                                     0x3ff0000010000000};

    template <class Bits, std::size_t count> Bits edge_or(const Bits (&edges)[count]) {
        const std::uint64_t choice = engine_() % 4;
        if (choice == 0) return edges[engine_() % count];
        const Bits bits = static_cast<Bits>(engine_());
        if (choice == 1) return bits;
        // These are of similar size, so that sums and products stay in range and cancel.
        constexpr int mantissa = sizeof(Bits) == 4 ? 23 : 52;
        constexpr Bits bias = sizeof(Bits) == 4 ? 127 : 1023;
        const Bits keep = (Bits{1} << mantissa) - 1;
        const Bits sparse = choice == 2 ? bits : bits & ~Bits{0xfff};
        const Bits exponent = static_cast<Bits>(bias - 30 + static_cast<Bits>(engine_() % 60));
        return (sparse & keep) | exponent << mantissa | (bits & Bits{1} << (8 * sizeof(Bits) - 1));
    }

    std::uint64_t integer() {
        static constexpr std::uint64_t edges[] = {0,      1,      2,          15,         16,         31,         32,
                                                  33,     63,     64,         65,         255,        127,        128,
                                                  0x7fff, 0x8000, 0xffff,     0x7fffffff, 0x80000000, 0xffffffff, 0x7fff8000,
                                                  0xffff, 24,     0xffffff80, 0xffff8000, ~0ULL,      1ULL << 63, ~0ULL >> 1};
        const std::uint64_t choice = engine_() % 4;
        if (choice == 0) return edges[engine_() % std::size(edges)];
        if (choice == 1) return engine_() >> (engine_() % 64);
        return engine_();
    }

    std::mt19937_64 engine_{20260101};
};

template <class T> auto bits_of_value(T value) {
    std::array<unsigned char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

template <class T> std::string hexadecimal(T value) {
    const auto bytes = bits_of_value(value);
    std::string text = "0x";
    for (std::size_t n = bytes.size(); n-- > 0;) {
        text += "0123456789abcdef"[bytes[n] >> 4];
        text += "0123456789abcdef"[bytes[n] & 15];
    }
    return text;
}

/// Whether a result is as good as the reference's: by default the same bits.
struct SameBits {
    template <class T> bool operator()(T result, T expected) const { return bits_of_value(result) == bits_of_value(expected); }
};

/// The same bits, or any NaN for a NaN: for doubles.
struct SameNumber {
    template <class T> bool operator()(T result, T expected) const {
        return (result != result && expected != expected) || SameBits{}(result, expected);
    }
};

/// Runs `d = text(sources...)` under many masks, on many numbers, and also with d in the register of the first source.
template <class D, class... S, class Reference, class Good = SameBits, std::size_t... n>
void expect_lanes(std::index_sequence<n...>, const ptx::Instruction& instruction, const std::string& text, Reference reference, Good good,
                  int rounds) {
    static constexpr std::uint32_t masks[] = {all_lanes, all_lanes, 0x00010000, 0x5555aaaa, 0x7fffffff, 0x0000ffff};
    using First = std::tuple_element_t<0, std::tuple<S...>>;
    Bench bench;
    Numbers numbers;
    for (int round = 0; round < rounds; ++round) {
        const std::uint32_t active = masks[static_cast<std::size_t>(round) % std::size(masks)];
        const bool aliases = sizeof(D) == sizeof(First) && round % 4 == 3;
        for (int lane = 0; lane < warp_size; ++lane) ((bench.at<S>(n + 1)[lane] = numbers.next<S>()), ...);
        const std::tuple<std::array<S, warp_size>...> sources{
            std::bit_cast<std::array<S, warp_size>>(*reinterpret_cast<std::array<S, warp_size>*>(bench.at<S>(n + 1)))...};
        const std::size_t destination = aliases ? 1 : 0;
        if (!aliases) bench.poison(0);
        std::array<D, warp_size> before;
        std::memcpy(before.data(), bench.at<D>(destination), sizeof before);
        ASSERT_TRUE(bench.run(instruction, {destination, (n + 1)...}, active)) << text;
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            const D result = bench.at<D>(destination)[lane];
            if ((active >> lane & 1) == 0) {
                ASSERT_TRUE(SameBits{}(result, before[lane])) << text << " wrote lane " << lane << " under a mask without it";
                continue;
            }
            const D expected = reference(std::get<n>(sources)[lane]...);
            const std::string inputs = ((" " + hexadecimal(std::get<n>(sources)[lane])) + ...);
            ASSERT_TRUE(good(result, expected))
                << text << inputs << " gives " << hexadecimal(result) << ", expected " << hexadecimal(expected);
        }
    }
}

template <class D, class... S, class Reference, class Good = SameBits>
void expect_lanes(const std::string& text, Reference reference, Good good = {}, int rounds = 60) {
    SCOPED_TRACE(text);
    expect_lanes<D, S...>(std::index_sequence_for<S...>{}, instruction_of(text, sizeof...(S) + 1), text, reference, good, rounds);
}

}  // namespace simt::interpreter::test
