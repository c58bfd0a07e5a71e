// The arithmetic that takes at least one instruction of the machine for each of the text, for the lower bound on a launch's cycles.
#pragma once

#include "ptx/module.hpp"
#include "simt/counts.hpp"

namespace simt::interpreter {

/// The instructions that each basic block issues, by the index of the block's first instruction. Other indices have nothing.
///
/// Only those count that ptxas neither leaves out nor joins with another one of these: fused multiply-adds, sums and differences of
/// floating-point numbers, products of matrices, exchanges between lanes, and approximate functions of single precision. A product may
/// become a part of a sum: it counts if only fused multiply-adds take it, one of them in its own block. One instruction of the machine may
/// add three integers or compute an address, so these are not counted. Operations on scalars of half precision, which one instruction can
/// do in pairs, and instructions under a predicate are not counted either.
ptx::Numbered<simt::Work> issued_by_blocks(const ptx::Function& function);

}  // namespace simt::interpreter
