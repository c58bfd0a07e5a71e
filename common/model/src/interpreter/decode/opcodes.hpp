// The table of opcodes (opcodes.def).
#pragma once

#include <span>
#include <string_view>

#include "interpreter/decode/instruction.hpp"
#include "ptx/module.hpp"

namespace simt::interpreter {

class Decoder;

/// One form of an opcode: exactly one of the members is set.
struct Form {
    Execute executes = nullptr;
    Semantics (*finds)(const ptx::Instruction& instruction) = nullptr;
    bool (*decodes)(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) = nullptr;
};

/// The forms of an opcode, in the order in which they are tried; none for an opcode that is not known.
std::span<const Form> forms_of(std::string_view opcode);

/// The meaning of a lane-wise instruction (PTX ISA); `execute` is null if it is not lane-wise or not known.
/// Handlers work on the lanes of `RegisterFile::active` alone, whatever the others hold.
Semantics find_lanewise(const ptx::Instruction& instruction);

/// Executes an instruction that has no visible result.
void do_nothing(Warp& warp, const DecodedInstruction& instruction);

/// Executes a fence or a prefetch. Both have no visible result and take time.
void take_time(Warp& warp, const DecodedInstruction& instruction);

/// Executes `ret`.
void return_from(Warp& warp, const DecodedInstruction& instruction);

}  // namespace simt::interpreter
