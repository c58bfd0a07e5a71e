#include "interpreter/decode/polls.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simt::interpreter {

namespace {

using ptx::Numbered;

using Registers = Numbered<bool>;

bool is_any(const ptx::Instruction& instruction, std::initializer_list<std::string_view> opcodes) {
    return std::ranges::find(opcodes, instruction.opcode) != opcodes.end();
}

bool is_strong(const ptx::Instruction& load) {
    return load.has("volatile") || load.has("relaxed") || load.has("acquire") || load.has("mmio");
}

bool is_same_address(const ptx::Operand& one, const ptx::Operand& other) {
    return one.base == other.base && one.scope == other.scope && one.index == other.index && one.integer == other.integer &&
           one.name == other.name;
}

/// The instructions of one loop, inner loops included.
class Loop {
public:
    Loop(const ptx::Function& function, const Flow& flow, int loop) : function_(function) {
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

    bool waits_at(std::size_t instruction) const {
        const ptx::Instruction& look = function_.instructions[instruction];
        if (has_barrier_ || !is_made_anew(look) || changes(look.operands.at(1))) return false;
        const Registers known = what_depends_on(look);
        return std::ranges::any_of(exits_, [&](int exit) { return known[exit]; });
    }

private:
    bool is_made_anew(const ptx::Instruction& look) const {
        if (look.opcode == "atom") return true;
        return look.opcode == "ld" && (has_fence_ || is_strong(look));
    }

    bool changes(const ptx::Operand& address) const {
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
    Registers what_depends_on(const ptx::Instruction& look) const {
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

    static bool takes(const ptx::Instruction& instruction, const Registers& known) {
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
void add_first_looks(const ptx::Function& function, Numbered<bool>& polls) {
    std::vector<std::size_t> loads;
    for (std::size_t i = 0; i < polls.size(); ++i)
        if (function.instructions[i].opcode == "ld" && is_strong(function.instructions[i])) loads.push_back(i);
    for (const std::size_t first : loads)
        polls[first] = polls[first] || std::ranges::any_of(loads, [&](std::size_t again) {
                           return polls[again] &&
                                  is_same_address(function.instructions[first].operands.at(1), function.instructions[again].operands.at(1));
                       });
}

/// The contents of a function's registers, as far as they follow from moves and sums.
class Values {
public:
    explicit Values(const ptx::Function& function) : group_(function.registers.size(), 0) {
        for (int i = 0; i < static_cast<int>(group_.size()); ++i) group_[i] = i;
        for (const ptx::Instruction& move : function.instructions)
            if (is_move(move) && is_register(move.operands[1])) group_[root(move.operands[0].index)] = root(move.operands[1].index);
        for (int i = 0; i < static_cast<int>(group_.size()); ++i) group_[i] = root(i);
        for (const ptx::Instruction& instruction : function.instructions) {
            if (results_of(instruction) == 0 || (is_move(instruction) && is_register(instruction.operands[1]))) continue;
            for_each_register(instruction.operands.front(), [&](int result) {
                const auto [known, is_new] = origins_.emplace(group_[result], &instruction);
                if (!is_new) known->second = nullptr;
            });
        }
    }

    /// Whether two registers hold the same value at some time, because one is moved to the other.
    bool are_one(const ptx::Operand& one, const ptx::Operand& other) const {
        return is_register(one) && is_register(other) && group_[one.index] == group_[other.index];
    }

    /// Text that is equal for two addresses if they are: a variable, a register, or the sum of such.
    std::string place_of(const ptx::Operand& address) const {
        const std::string base = address.base == ptx::Operand::Base::reg ? place_of_register(address.index, 0) : address.name;
        return base + "+" + std::to_string(address.integer);
    }

private:
    static bool is_register(const ptx::Operand& operand) { return operand.kind == ptx::Operand::Kind::reg; }
    static bool is_move(const ptx::Instruction& instruction) {
        return is_any(instruction, {"mov", "cvta"}) && instruction.operands.size() == 2 && is_register(instruction.operands[0]);
    }
    int root(int i) {
        while (group_[i] != i) i = group_[i] = group_[group_[i]];
        return i;
    }

    std::string place_of_register(int index, int depth) const {
        constexpr int deepest = 4;
        const auto origin = origins_.find(group_[index]);
        const ptx::Instruction* const from = origin == origins_.end() ? nullptr : origin->second;
        if (from && is_move(*from) && from->operands[1].kind == ptx::Operand::Kind::symbol && from->operands[1].integer == 0)
            return from->operands[1].name;
        if (from && depth < deepest && from->opcode == "add" && from->operands.size() == 3) {
            std::string sum;
            for (const ptx::Operand& part : std::span(from->operands).subspan(1))
                sum += (is_register(part) ? place_of_register(part.index, depth + 1) : std::to_string(part.integer)) + " ";
            return sum;
        }
        return "%" + std::to_string(group_[index]);
    }

    Numbered<int> group_;
    /// The instruction whose result a group of registers holds; null if there are several.
    std::map<int, const ptx::Instruction*> origins_;
};

}  // namespace

Numbered<bool> find_guesses(const ptx::Function& function) {
    Numbered<bool> guesses(function.instructions.size(), false);
    std::vector<const ptx::Instruction*> swaps;
    for (const ptx::Instruction& instruction : function.instructions)
        if (instruction.opcode == "atom" && instruction.has("cas") && instruction.operands.size() == 4) swaps.push_back(&instruction);
    if (swaps.empty()) return guesses;
    const Values values(function);
    for (std::size_t i = 0; i < guesses.size(); ++i) {
        const ptx::Instruction& load = function.instructions[i];
        guesses[i] = load.opcode == "ld" && load.operands.size() >= 2 && std::ranges::any_of(swaps, [&](const ptx::Instruction* swap) {
                         return values.are_one(load.operands[0], swap->operands[2]) &&
                                values.place_of(load.operands[1]) == values.place_of(swap->operands[1]);
                     });
    }
    return guesses;
}

Numbered<bool> find_polls(const ptx::Function& function, const Flow& flow) {
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
