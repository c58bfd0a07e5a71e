// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// A decoded instruction, and the registers of a warp that it works on.
///
/// A register of type T is an array of 32 values of T, one a lane, lanes next to one another; a predicate register is a
/// mask of 32 bits, bit i for lane i. Constants are registers too, with one value in all lanes: so every operand is
/// the offset of a register in the warp's register file, and an instruction is a loop over lanes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "ptx/module.hpp"

namespace simt::interpreter {

inline constexpr int lanes_of_warp = 32;
inline constexpr std::uint32_t all_lanes = ~std::uint32_t{0};
/// Where an optional operand is not there.
inline constexpr std::uint32_t no_operand = ~std::uint32_t{0};

struct Warp;
struct Instruction;

/// What an instruction does to a warp whose `active` lanes execute it.
using Execute = void (*)(Warp&, const Instruction&);

/// The registers of a warp, and what arithmetic needs to know of it. The scheduler adds to it (warp.hpp).
struct RegisterFile {
    /// The register file; operands are offsets into it. Aligned to 64 bytes.
    unsigned char* registers = nullptr;
    /// Lanes that execute the current instruction: never 0.
    std::uint32_t active = 0;
    /// CC.CF, the carry flag of each lane.
    std::uint32_t carry = 0;
};

/// A decoded instruction.
struct Instruction {
    Execute execute = nullptr;
    /// Offsets of operands into the register file, destinations first, in the order of the PTX text. A vector operand's
    /// elements follow one another. A sink `_` is a register that nobody reads.
    std::array<std::uint32_t, 6> operand{};
    /// The same list, whole, where it has more than six.
    const std::uint32_t* operands = nullptr;
    /// Guard predicate: offset of its register, or `no_operand`.
    std::uint32_t guard = no_operand;
    /// Bit i is set where operand i is a predicate that is read negated; bit 31: the guard is.
    std::uint32_t negated = 0;
    /// What the handler was told by its finder (Semantics::immediate).
    std::uint64_t immediate = 0;
    /// Bytes that a lane's value takes in the register of operand 0, 1, 2, 3: a `cvt`, a load or a store may name
    /// registers that are wider than its types.
    std::array<std::uint8_t, 4> width{};
    std::uint8_t operand_count = 0;
    /// The instruction's number in its module, under which its accesses are reported.
    std::uint32_t program_counter = 0;

    std::uint32_t operand_at(std::size_t n) const { return n < operand.size() ? operand[n] : operands[n]; }
};

/// What an instruction of PTX means: how it executes and what its operands are.
struct Semantics {
    Execute execute = nullptr;
    /// Type of each operand, destinations first, in the order of Instruction::operand: constants are made in it. An
    /// instruction with more operands than this repeats the last.
    std::array<ptx::Type, 8> types{};
    std::uint64_t immediate = 0;
};

template <class T> inline T* values(RegisterFile& warp, std::uint32_t offset)
{
    return std::assume_aligned<sizeof(T) < 4 ? 4 : 32>(reinterpret_cast<T*>(warp.registers + offset));
}

inline std::uint32_t& predicate(RegisterFile& warp, std::uint32_t offset)
{
    return *reinterpret_cast<std::uint32_t*>(warp.registers + offset);
}

/// The predicate that operand `n` reads, negated where the text says so.
inline std::uint32_t read_predicate(RegisterFile& warp, const Instruction& instruction, int n)
{
    const std::uint32_t value = predicate(warp, instruction.operand[static_cast<std::size_t>(n)]);
    return instruction.negated >> n & 1 ? ~value : value;
}

/// Writes a predicate in the active lanes alone.
inline void write_predicate(RegisterFile& warp, std::uint32_t offset, std::uint32_t value)
{
    std::uint32_t& old = predicate(warp, offset);
    old = (old & ~warp.active) | (value & warp.active);
}

}  // namespace simt::interpreter
