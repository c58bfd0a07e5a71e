// Decodes a function of PTX for execution: every operand gets its place in the frame.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interpreter/decode/chains.hpp"
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
    /// Whether the text names one of the function's own parameters or `.param` variables: `offset` is then a place in the frame's
    /// local memory, and there is no `base`.
    bool in_frame = false;
    /// In that case, the place in the variable where the access begins, and the variable's bytes.
    std::int64_t in_place = 0;
    std::uint64_t place_bytes = 0;
};

/// Bytes that a lane's value takes in a register of this type; 0 for predicates.
inline int bytes_in_register(ptx::Type type) { return type == ptx::Type::pred ? 0 : std::max(ptx::bytes_of(type), 1); }

/// Decodes one function of a program.
class Decoder {
public:
    Decoder(const LoadedModule& module, Program& program, int function);

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
    /// The place of the register that an operand names.
    std::uint32_t register_place(const ptx::Operand& operand) const;
    /// A register with the same value in all lanes.
    std::uint32_t constant(std::uint64_t bits, int bytes);
    /// Bytes that a lane's value takes in the register of `operand`; those of `type` if it is a constant.
    int register_bytes(const ptx::Operand& operand, ptx::Type type) const;
    AddressOperand address(const ptx::Operand& operand, ptx::StateSpace space);
    /// Adds an operand to `instruction`.
    void add(DecodedInstruction& instruction, std::uint32_t offset);
    /// Adds a scalar operand that is read or written as a `type`, and notes the width of its register.
    void add(DecodedInstruction& instruction, const ptx::Operand& operand, ptx::Type type);
    /// Adds every element of a vector, or a scalar.
    void add_all(DecodedInstruction& instruction, const ptx::Operand& operand, ptx::Type type);
    /// Notes that operand `n` is a predicate that is read negated.
    static void negate(DecodedInstruction& instruction, int n) { instruction.negated |= 1u << n; }
    /// Keeps data for a handler and puts its address into `instruction.immediate`.
    template <class Details> Details& keep(DecodedInstruction& instruction, Details details) {
        auto kept = std::make_shared<Details>(std::move(details));
        instruction.immediate = reinterpret_cast<std::uint64_t>(kept.get());
        code_->details.push_back(kept);
        return *kept;
    }
    /// The index that an instruction of the text has in the decoded function.
    std::uint32_t position(int instruction) const { return positions_[instruction]; }
    /// The branch that is being decoded, to a label of the function.
    Branch branch_to(int label_index) const;
    int current() const { return current_; }
    /// The number of the current load or atomic operation among the program's polls (polls.hpp); -1 if it is not a poll.
    int add_poll();
    /// Whether the current load is the guess of a compare-and-swap (polls.hpp).
    bool is_guess() const { return guesses_[current_]; }
    /// The number of a branch among those at which diverging lanes make a launch inexact (fusion.hpp); -1 if it is not one.
    int add_inexact_divergence(const ptx::Instruction& instruction);
    std::uint32_t label(const ptx::Operand& operand) const;
    LocalPlace local_place(const ptx::Operand& variable) const;
    /// The number of a function with a body; -1 if there is none.
    int number_of_function(const std::string& name) const { return module_.find_function(text_, name); }
    /// @param part the unsupported part of the instruction, such as "registers"; null if the whole instruction is not supported
    [[noreturn]] void refuse(const ptx::Instruction& instruction, const char* part = nullptr) const;
    /// @param code the message about the instruction
    [[noreturn]] void refuse(const ptx::Instruction& instruction, MessageCode code) const;
    /// Refuses a call of a function without a definition.
    [[noreturn]] void refuse_callee(const ptx::Instruction& instruction, const std::string& callee) const;
    /// @}

private:
    void lay_out_registers();
    void lay_out_local_memory();
    void place_instructions();
    DecodedInstruction decode(const ptx::Instruction& instruction);
    void add_guard(DecodedInstruction& out, const ptx::Instruction& instruction) const;
    void refuse_sinks_as_sources(const ptx::Instruction& instruction) const;
    Message message_of(MessageCode code, const ptx::Instruction& instruction) const;
    void refuse_branches_without_label() const;
    void add_lanewise(const ptx::Instruction& instruction, const Semantics& semantics, DecodedInstruction& out);
    std::uint32_t next_program_counter(const ptx::Instruction& instruction);
    std::uint64_t symbol_value(const ptx::Operand& operand, int bytes);
    std::uint32_t special(const std::string& name, int bytes);
    /// A register for results that are never read, of any type.
    std::uint32_t scratch();
    std::uint32_t local_address(std::uint64_t variable, int bytes, bool generic);
    std::uint32_t take(std::size_t bytes);
    /// A register whose values have `bytes` bytes; 0 for a predicate.
    std::uint32_t take_lanes(int bytes);
    std::uint64_t constant_bits(const ptx::Operand& operand, ptx::Type type, int bytes);

    const LoadedModule& module_;
    Program& program_;
    const ptx::Module& text_;
    const ptx::Function& function_;
    std::unique_ptr<Code> code_;
    ptx::Numbered<std::uint32_t> registers_;
    std::vector<LocalPlace> variables_;
    std::unordered_map<std::string, std::uint32_t> specials_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> constants_[17];
    Flow flow_;
    ptx::Numbered<bool> polls_, guesses_;
    std::uint32_t scratch_ = no_operand;
    ptx::Numbered<std::uint32_t> positions_;
    ptx::Numbered<simt::Work> issued_;
    Chains chains_;
    /// The places of the registers' depths (chains.hpp); no_operand for those without one.
    ptx::Numbered<std::uint32_t> depths_;
    int current_ = 0;
};

/// The instruction at a place where lanes meet again.
DecodedInstruction join_instruction();

/// An instruction that adds a basic block's issued instructions, which are kept with it, to its warp's work.
DecodedInstruction tally_instruction();

/// The decoder of an instruction, as a row of opcodes.def names it, by a function that decodes several and takes one more argument.
#define SIMT_DECODER(name, decodes, argument)                                                   \
    bool name(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) { \
        decodes(decoder, instruction, out, argument);                                           \
        return true;                                                                            \
    }

}  // namespace simt::interpreter
