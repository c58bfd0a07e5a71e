#include "interpreter/decode/chains.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "device/address_space.hpp"
#include "interpreter/decode/flow.hpp"
#include "interpreter/memory/memory_access.hpp"

namespace simt::interpreter {

namespace {

using ptx::Operand;
using ptx::StateSpace;

bool is_among(std::string_view opcode, std::initializer_list<std::string_view> opcodes) {
    return std::ranges::find(opcodes, opcode) != opcodes.end();
}

template <class Visit> void for_each_source(const ptx::Instruction& instruction, Visit&& visit) {
    for (std::size_t n = results_of(instruction); n < instruction.operands.size(); ++n) for_each_register(instruction.operands[n], visit);
}

template <class Visit> void for_each_result(const ptx::Instruction& instruction, Visit&& visit) {
    if (results_of(instruction) == 0) return;
    // A first operand that is an address is read, for example by a prefetch.
    const Operand& first = instruction.operands.front();
    if (first.kind != Operand::Kind::address && first.kind != Operand::Kind::compound) for_each_register(first, visit);
}

/// Whether each part of the result depends on all sources. The machine code has a register for each half of 64 bits, and each half of a
/// bitwise result depends on the same halves alone.
bool passes_on(const ptx::Instruction& instruction) {
    if (std::ranges::any_of(instruction.operands, [](const Operand& each) { return each.kind == Operand::Kind::vector; })) return false;
    if (is_among(instruction.opcode, {"and", "or", "xor"})) {
        int sources = 0;
        for_each_source(instruction, [&](int) { ++sources; });
        return sources == 1 || (instruction.type() != ptx::Type::pred && ptx::bytes_of(instruction.type()) <= 4);
    }
    // A comparison that is joined with a predicate may be unneeded.
    if (instruction.opcode == "setp") return instruction.operands.size() == 3;
    return is_among(instruction.opcode, {"abs", "add", "brev", "clz", "cvt", "cvta", "div", "fma", "mad", "max", "min", "mov", "mul", "neg",
                                         "not", "rem", "shl", "shr", "sub"});
}

/// Whether an instruction accesses memory that ptxas cannot replace by registers.
bool accesses_memory(const ptx::Instruction& instruction) {
    if (!is_among(instruction.opcode, {"atom", "ld", "red", "st"})) return false;
    const StateSpace space = interpreter::space_of(instruction);
    return space == StateSpace::global || space == StateSpace::shared || space == StateSpace::generic;
}

/// A step with the places in the frame that it reads and writes.
struct Step {
    ChainStep step;
    StateSpace space = StateSpace::generic;
    AddressOperand address;
    std::vector<std::uint32_t> from, to;
};

ChainDepth& depth_at(Warp& warp, std::uint32_t place) { return *reinterpret_cast<ChainDepth*>(warp.registers + place); }

ChainDepth depth_of(Warp& warp, std::uint32_t place) { return place == no_operand ? ChainDepth{} : depth_at(warp, place); }

ChainDepth deeper(ChainDepth a, ChainDepth b) { return {std::max(a.loads, b.loads), std::max(a.shared_loads, b.shared_loads)}; }

ChainDepth shallower(ChainDepth a, ChainDepth b) { return {std::min(a.loads, b.loads), std::min(a.shared_loads, b.shared_loads)}; }

ChainDepth with_load(ChainDepth depth, StateSpace space) {
    if (space == StateSpace::global) return {depth.loads + 1, depth.shared_loads};
    if (space == StateSpace::shared) return {depth.loads, depth.shared_loads + 1};
    return {};
}

StateSpace space_of_address(std::uint64_t generic) {
    if (memory::is_shared(generic)) return StateSpace::shared;
    return memory::is_local(generic) || memory::is_parameter(generic) ? StateSpace::local : StateSpace::global;
}

void make_step(Warp& warp, const DecodedInstruction& instruction) {
    constexpr std::uint32_t followed = 1;
    if (!(warp.active & followed) || !warp.block->watch.is_watching()) return;
    const auto& [step, space, address, from, to] = details<Step>(instruction);
    ChainDepth depth;
    if (step == ChainStep::select) depth = deeper(shallower(depth_of(warp, from[0]), depth_of(warp, from[1])), depth_of(warp, from[2]));
    else
        for (const std::uint32_t place : from) depth = deeper(depth, depth_at(warp, place));
    if (step == ChainStep::load || step == ChainStep::need) {
        simt::Work& most = warp.block->work;
        most.loads_in_a_row = std::max<std::uint64_t>(most.loads_in_a_row, depth.loads);
        most.shared_loads_in_a_row = std::max<std::uint64_t>(most.shared_loads_in_a_row, depth.shared_loads);
    }
    if (step == ChainStep::load) {
        const auto offset = static_cast<std::uint64_t>(address.offset);
        depth = with_load(
            depth, space != StateSpace::generic ? space : space_of_address(lane_value(warp, address.base, 0, address.base_bytes) + offset));
    }
    for (const std::uint32_t place : to) depth_at(warp, place) = depth;
}

}  // namespace

Chains find_chains(const ptx::Function& function, const std::set<int>& uncertain) {
    const int count = function.instructions.count();
    Chains chains{ptx::Numbered<bool>(function.registers.size(), false),
                  ptx::Numbered<ChainStep>(function.instructions.size(), ChainStep::none)};
    for (int at = 0; at < count; ++at) {
        const ptx::Instruction& instruction = function.instructions[at];
        ChainStep& step = chains.steps[at];
        if (accesses_memory(instruction)) {
            if (!uncertain.contains(instruction.ptx_line)) step = results_of(instruction) ? ChainStep::load : ChainStep::need;
        } else if (instruction.opcode == "selp") {
            step = ChainStep::select;
        } else if (passes_on(instruction)) {
            step = ChainStep::pass_on;
        }
    }
    ptx::Numbered<bool> is_loaded(function.registers.size(), false), is_for_address(function.registers.size(), false);
    const auto mark = [](ptx::Numbered<bool>& marks, bool& is_new) {
        return [&](int number) {
            is_new |= !marks[number];
            marks[number] = true;
        };
    };
    const auto any = [](const ptx::Numbered<bool>& marks, bool& found) { return [&](int number) { found |= marks[number]; }; };
    bool waits = false;
    for (bool changed = true; changed;) {
        changed = false;
        for (int at = 0; at < count; ++at) {
            const ptx::Instruction& instruction = function.instructions[at];
            const bool loads = chains.steps[at] == ChainStep::load;
            bool passes = loads;
            if (chains.steps[at] == ChainStep::pass_on || chains.steps[at] == ChainStep::select)
                for_each_source(instruction, any(is_loaded, passes));
            if (passes) for_each_result(instruction, mark(is_loaded, changed));
            if (loads) for_each_source(instruction, any(is_loaded, waits));
        }
    }
    for (bool changed = waits; changed;) {
        changed = false;
        for (int at = count - 1; at >= 0; --at) {
            const ptx::Instruction& instruction = function.instructions[at];
            bool passes = chains.steps[at] == ChainStep::load;
            if (chains.steps[at] == ChainStep::pass_on || chains.steps[at] == ChainStep::select)
                for_each_result(instruction, any(is_for_address, passes));
            if (passes) for_each_source(instruction, mark(is_for_address, changed));
        }
    }
    for (int number = 0; number < chains.is_deep.count(); ++number) chains.is_deep[number] = is_loaded[number] && is_for_address[number];
    for (int at = 0; at < count; ++at) {
        const ptx::Instruction& instruction = function.instructions[at];
        ChainStep& step = chains.steps[at];
        bool reads = false, writes = false;
        for_each_source(instruction, any(chains.is_deep, reads));
        for_each_result(instruction, any(chains.is_deep, writes));
        const bool is_access = step == ChainStep::load || step == ChainStep::need;
        if (!writes && !(reads && is_access)) step = ChainStep::none;
        else if (step == ChainStep::none || (!reads && !is_access)) step = ChainStep::begin;
    }
    return chains;
}

DecodedInstruction chain_instruction(Decoder& decoder, const ptx::Instruction& instruction, ChainStep chain_step,
                                     const ptx::Numbered<std::uint32_t>& places) {
    Step step{.step = chain_step};
    const auto add_to = [&](std::vector<std::uint32_t>& list) {
        return [&](int number) {
            if (places[number] != no_operand) list.push_back(places[number]);
        };
    };
    for_each_result(instruction, add_to(step.to));
    if (chain_step == ChainStep::select) {
        for (std::size_t n = 1; n <= 3; ++n) {
            step.from.push_back(no_operand);
            for_each_register(instruction.operands.at(n), [&](int number) { step.from.back() = places[number]; });
        }
    } else if (chain_step != ChainStep::begin) {
        for_each_source(instruction, add_to(step.from));
    }
    if (chain_step == ChainStep::load) {
        step.space = interpreter::space_of(instruction);
        if (step.space == StateSpace::generic) step.address = decoder.address(instruction.operands.at(1), step.space);
    }
    DecodedInstruction out;
    decoder.keep(out, std::move(step));
    out.execute = make_step;
    out.in_team = InTeam::skips;
    return out;
}

}  // namespace simt::interpreter
