// A decoded instruction, and the registers of a warp that it works on.
//
// A register of type T is an array of 32 values of T, one a lane, lanes next to one another; a predicate register is a
// mask of 32 bits, bit i for lane i. Constants are registers too, with one value in all lanes: so every operand is
// the offset of a register in the warp's register file, and an instruction is a loop over lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "ptx/module.hpp"
#include "rules/lane_sets.hpp"
#include "simt/warp_size.hpp"

namespace simt::interpreter {

inline constexpr std::uint32_t all_lanes = ~std::uint32_t{0};
/// Stands for an optional operand that is absent.
inline constexpr std::uint32_t no_operand = ~std::uint32_t{0};

struct Warp;
struct DecodedInstruction;

/// Executes an instruction for the `active` lanes of a warp.
using Execute = void (*)(Warp&, const DecodedInstruction&);

/// The part of a warp that arithmetic needs: its registers, its active lanes, and their carry flags. Warp extends it (warp.hpp).
struct RegisterFile {
    /// The register file; operands are offsets into it. Aligned to 64 bytes.
    unsigned char* registers = nullptr;
    /// Lanes that execute the current instruction: never 0.
    std::uint32_t active = 0;
    /// CC.CF, the carry flag of each lane.
    std::uint32_t carry = 0;
    /// The next warp that executes a lane-wise instruction together with this one (team.hpp); null for none.
    RegisterFile* next_in_team = nullptr;
};

/// How the warps of a team (team.hpp) execute an instruction: not as a team; with no effect where nothing is watched; by one call of a
/// handler that goes through all of them; by a call for each; or as a branch, a place where lanes meet, a barrier, or an end.
enum class InTeam : std::uint8_t { leaves, skips, at_once, one_by_one, branches, meets, waits, ends };

/// A decoded instruction.
struct DecodedInstruction {
    Execute execute = nullptr;
    /// Offsets of operands into the register file, destinations first, in the order of the PTX text. A vector operand's
    /// elements follow one another. A sink `_` is a register that is never read.
    std::array<std::uint32_t, 6> operand{};
    /// The whole list, where it has more than six operands.
    const std::uint32_t* operands = nullptr;
    /// Guard predicate: offset of its register, or `no_operand`.
    std::uint32_t guard = no_operand;
    /// Bit i is set if operand i is a predicate that is read negated, and bit 31 if the guard is.
    std::uint32_t negated = 0;
    /// Data for the handler, from its finder (Semantics::immediate) or its decoder (Decoder::keep()).
    std::uint64_t immediate = 0;
    /// Bytes that a lane's value takes in the register of operand 0, 1, 2, 3: a `cvt`, a load or a store may name
    /// registers that are wider than its types.
    std::array<std::uint8_t, 4> width{};
    std::uint8_t operand_count = 0;
    InTeam in_team = InTeam::leaves;
    /// The instruction's number in its module, under which its accesses are reported.
    std::uint32_t program_counter = 0;

    std::uint32_t operand_at(int n) const {
        const auto at = static_cast<std::size_t>(n);
        return at < operand.size() ? operand[at] : operands[at];
    }
};

/// The data that the decoder kept for a handler (Decoder::keep()).
template <class Details> const Details& details(const DecodedInstruction& instruction) {
    return *reinterpret_cast<const Details*>(instruction.immediate);
}

/// The meaning of an instruction of PTX: its handler and the types of its operands.
struct Semantics {
    Execute execute = nullptr;
    /// Type of each operand, destinations first, in the order of DecodedInstruction::operand: constants are made in it. An
    /// instruction with more operands than this repeats the last.
    std::array<ptx::Type, 8> types{};
    std::uint64_t immediate = 0;
};

template <class T> inline T* values(RegisterFile& warp, std::uint32_t offset) {
    return std::assume_aligned<sizeof(T) < 4 ? 4 : 32>(reinterpret_cast<T*>(warp.registers + offset));
}

inline std::uint32_t& predicate(RegisterFile& warp, std::uint32_t offset) {
    return *reinterpret_cast<std::uint32_t*>(warp.registers + offset);
}

/// The predicate that operand `n` reads, negated where the text says so.
inline std::uint32_t read_predicate(RegisterFile& warp, const DecodedInstruction& instruction, int n) {
    const std::uint32_t value = predicate(warp, instruction.operand[static_cast<std::size_t>(n)]);
    return instruction.negated >> n & 1 ? ~value : value;
}

/// Reads a lane's value in the register at `at`, whose values have `bytes` bytes; at most the lower 8 of them.
inline std::uint64_t read_lane(const unsigned char* at, std::size_t lane, int bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    std::uint64_t value = 0;
    std::memcpy(&value, at + lane * size, size < sizeof value ? size : sizeof value);
    return value;
}

/// Writes the lower bytes of `value` for a lane into the register at `at`.
inline void write_lane(unsigned char* at, std::size_t lane, std::uint64_t value, int bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    std::memcpy(at + lane * size, &value, size < sizeof value ? size : sizeof value);
}

/// The same of a register of `warp` by its offset.
inline std::uint64_t lane_value(const RegisterFile& warp, std::uint32_t offset, std::size_t lane, int bytes) {
    return read_lane(warp.registers + offset, lane, bytes);
}
inline void set_lane_value(RegisterFile& warp, std::uint32_t offset, std::size_t lane, std::uint64_t value, int bytes) {
    write_lane(warp.registers + offset, lane, value, bytes);
}

/// Writes a predicate for the active lanes.
inline void write_predicate(RegisterFile& warp, std::uint32_t offset, std::uint32_t value) {
    std::uint32_t& old = predicate(warp, offset);
    old = (old & ~warp.active) | (value & warp.active);
}

}  // namespace simt::interpreter
