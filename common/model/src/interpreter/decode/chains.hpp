// Loads whose addresses come from the results of other loads: they wait for one another, and the lower bound on a launch's cycles has
// their latencies.
//
// The first lane of each warp is followed. A register that gets its value from a load, and from which the address of a load is computed,
// has a depth: the number of loads that came one after another before its value was known. On a GPU that number is at least as large:
//
// - An instruction whose result depends on all its sources passes on the greatest depth. Any other result has a depth of 0.
// - So has a value from memory that ptxas may keep in registers, or from an access that the machine code changes.
// - Loads count once a later access needs their result. ptxas leaves out loads that nothing needs.
// - Predicates and branches are not followed, except where a predicate selects a value.
#pragma once

#include <cstdint>
#include <set>

#include "interpreter/decode/instruction.hpp"

namespace simt::interpreter {

class Decoder;

/// The most loads that came one after another before a value was known, of global and of shared memory. They may be of two chains.
struct ChainDepth { std::uint32_t loads = 0, shared_loads = 0; };

/// The effect of an instruction on the depths of registers.
enum class ChainStep : std::uint8_t { none, begin, pass_on, select, load, need };

struct Chains {
    /// The registers that have a depth: none in a function whose loads do not wait for one another.
    ptx::Numbered<bool> is_deep;
    /// By instruction.
    ptx::Numbered<ChainStep> steps;
};

/// @param uncertain the lines of accesses that the machine code may change
Chains find_chains(const ptx::Function& function, const std::set<int>& uncertain);

/// Returns an instruction that makes the step of `instruction`, before it.
/// @param places the places of the registers' depths in the frame; no_operand for a register without one
DecodedInstruction chain_instruction(Decoder& decoder, const ptx::Instruction& instruction, ChainStep step,
                                     const ptx::Numbered<std::uint32_t>& places);

}  // namespace simt::interpreter
