// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// From a function of PTX to one that can be executed: every operand gets its place in the frame.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interpreter/decode/opcodes.hpp"
#include "interpreter/decode/polls.hpp"
#include "interpreter/schedule/warp.hpp"

namespace simt::interpreter {

/// CUDA_ERROR_INVALID_PTX.
inline constexpr int error_invalid_ptx = 218;

/// An address operand: a register with the base, and an offset.
struct AddressOperand {
    std::uint32_t base = no_operand;
    /// Bytes of the base register: 4 or 8.
    int base_bytes = 8;
    std::int64_t offset = 0;
    /// The variable that the text names, if it names one of the function's own parameters or `.param` variables: then
    /// `offset` is a place in the frame's local memory, and `base` is no operand.
    bool in_frame = false;
};

/// Bytes that a lane's value takes in a register of this type; 0 for predicates.
inline int bytes_in_register(ptx::Type type) { return type == ptx::Type::pred ? 0 : std::max(ptx::bytes_of(type), 1); }

/// Decodes one function of a program.
class Decoder {
public:
    Decoder(const Module& module, Program& program, int function);

    /// @throws DeviceError
    std::unique_ptr<Code> decode();

    /// @name For the functions of opcodes.def
    /// @{
    const ptx::Module& text() const { return text_; }
    const ptx::Function& function() const { return function_; }
    Program& program() { return program_; }
    Code& code() { return *code_; }
    /// The register of a scalar operand that is read or written as a `type`: a constant becomes a register with that value.
    std::uint32_t slot(const ptx::Operand& operand, ptx::Type type);
    /// Where a register that an operand names is.
    std::uint32_t register_place(const ptx::Operand& operand) const;
    /// A register with the same value in all lanes.
    std::uint32_t constant(std::uint64_t bits, int bytes);
    /// Bytes that a lane's value takes in the register of `operand`; those of `type` if it is a constant.
    int register_bytes(const ptx::Operand& operand, ptx::Type type) const;
    AddressOperand address(const ptx::Operand& operand, ptx::Space space);
    /// Adds an operand to `instruction`.
    void add(Instruction& instruction, std::uint32_t offset);
    /// Adds a scalar operand that is read or written as a `type`, and notes the width of its register.
    void add(Instruction& instruction, const ptx::Operand& operand, ptx::Type type);
    /// Adds every element of a vector, or a scalar.
    void add_all(Instruction& instruction, const ptx::Operand& operand, ptx::Type type);
    /// Notes that operand `n` is a predicate that is read negated.
    static void negate(Instruction& instruction, int n) { instruction.negated |= 1u << n; }
    /// Keeps data for a handler and puts its address into `instruction.immediate`.
    template <class Details> Details& keep(Instruction& instruction, Details details)
    {
        auto kept = std::make_shared<Details>(std::move(details));
        instruction.immediate = reinterpret_cast<std::uint64_t>(kept.get());
        code_->details.push_back(kept);
        return *kept;
    }
    /// The index that an instruction of the text has in the decoded function.
    std::uint32_t position(int instruction) const { return positions_[instruction]; }
    /// The branch that decodes now, to a label of the function.
    Branch branch_to(int label_index) const;
    int current() const { return current_; }
    /// The number of the load or atomic operation that decodes now among the program's looks at what others write (polls.hpp); -1 if it is none.
    int add_poll();
    /// The number of a branch among the program's, at which lanes of a warp that diverge make a launch inexact (fusion.hpp); -1 if
    /// it is none.
    int add_inexact_divergence(const ptx::Instruction& instruction);
    std::uint32_t label(const ptx::Operand& operand) const;
    LocalPlace local_place(const ptx::Operand& variable) const;
    /// The number of a function with a body; -1 if there is none.
    int number_of_function(const std::string& name) const { return module_.find_function(text_, name); }
    /// @param part of the instruction, such as "registers", that is not supported; else the whole is not
    [[noreturn]] void refuse(const ptx::Instruction& instruction, const char* part = nullptr) const;
    /// @param code of a message on an instruction
    [[noreturn]] void refuse(const ptx::Instruction& instruction, MessageCode code) const;
    /// Refuses a call of a function that is defined nowhere.
    [[noreturn]] void refuse_callee(const ptx::Instruction& instruction, const std::string& callee) const;
    /// @}

private:
    void lay_out_registers();
    void lay_out_local_memory();
    void place_instructions();
    Instruction decode(const ptx::Instruction& instruction);
    void refuse_sinks_as_sources(const ptx::Instruction& instruction) const;
    Message message_of(MessageCode code, const ptx::Instruction& instruction) const;
    void refuse_branches_without_label() const;
    void add_lanewise(const ptx::Instruction& instruction, const Semantics& semantics, Instruction& out);
    std::uint32_t next_program_counter(const ptx::Instruction& instruction);
    std::uint64_t symbol_value(const ptx::Operand& operand, int bytes);
    std::uint32_t special(const std::string& name, int bytes);
    /// A register for results that nobody reads, of any type.
    std::uint32_t scratch();
    std::uint32_t local_address(std::uint64_t variable, int bytes, bool generic);
    std::uint32_t take(std::size_t bytes);
    /// A register whose values have `bytes` bytes; 0 for a predicate.
    std::uint32_t take_lanes(int bytes);
    std::uint64_t constant_bits(const ptx::Operand& operand, ptx::Type type, int bytes);

    const Module& module_;
    Program& program_;
    const ptx::Module& text_;
    const ptx::Function& function_;
    std::unique_ptr<Code> code_;
    ptx::Numbered<std::uint32_t> registers_;
    std::vector<LocalPlace> variables_;
    std::unordered_map<std::string, std::uint32_t> specials_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> constants_[17];
    Flow flow_;
    ptx::Numbered<bool> polls_;
    std::uint32_t scratch_ = no_operand;
    ptx::Numbered<std::uint32_t> positions_;
    int current_ = 0;
    std::size_t constants_end_ = 0;
    bool constants_closed_ = false;
};

/// The instruction that stands at a place where lanes meet again.
Instruction join_instruction();

}  // namespace simt::interpreter
