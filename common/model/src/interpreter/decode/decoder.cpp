#include "interpreter/decode/decoder.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "device/device.hpp"
#include "device/round_up.hpp"
#include "interpreter/decode/flow.hpp"
#include "interpreter/decode/fusion.hpp"
#include "interpreter/decode/issued.hpp"
#include "interpreter/decode/opcodes.hpp"
#include "interpreter/decode/source_place.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

Decoder::Decoder(const LoadedModule& module, Program& program, int function)
    : module_(module),
      program_(program),
      text_(*module.functions[function].text),
      function_(*module.functions[function].function),
      code_(std::make_unique<Code>()) {
    code_->name = function_.name;
    code_->is_entry = function_.is_entry;
    code_->function = function;
}

std::unique_ptr<Code> Decoder::decode() {
    const FunctionFusion* const fusion = find_fusion(text_.fingerprint, function_.name);
    chains_ = find_chains(function_, fusion ? fusion->uncertain : std::set<int>{});
    lay_out_local_memory();
    lay_out_registers();
    refuse_branches_without_label();
    flow_ = find_flow(function_);
    code_->loop_parents = flow_.parents;
    polls_ = find_polls(function_, flow_);
    guesses_ = find_guesses(function_);
    issued_ = issued_by_blocks(function_);
    place_instructions();
    ptx::Numbered<bool> is_join(function_.instructions.size() + 1, false);
    for (const int join : flow_.joins)
        if (join >= 0) is_join[join] = true;
    for (current_ = 0; current_ < static_cast<int>(function_.instructions.size()); ++current_) {
        if (is_join[current_]) code_->instructions.push_back(join_instruction());
        if (const simt::Work& issued = issued_[current_]; issued.instructions > 0)
            keep(code_->instructions.emplace_back(tally_instruction()), issued);
        const ptx::Instruction& instruction = function_.instructions[current_];
        try {
            if (const ChainStep step = chains_.steps[current_]; step != ChainStep::none) {
                code_->instructions.push_back(chain_instruction(*this, instruction, step, depths_));
                add_guard(code_->instructions.back(), instruction);
            }
            code_->instructions.push_back(decode(instruction));
        } catch (const std::out_of_range&) {
            // Decoders look for the operands that the instruction should have.
            refuse(instruction, "operands");
        }
    }
    // A function may end without `ret`.
    DecodedInstruction last;
    last.execute = return_from;
    last.in_team = InTeam::ends;
    if (is_join.back()) code_->instructions.push_back(join_instruction());
    code_->instructions.push_back(last);
    code_->frame_bytes = code_->constants.size();
    return std::move(code_);
}

void Decoder::lay_out_local_memory() {
    std::uint64_t next = 0;
    const auto place = [&](const ptx::Variable& variable) {
        next = memory::round_up(next, std::max<std::uint64_t>(variable.alignment, 1));
        const LocalPlace at{next, variable.bytes};
        next += variable.bytes;
        return at;
    };
    if (!function_.is_entry) {
        for (const ptx::Variable& variable : function_.parameters) code_->parameters.push_back(place(variable));
        for (const ptx::Variable& variable : function_.returns) code_->returns.push_back(place(variable));
    }
    for (const ptx::Variable& variable : function_.variables) {
        const bool local = variable.space == ptx::StateSpace::local || variable.space == ptx::StateSpace::param;
        variables_.push_back(local ? place(variable) : LocalPlace{0, 0});
    }
    code_->local_bytes = memory::round_up(next, 16);
}

void Decoder::lay_out_registers() {
    // Offsets stay valid while constants are added behind the registers.
    for (const ptx::Register& reg : function_.registers) {
        const int bytes = bytes_in_register(reg.type);
        const std::size_t parts = reg.vector ? static_cast<std::size_t>(reg.vector) : 1;
        registers_.push_back(take(std::max<std::size_t>(static_cast<std::size_t>(bytes) * warp_size * parts, 4)));
    }
    code_->depths = code_->constants.size();
    for (const bool is_deep : chains_.is_deep) depths_.push_back(is_deep ? take(sizeof(ChainDepth)) : no_operand);
    code_->depth_bytes = code_->constants.size() - code_->depths;
}

void Decoder::place_instructions() {
    ptx::Numbered<bool> is_join(function_.instructions.size() + 1, false);
    for (const int join : flow_.joins)
        if (join >= 0) is_join[join] = true;
    std::uint32_t next = 0;
    for (std::size_t i = 0; i <= function_.instructions.size(); ++i) {
        // A branch to a place where lanes meet goes to the join instruction, one to a basic block to its tally, and others to the step of
        // a chain.
        positions_.push_back(next);
        next += is_join[i] ? 2 : 1;
        if (i == function_.instructions.size()) break;
        const int number = static_cast<int>(i);
        next += (issued_[number].instructions > 0) + (chains_.steps[number] != ChainStep::none);
    }
}

Branch Decoder::branch_to(int label_index) const {
    const int at = current_, target = function_.labels[label_index].instruction;
    Branch branch;
    branch.target = position(target);
    branch.join = flow_.joins[at] < 0 ? no_operand : position(flow_.joins[at]);
    branch.join_loop = flow_.join_loops[at];
    branch.target_loop = flow_.loops[target];
    branch.next_loop = flow_.loops[at + 1];
    branch.target_leaves = !holds(flow_.parents, flow_.loops[at], branch.target_loop);
    branch.next_leaves = !holds(flow_.parents, flow_.loops[at], branch.next_loop);
    return branch;
}

int Decoder::add_poll() {
    if (!polls_[current_]) return -1;
    program_.polls.push_back(source_place(text_, function_.instructions[current_].location));
    return static_cast<int>(program_.polls.size()) - 1;
}

int Decoder::add_inexact_divergence(const ptx::Instruction& instruction) {
    const FunctionFusion* fusion = find_fusion(text_.fingerprint, function_.name);
    if (!fusion) return -1;
    const auto found = fusion->branches.find(instruction.ptx_line);
    if (found == fusion->branches.end()) return -1;
    program_.inexact_divergences.push_back(found->second);
    return static_cast<int>(program_.inexact_divergences.size()) - 1;
}

std::uint32_t Decoder::next_program_counter(const ptx::Instruction& instruction) {
    module_.instruction_places.push_back({source_place(text_, instruction.location), code_->function});
    return static_cast<std::uint32_t>(module_.instruction_places.size() - 1);
}

void Decoder::add_guard(DecodedInstruction& out, const ptx::Instruction& instruction) const {
    if (instruction.guard < 0) return;
    out.guard = registers_[instruction.guard];
    if (instruction.guard_negated) out.negated |= 1u << 31;
}

DecodedInstruction Decoder::decode(const ptx::Instruction& instruction) {
    refuse_sinks_as_sources(instruction);
    DecodedInstruction out;
    add_guard(out, instruction);
    out.program_counter = next_program_counter(instruction);
    for (const Form& form : forms_of(instruction.opcode)) {
        if (form.executes) out.execute = form.executes;
        if (instruction.opcode == "ret" || instruction.opcode == "exit") out.in_team = InTeam::ends;
        if (form.executes || (form.decodes && form.decodes(*this, instruction, out))) return out;
        if (const Semantics semantics = form.finds ? form.finds(instruction) : Semantics{}; semantics.execute) {
            add_lanewise(instruction, semantics, out);
            return out;
        }
    }
    refuse(instruction);
}

void Decoder::add_lanewise(const ptx::Instruction& instruction, const Semantics& semantics, DecodedInstruction& out) {
    out.execute = semantics.execute;
    out.immediate = semantics.immediate;
    out.in_team = instruction.guard < 0 ? InTeam::at_once : InTeam::one_by_one;
    const auto add_one = [&](const ptx::Operand& operand) {
        const ptx::Type type = semantics.types[std::min<std::size_t>(out.operand_count, semantics.types.size() - 1)];
        if (operand.negated && type == ptx::Type::pred) negate(out, out.operand_count);
        add(out, operand, type);
    };
    for (const ptx::Operand& operand : instruction.operands) {
        if (operand.kind == ptx::Operand::Kind::vector)
            for (const ptx::Operand& element : operand.elements) add_one(element);
        else add_one(operand);
        for (const ptx::Operand& second : operand.second) add_one(second);
    }
}

Message Decoder::message_of(MessageCode code, const ptx::Instruction& instruction) const {
    std::string text = instruction.opcode;
    for (const std::string& modifier : instruction.modifiers) text += "." + modifier;
    Message message(code, {{"instruction", text}, {"kernel", program_.name}});
    if (const ptx::Location& location = instruction.location; location.file >= 0) {
        const std::filesystem::path file(text_.files[location.file]);
        message.fields.insert(message.fields.end(), {{"file", file.filename().string()}, {"line", location.line}});
    }
    return message;
}

void Decoder::refuse(const ptx::Instruction& instruction, const char* part) const {
    Message message = message_of(MessageCode::instruction_not_supported, instruction);
    if (part) message.fields.emplace_back("part", part);
    throw DeviceError(error_not_supported, std::move(message));
}

void Decoder::refuse(const ptx::Instruction& instruction, MessageCode code) const {
    throw DeviceError(error_not_supported, message_of(code, instruction));
}

void Decoder::refuse_callee(const ptx::Instruction& instruction, const std::string& callee) const {
    Message message = message_of(MessageCode::function_without_body, instruction);
    message.fields.emplace_back("callee", callee);
    throw DeviceError(error_not_supported, std::move(message));
}

}  // namespace simt::interpreter
