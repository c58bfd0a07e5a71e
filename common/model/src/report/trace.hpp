// The listener that writes down single accesses, for pictures.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simt/events.hpp"
#include "simt/hazard.hpp"
#include "simt/machine.hpp"

namespace simt::report {

/// Keeps the first accesses of each warp and each instruction in the first blocks of each launch.
class Trace : public Listener {
public:
    /// The number of blocks of a launch, and of accesses of a warp at one instruction, that are kept.
    static constexpr std::size_t most_blocks = 2, most_accesses = 16;

    /// Functions that return what events do not contain.
    struct Questions {
        std::function<const Machine&()> machine = []() -> const Machine& { return machines().front(); };
        /// Name of the kernel that runs.
        std::function<std::string()> kernel = [] { return std::string(); };
        /// Source place of an instruction.
        std::function<SourcePlace(std::uint32_t program_counter)> place_of = [](std::uint32_t) { return SourcePlace{}; };
    };

    Trace() = default;
    explicit Trace(Questions questions) : questions_(std::move(questions)) {}

    void launch_begins(const LaunchInfo& info) override;
    void block_begins(const Extent& block_index) override;
    void warp_access(const WarpAccess& access) override;
    void block_barrier() override { ++interval_; }
    void launch_ends() override;

    /// All launches so far: for each its kernel, machine, grid and block, and for each kept block its accesses. An access
    /// has a place in the source, `instruction` (its number among those of its line, space and operation, in order of appearance),
    /// `warp`, `occurrence` (of its instruction and warp), `interval` (barriers before it), bytes a lane, and an offset for each
    /// lane or null: from the start of the allocation that `allocation` numbers, or of the block's shared memory. A
    /// shared access has its `wavefronts`, each a list of [lane, word], and `ideal_wavefronts`.
    const nlohmann::ordered_json& launches() const { return launches_; }

private:
    struct InstructionInSpace {
        std::uint32_t address;
        Space space;
        Operation operation;
        auto operator<=>(const InstructionInSpace&) const = default;
    };

    nlohmann::ordered_json access_as_json(const WarpAccess& access, std::size_t occurrence);
    int number_of(const InstructionInSpace& instruction, const SourcePlace& place);

    Questions questions_;
    nlohmann::ordered_json launches_ = nlohmann::ordered_json::array(), blocks_;
    std::size_t block_ = 0;
    int interval_ = 0;
    /// Accesses made, by instruction and warp, in the running block.
    std::map<std::pair<InstructionInSpace, int>, std::size_t> made_;
    std::map<InstructionInSpace, int> numbers_;
    std::map<std::tuple<std::string, int, Space, Operation>, int> instructions_of_line_;
    std::vector<std::uint64_t> allocations_;
    LaunchInfo info_{};
};

}  // namespace simt::report
