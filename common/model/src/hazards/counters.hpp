// Adds up the costs of a launch's accesses.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "simt/events.hpp"
#include "simt/hazard.hpp"
#include "simt/machine.hpp"
#include "simt/rules.hpp"

namespace simt::hazards {

/// Counts of some blocks of a launch, by program counter. Used by one host thread at a time.
class Counters {
public:
    Counters(const Machine& machine, std::uint32_t instructions) : machine_(machine), instructions_(instructions) {}

    void count(const WarpAccess& access, std::uint64_t block);
    void count_bulk_copy(std::uint32_t program_counter, std::uint64_t address, std::uint64_t bytes, std::uint64_t requests);
    void add(const Counters& other);

    /// Writes totals and lines.
    void write(LaunchCounts& counts, const std::function<SourcePlace(std::uint32_t)>& place_of) const;

#define SIMT_NUMBER(name) std::uint64_t name = 0;
#include "simt/counts.def"
    /// The work of the running block.
    Work work;

private:
    /// The access of an instruction that is drawn: the one with the most active lanes; among equals the one in the lowest block, then
    /// the first.
    struct Example {
        std::uint32_t active = 0;
        int size = 0;
        std::array<std::uint64_t, warp_size> offset{};
    };
    /// What an access to global memory costs in all.
    struct GlobalUse {
        GlobalCost cost{};
        int wavefronts = 0, partly_written_lines = 0;
    };
    /// The cost of an instruction's last access to global memory. If that was a load or store of evenly spaced addresses, the cost follows
    /// from the size, the step and the place of the first address in a line; otherwise the size is 0.
    struct LastGlobal {
        std::uint64_t place = 0, step = 0;
        int size = 0;
        GlobalUse use;
    };
    struct InstructionCounts {
        SharedCounts shared;
        GlobalCounts global;
        /// Lanes and block of the example.
        int example_lanes = 0;
        std::uint64_t example_block = 0;
        std::unique_ptr<Example> example;
        LastGlobal last_global;

        bool counted() const { return shared.instructions + global.requests > 0; }
    };

    /// Calls `visit` with the space, the operation, the number and the counts of each instruction that has counts.
    template <class Visit> void for_each_instruction(Visit&& visit) const;
    InstructionCounts& counts_of(Space space, std::uint32_t program_counter, Operation operation) {
        auto& counts = all_[static_cast<std::size_t>(space)][static_cast<std::size_t>(operation)];
        if (program_counter >= counts.size()) [[unlikely]]
            counts.resize(std::max(instructions_, program_counter + 1));
        return counts[program_counter];
    }
    /// Adds a shared-memory access to `counts`. If an atomic operation is a loop, its loads go to the loads of its instruction.
    void count_shared(SharedCounts& counts, const WarpAccess& access);
    void count_constant(SharedCounts& counts, const WarpAccess& access);
    void count_global(InstructionCounts& counts, const WarpAccess& access);
    void set_use(GlobalUse& use, const WarpAccess& access) const;
    static void keep_example(InstructionCounts& counts, const WarpAccess& access, std::uint64_t block);

    const Machine& machine_;
    std::uint32_t instructions_;
    /// By space, operation and instruction: one instruction may go to several spaces, through a generic address. Operations that an
    /// instruction never does have no counts.
    std::array<std::array<std::vector<InstructionCounts>, all_operations.size()>, all_spaces.size()> all_;
};

}  // namespace simt::hazards
