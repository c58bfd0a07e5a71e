// Warps of a block that go through a kernel together, where nobody watches the order of their accesses.
//
// A team executes each instruction for all of its warps that are at that place before the next one, which saves most of the time that it
// takes to come to an instruction, and passes barriers of the block for nothing. Where its warps or their lanes part at a branch, those
// that are at the lowest place run until they reach the others. All warps leave before an instruction whose effect could depend on their
// order: atomic operations, looks at what others write, accesses that are hazards. Then each of them runs to the next barrier alone, in
// their order. So a program without races has the same results with teams as without, and the same messages.
#pragma once

#include <cstdint>

#include "interpreter/decode/instruction.hpp"

namespace simt::interpreter {

struct Block;
struct Warp;

class Team {
public:
    explicit Team(Block& block) : block_(block) {}

    /// Runs the block's warps together, if they are at one place. Afterwards they have come to a barrier, have ended, or are ready to go
    /// on alone. Returns whether they ran.
    bool run();
    /// Whether the last run ended for no other reason than that it took long.
    bool took_long() const { return rounds_left_ == 0; }

private:
    /// Bit n stands for warp n.
    using Warps = std::uint32_t;

    bool gather();
    /// Chooses the warps that run next, and their place. Returns false if there are none.
    bool find_group();
    /// Lets the warps at a barrier go on if all of the block are there. Returns whether they do.
    bool pass_barrier();
    /// Adds the warps at the group's place to it.
    void meet_others();
    void link() const;
    /// Lets the group's warps be chosen anew.
    void regroup();
    void run_group();
    void execute_each(const DecodedInstruction& instruction);
    /// Lets the group leave: the warps before one that has declined the last instruction are behind it, and the others before it.
    void leave_declined();
    void branch(const DecodedInstruction& instruction);
    void meet();
    void wait();
    void end(const DecodedInstruction& instruction);
    /// Lets a warp of the group whose running split has ended go on with its next one.
    void go_on(Warp& warp);
    void note_parted(const Warp& warp);
    /// Lets warps go on alone at the place `at`, later.
    void leave(Warps warps, std::uint32_t at);

    Block& block_;
    const DecodedInstruction* code_ = nullptr;
    /// The warps that run, and the place of their next instruction.
    Warps group_ = 0;
    std::uint32_t pc_ = 0;
    /// The warps that have another place, Warp::pc, and the lowest such place.
    Warps others_ = 0;
    std::uint32_t next_pc_ = no_operand;
    /// The warps at a barrier of the block, which is before Warp::pc.
    Warps waiting_ = 0;
    /// Warps of which some lanes wait at a join.
    Warps parted_ = 0;
    /// Backward branches until all warps leave.
    int rounds_left_ = 0;
};

}  // namespace simt::interpreter
