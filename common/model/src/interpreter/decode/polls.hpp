// Polls: loops in which a thread reads memory again and again until another thread has written the value it waits for. The number of
// reads is a matter of time, so no model can count it.
#pragma once

#include "interpreter/decode/flow.hpp"

namespace simt::interpreter {

/// For each instruction of a function, whether it is a poll: a load or an atomic operation in a loop, at an address that the loop does
/// not change, whose result decides whether the loop goes on. A load must read memory anew each time: it is `volatile`, `relaxed` or
/// `acquire`, or has a fence in the loop. Loops with a barrier of the block do not poll, since their threads wait at the barrier. A
/// `volatile`, `relaxed` or `acquire` load outside the loop, at the address of a poll, is the first poll.
ptx::Numbered<bool> find_polls(const ptx::Function& function, const Flow& flow);

/// For each instruction of a function, whether it is a guess: a load of the value that a compare-and-swap at the same address expects.
/// Another thread may change the value meanwhile; then the swap fails, and the thread tries again.
ptx::Numbered<bool> find_guesses(const ptx::Function& function);

}  // namespace simt::interpreter
