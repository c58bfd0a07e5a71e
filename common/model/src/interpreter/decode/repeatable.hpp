// Repeatable kernels: running one again on the same inputs has the same effect.
#pragma once

#include "ptx/module.hpp"

namespace simt::interpreter {

/// Whether an instruction writes to global memory by `st` alone, if at all, and does not order blocks. A call counts as repeatable;
/// the called function is examined too.
bool is_repeatable(const ptx::Instruction& instruction);
/// Whether an operand is neither a clock nor the number of the launch or of a multiprocessor.
bool is_repeatable(const ptx::Operand& operand);

}  // namespace simt::interpreter
