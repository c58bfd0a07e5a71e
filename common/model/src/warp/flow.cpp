// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Immediate post-dominators by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001), on the
// reversed control flow of the basic blocks with one virtual exit.

#include "warp/flow.hpp"

#include <algorithm>

namespace simt::warp {

namespace {

bool is_branch(const ptx::Instruction& i) { return i.opcode == "bra" || i.opcode == "brx"; }

bool ends_thread(const ptx::Instruction& i) { return i.opcode == "ret" || i.opcode == "exit" || i.opcode == "trap"; }

/// The basic blocks of a function. Block number `count` is the virtual exit.
class Blocks {
public:
    explicit Blocks(const ptx::Function& function) : function_(function)
    {
        const std::size_t size = function.instructions.size();
        std::vector<bool> starts(size + 1, false);
        starts[0] = true;
        for (const ptx::Label& label : function.labels) starts[static_cast<std::size_t>(label.instruction)] = true;
        for (std::size_t i = 0; i < size; ++i)
            if (is_branch(function.instructions[i]) || ends_thread(function.instructions[i])) starts[i + 1] = true;
        block_of_.resize(size + 1);
        for (std::size_t i = 0; i < size; ++i) {
            if (starts[i]) first_.push_back(static_cast<int>(i));
            block_of_[i] = static_cast<int>(first_.size()) - 1;
        }
        block_of_[size] = count();
        successors_.resize(first_.size());
        for (int block = 0; block < count(); ++block) find_successors(block);
    }

    int count() const { return static_cast<int>(first_.size()); }
    int block_of(int instruction) const { return block_of_[static_cast<std::size_t>(instruction)]; }
    int first(int block) const { return first_[static_cast<std::size_t>(block)]; }
    const std::vector<int>& successors(int block) const { return successors_[static_cast<std::size_t>(block)]; }

private:
    int end_of(int block) const
    {
        return block + 1 < count() ? first_[static_cast<std::size_t>(block) + 1] : static_cast<int>(function_.instructions.size());
    }

    void find_successors(int block)
    {
        std::vector<int>& to = successors_[static_cast<std::size_t>(block)];
        const ptx::Instruction& last = function_.instructions[static_cast<std::size_t>(end_of(block)) - 1];
        const bool conditional = last.guard >= 0;
        const auto add_label = [&](int label) { to.push_back(block_of(function_.labels[static_cast<std::size_t>(label)].instruction)); };
        if (last.opcode == "bra") {
            add_label(last.operands.at(0).index);
        } else if (last.opcode == "brx") {
            for (const ptx::Targets& targets : function_.targets)
                if (targets.name == last.operands.at(1).name)
                    for (const int label : targets.labels) add_label(label);
        } else if (ends_thread(last)) {
            to.push_back(count());
        }
        if (conditional || !(is_branch(last) || ends_thread(last))) to.push_back(block_of(end_of(block)));
        std::ranges::sort(to);
        to.erase(std::ranges::unique(to).begin(), to.end());
    }

    const ptx::Function& function_;
    std::vector<int> first_, block_of_;
    std::vector<std::vector<int>> successors_;
};

/// Blocks in reverse post-order of the reversed flow: the virtual exit first.
std::vector<int> order_from_exit(const Blocks& blocks)
{
    std::vector<std::vector<int>> predecessors(static_cast<std::size_t>(blocks.count()) + 1);
    for (int block = 0; block < blocks.count(); ++block)
        for (const int next : blocks.successors(block)) predecessors[static_cast<std::size_t>(next)].push_back(block);
    std::vector<int> order;
    std::vector<bool> seen(predecessors.size(), false);
    std::vector<std::pair<int, std::size_t>> open{{blocks.count(), 0}};
    seen[static_cast<std::size_t>(blocks.count())] = true;
    while (!open.empty()) {
        auto& [block, next] = open.back();
        const auto& from = predecessors[static_cast<std::size_t>(block)];
        if (next == from.size()) {
            order.push_back(block);
            open.pop_back();
            continue;
        }
        const int candidate = from[next++];
        if (seen[static_cast<std::size_t>(candidate)]) continue;
        seen[static_cast<std::size_t>(candidate)] = true;
        open.emplace_back(candidate, 0);
    }
    std::ranges::reverse(order);
    return order;
}

/// The immediate post-dominator of each block; -1 for one from which the end cannot be reached.
std::vector<int> immediate_post_dominators(const Blocks& blocks)
{
    const std::vector<int> order = order_from_exit(blocks);
    std::vector<int> position(static_cast<std::size_t>(blocks.count()) + 1, -1), dominator(position.size(), -1);
    for (std::size_t i = 0; i < order.size(); ++i) position[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    const auto meet = [&](int a, int b) {
        while (a != b) {
            while (position[static_cast<std::size_t>(a)] > position[static_cast<std::size_t>(b)]) a = dominator[static_cast<std::size_t>(a)];
            while (position[static_cast<std::size_t>(b)] > position[static_cast<std::size_t>(a)]) b = dominator[static_cast<std::size_t>(b)];
        }
        return a;
    };
    dominator[static_cast<std::size_t>(blocks.count())] = blocks.count();
    for (bool changed = true; changed;) {
        changed = false;
        for (const int block : order) {
            if (block == blocks.count()) continue;
            int found = -1;
            for (const int next : blocks.successors(block))
                if (dominator[static_cast<std::size_t>(next)] >= 0) found = found < 0 ? next : meet(found, next);
            if (found == dominator[static_cast<std::size_t>(block)]) continue;
            dominator[static_cast<std::size_t>(block)] = found;
            changed = true;
        }
    }
    return dominator;
}

}  // namespace

std::vector<int> find_joins(const ptx::Function& function)
{
    std::vector<int> joins(function.instructions.size(), -1);
    if (function.instructions.empty()) return joins;
    const Blocks blocks(function);
    const std::vector<int> dominators = immediate_post_dominators(blocks);
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        if (!is_branch(function.instructions[i])) continue;
        const int join = dominators[static_cast<std::size_t>(blocks.block_of(static_cast<int>(i)))];
        if (join >= 0 && join < blocks.count()) joins[i] = blocks.first(join);
    }
    return joins;
}

}  // namespace simt::warp
