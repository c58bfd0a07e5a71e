// The control flow of a function: the places where lanes that diverge at a branch meet again.
//
// Lanes that stay in a loop do not wait for lanes that leave it: a branch inside a loop joins at its immediate post-dominator
// among the paths of one iteration that stay. A branch that leaves a loop joins after it. ptxas does the same: its instruction
// BREAK removes lanes that leave from the joins inside the loop.
#pragma once

#include "ptx/module.hpp"

namespace simt::interpreter {

struct Flow {
    /// For each instruction that is a branch: the index of the instruction at which its lanes meet again, or -1 where they do not
    /// before the end of the function. -1 for all others.
    ptx::Numbered<int> joins;
    /// The innermost loop that holds the join's region, for each branch; -1 for none.
    ptx::Numbered<int> join_loops;
    /// The innermost loop of each instruction, and of the place after the last one; -1 for none.
    ptx::Numbered<int> loops;
    /// The loop around each loop; -1 for none.
    ptx::Numbered<int> parents;
};

/// The number of operands that an instruction writes. They come first; a vector, or a pair `p|q`, counts as one.
std::size_t results_of(const ptx::Instruction& instruction);

Flow find_flow(const ptx::Function& function);

/// True if `inner` is the loop `outer` or lies in it. Loop -1 holds everything.
bool holds(const ptx::Numbered<int>& parents, int outer, int inner);

}  // namespace simt::interpreter
