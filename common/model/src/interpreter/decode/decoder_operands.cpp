// The lists of operands of decoded instructions.

#include <algorithm>

#include "device/device.hpp"
#include "interpreter/decode/decoder.hpp"

namespace simt::interpreter {

namespace {

bool has_sink(const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::sink || std::ranges::any_of(operand.elements, has_sink) ||
           std::ranges::any_of(operand.second, has_sink);
}

/// The first element of a vector that is no sink; null if there is none.
const ptx::Operand* first_element(const ptx::Operand& operand) {
    const auto is_sink = [](const ptx::Operand& element) { return element.kind == ptx::Operand::Kind::sink; };
    const auto found = std::ranges::find_if_not(operand.elements, is_sink);
    return operand.kind == ptx::Operand::Kind::vector && found != operand.elements.end() ? &*found : nullptr;
}

}  // namespace

int Decoder::register_bytes(const ptx::Operand& operand, ptx::Type type) const {
    if (const ptx::Operand* const first = first_element(operand)) return register_bytes(*first, type);
    if (operand.kind == ptx::Operand::Kind::reg) return bytes_in_register(function_.registers[operand.index].type);
    return bytes_in_register(type);
}

void Decoder::add(DecodedInstruction& instruction, std::uint32_t offset) {
    const std::size_t n = instruction.operand_count++;
    if (n < instruction.operand.size()) instruction.operand[n] = offset;
    if (n < instruction.operand.size()) return;
    if (n == instruction.operand.size()) code_->operand_lists.emplace_back(instruction.operand.begin(), instruction.operand.end());
    code_->operand_lists.back().push_back(offset);
    instruction.operands = code_->operand_lists.back().data();
}

void Decoder::add(DecodedInstruction& instruction, const ptx::Operand& operand, ptx::Type type) {
    const std::size_t n = instruction.operand_count;
    if (n < instruction.width.size()) instruction.width[n] = static_cast<std::uint8_t>(register_bytes(operand, type));
    add(instruction, slot(operand, type));
}

void Decoder::add_all(DecodedInstruction& instruction, const ptx::Operand& operand, ptx::Type type) {
    if (operand.kind != ptx::Operand::Kind::vector) {
        if (operand.negated) negate(instruction, instruction.operand_count);
        return add(instruction, slot(operand, type));
    }
    for (const ptx::Operand& element : operand.elements) {
        const bool are_registers = element.kind == ptx::Operand::Kind::reg && first_element(operand)->kind == ptx::Operand::Kind::reg;
        if (are_registers && register_bytes(element, type) != register_bytes(operand, type))
            throw DeviceError(error_invalid_ptx, {MessageCode::vector_of_several_sizes, {{"function", function_.name}}});
        add_all(instruction, element, type);
    }
}

void Decoder::refuse_branches_without_label() const {
    for (const ptx::Instruction& instruction : function_.instructions)
        if (instruction.opcode == "bra" && (instruction.operands.empty() || instruction.operands.front().kind != ptx::Operand::Kind::label))
            refuse(instruction, MessageCode::branch_without_label);
}

void Decoder::refuse_sinks_as_sources(const ptx::Instruction& instruction) const {
    for (std::size_t n = results_of(instruction); n < instruction.operands.size(); ++n)
        if (has_sink(instruction.operands[n])) refuse(instruction, MessageCode::sink_as_source);
}

}  // namespace simt::interpreter
