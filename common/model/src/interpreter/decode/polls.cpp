// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "interpreter/decode/polls.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace simt::interpreter {

namespace {

using ptx::Numbered;

using Registers = Numbered<bool>;

bool is_any(const ptx::Instruction& instruction, std::initializer_list<std::string_view> opcodes)
{
    return std::ranges::find(opcodes, instruction.opcode) != opcodes.end();
}

bool is_strong(const ptx::Instruction& load)
{
    return load.has("volatile") || load.has("relaxed") || load.has("acquire") || load.has("mmio");
}

bool is_same_address(const ptx::Operand& one, const ptx::Operand& other)
{
    return one.base == other.base && one.scope == other.scope && one.index == other.index && one.integer == other.integer &&
           one.name == other.name;
}

/// Calls `visit` with each register that an operand names.
template <class Visit> void for_each_register(const ptx::Operand& operand, Visit&& visit)
{
    if (operand.kind == ptx::Operand::Kind::reg || operand.base == ptx::Operand::Base::reg) visit(operand.index);
    for (const ptx::Operand& element : operand.elements) for_each_register(element, visit);
    for (const ptx::Operand& second : operand.second) for_each_register(second, visit);
}

/// The instructions of one loop, inner loops included.
class Loop {
public:
    Loop(const ptx::Function& function, const Flow& flow, int loop) : function_(function)
    {
        for (std::size_t i = 0; i < function.instructions.size(); ++i)
            if (holds(flow.parents, loop, flow.loops[i])) members_.push_back(i);
        for (const std::size_t i : members_) {
            const ptx::Instruction& instruction = function.instructions[i];
            has_fence_ |= is_any(instruction, {"fence", "membar"});
            has_barrier_ |= is_any(instruction, {"bar", "barrier"}) && !instruction.has("warp");
            if (instruction.opcode != "bra" || instruction.guard < 0) continue;
            const int target = function.labels[instruction.operands.at(0).index].instruction;
            const bool leaves = !holds(flow.parents, loop, flow.loops[target]) || !holds(flow.parents, loop, flow.loops[i + 1]);
            if (leaves) exits_.push_back(instruction.guard);
        }
    }

    bool waits_at(std::size_t instruction) const
    {
        const ptx::Instruction& look = function_.instructions[instruction];
        if (has_barrier_ || !is_made_anew(look) || changes(look.operands.at(1))) return false;
        const Registers known = what_depends_on(look);
        return std::ranges::any_of(exits_, [&](int exit) { return known[exit]; });
    }

private:
    bool is_made_anew(const ptx::Instruction& look) const
    {
        if (look.opcode == "atom") return true;
        return look.opcode == "ld" && (has_fence_ || is_strong(look));
    }

    bool changes(const ptx::Operand& address) const
    {
        bool any = false;
        for_each_register(address, [&](int base) {
            for (const std::size_t i : members_) {
                const ptx::Instruction& other = function_.instructions[i];
                if (results_of(other) > 0) for_each_register(other.operands.front(), [&](int result) { any |= result == base; });
            }
        });
        return any;
    }

    /// The registers whose values in the loop depend on the result of `look`.
    Registers what_depends_on(const ptx::Instruction& look) const
    {
        Registers known(function_.registers.size(), false);
        for_each_register(look.operands.front(), [&](int result) { known[result] = true; });
        for (bool is_new = true; is_new;) {
            is_new = false;
            for (const std::size_t i : members_) {
                const ptx::Instruction& other = function_.instructions[i];
                if (results_of(other) == 0 || !takes(other, known)) continue;
                for_each_register(other.operands.front(), [&](int result) {
                    is_new |= !known[result];
                    known[result] = true;
                });
            }
        }
        return known;
    }

    static bool takes(const ptx::Instruction& instruction, const Registers& known)
    {
        bool any = instruction.guard >= 0 && known[instruction.guard];
        for (std::size_t n = results_of(instruction); n < instruction.operands.size(); ++n)
            for_each_register(instruction.operands[n], [&](int source) { any |= known[source]; });
        return any;
    }

    const ptx::Function& function_;
    std::vector<std::size_t> members_;
    std::vector<int> exits_;
    bool has_fence_ = false, has_barrier_ = false;
};

/// Adds loads that precede a polling loop and read the same address.
void add_first_looks(const ptx::Function& function, Numbered<bool>& polls)
{
    std::vector<std::size_t> loads;
    for (std::size_t i = 0; i < polls.size(); ++i)
        if (function.instructions[i].opcode == "ld" && is_strong(function.instructions[i])) loads.push_back(i);
    for (const std::size_t first : loads)
        polls[first] = polls[first] || std::ranges::any_of(loads, [&](std::size_t again) {
                           return polls[again] &&
                                  is_same_address(function.instructions[first].operands.at(1), function.instructions[again].operands.at(1));
                       });
}

/// Registers that hold the same value at some time, because one is moved to the other: a number for each such group.
Numbered<int> groups_of(const ptx::Function& function)
{
    Numbered<int> group(function.registers.size(), 0);
    for (int i = 0; i < static_cast<int>(group.size()); ++i) group[i] = i;
    const auto root = [&](int i) {
        while (group[i] != i) i = group[i];
        return i;
    };
    for (const ptx::Instruction& move : function.instructions)
        if (is_any(move, {"mov", "cvta"}) && move.operands.size() == 2 && move.operands[0].kind == ptx::Operand::Kind::reg &&
            move.operands[1].kind == ptx::Operand::Kind::reg)
            group[root(move.operands[0].index)] = root(move.operands[1].index);
    for (int i = 0; i < static_cast<int>(group.size()); ++i) group[i] = root(i);
    return group;
}

}  // namespace

Numbered<bool> find_guesses(const ptx::Function& function)
{
    Numbered<bool> guesses(function.instructions.size(), false);
    std::vector<const ptx::Instruction*> swaps;
    for (const ptx::Instruction& instruction : function.instructions)
        if (instruction.opcode == "atom" && instruction.has("cas") && instruction.operands.size() == 4) swaps.push_back(&instruction);
    if (swaps.empty()) return guesses;
    const Numbered<int> group = groups_of(function);
    std::map<int, std::string_view> symbols;
    for (const ptx::Instruction& move : function.instructions)
        if (move.opcode == "mov" && move.operands.size() == 2 && move.operands[0].kind == ptx::Operand::Kind::reg &&
            move.operands[1].kind == ptx::Operand::Kind::symbol && move.operands[1].integer == 0)
            symbols.emplace(group[move.operands[0].index], move.operands[1].name);
    const auto is_one_value = [&](const ptx::Operand& one, const ptx::Operand& other) {
        return one.kind == ptx::Operand::Kind::reg && other.kind == ptx::Operand::Kind::reg && group[one.index] == group[other.index];
    };
    // The base of an address, which a register may hold.
    const auto base_of = [&](const ptx::Operand& address) -> std::pair<int, std::string_view> {
        if (address.base != ptx::Operand::Base::reg) return {-1, address.name};
        const auto symbol = symbols.find(group[address.index]);
        return symbol == symbols.end() ? std::pair{group[address.index], std::string_view()} : std::pair{-1, symbol->second};
    };
    const auto is_one_address = [&](const ptx::Operand& one, const ptx::Operand& other) {
        return base_of(one) == base_of(other) && one.integer == other.integer;
    };
    for (std::size_t i = 0; i < guesses.size(); ++i) {
        const ptx::Instruction& load = function.instructions[i];
        guesses[i] = load.opcode == "ld" && load.operands.size() >= 2 && std::ranges::any_of(swaps, [&](const ptx::Instruction* swap) {
                         return is_one_value(load.operands[0], swap->operands[2]) && is_one_address(load.operands[1], swap->operands[1]);
                     });
    }
    return guesses;
}

Numbered<bool> find_polls(const ptx::Function& function, const Flow& flow)
{
    Numbered<bool> polls(function.instructions.size(), false);
    for (int number = 0; number < static_cast<int>(flow.parents.size()); ++number) {
        const Loop loop(function, flow, number);
        for (std::size_t i = 0; i < polls.size(); ++i)
            if (flow.loops[i] == number && is_any(function.instructions[i], {"ld", "atom"}) && loop.waits_at(i)) polls[i] = true;
    }
    add_first_looks(function, polls);
    return polls;
}

}  // namespace simt::interpreter
