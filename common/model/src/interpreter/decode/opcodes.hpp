// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The table of opcodes (opcodes.def), and the declarations of the functions that it names.
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

#define EXECUTES(opcode, handler) void handler(Warp& warp, const DecodedInstruction& instruction);
#define LANEWISE(opcode, finder) Semantics finder(const ptx::Instruction& instruction);
#define DECODES(opcode, decoder_function) \
    bool decoder_function(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out);
#define TENSOR(opcode, decoder_function)                                                                   \
    namespace tensor {                                                                                     \
    bool decoder_function(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out); \
    }
#define TEXTURE(opcode, decoder_function)                                                                  \
    namespace texture {                                                                                    \
    bool decoder_function(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out); \
    }
#include "interpreter/decode/opcodes.def"
#undef EXECUTES
#undef LANEWISE
#undef DECODES
#undef TENSOR
#undef TEXTURE

}  // namespace simt::interpreter
