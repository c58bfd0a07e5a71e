#include "interpreter/decode/repeatable.hpp"

#include <algorithm>
#include <string_view>

#include "interpreter/schedule/special_registers.hpp"

namespace simt::interpreter {

namespace {

bool is_to_shared(const ptx::Instruction& instruction) {
    return std::ranges::any_of(instruction.modifiers, [](const std::string& modifier) { return modifier.starts_with("shared"); });
}

}  // namespace

bool is_repeatable(const ptx::Operand& operand) {
    if (operand.kind != ptx::Operand::Kind::special) return true;
    return !is_clock(operand.name) && operand.name != "%gridid" && operand.name != "%smid";
}

bool is_repeatable(const ptx::Instruction& instruction) {
    const std::string_view opcode = instruction.opcode;
    if (opcode == "atom" || opcode == "red") return is_to_shared(instruction);
    // Copies to shared memory are repeatable; `cp.async.bulk` and `cp.reduce` can also write to global memory.
    if (opcode == "cp") return instruction.has("async") && !instruction.has("bulk");
    if (opcode == "st") return !instruction.has("async") && !instruction.has("bulk");
    constexpr std::string_view others[] = {"sust", "sured", "wmma", "wgmma", "multimem", "mbarrier", "tensormap"};
    return std::ranges::find(others, opcode) == std::end(others);
}

}  // namespace simt::interpreter
