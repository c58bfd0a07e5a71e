// A launch whose accesses are made by hand, for tests of its watchers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "device/printed_message.hpp"
#include "interpreter/watch.hpp"

namespace simt::hazards {

inline constexpr std::uint32_t all_lanes = ~0u;
/// Where global memory begins.
inline constexpr std::uint64_t heap = std::uint64_t{1} << 40;

using Address = std::function<std::uint64_t(unsigned lane)>;

constexpr std::uint32_t lane_0 = 1, lane_1 = 2, even_lanes = 0x55555555;

/// Neighboring bytes from a first one.
inline Address bytes(std::uint64_t first) {
    return [=](unsigned lane) { return first + lane; };
}
/// Neighboring words from a first one.
inline Address words(std::uint64_t first) {
    return [=](unsigned lane) { return (first + lane) * 4; };
}
inline Address one_word(std::uint64_t word) {
    return [=](unsigned) { return word * 4; };
}

inline WarpAccess made(Space space, Operation operation, std::uint32_t program_counter, int warp, const Address& address,
                       std::uint32_t active = all_lanes, int size = 4, std::uint32_t changed = all_lanes) {
    WarpAccess access{};
    access.space = space;
    access.operation = operation;
    access.program_counter = program_counter;
    access.size = size;
    access.active = active;
    access.changed = changed;
    access.warp = warp;
    for (unsigned lane = 0; lane < warp_size; ++lane) access.address[lane] = (space == Space::global ? heap : 0) + address(lane);
    access.allocation = space == Space::global ? heap : 0;
    return access;
}

/// A block of 128 threads that is watched. Instruction n is line n of kernel.cu; instructions from 100 on are line n % 100, inlined.
struct MadeBlock {
    explicit MadeBlock(LaunchWatch& launch) : watch(launch) {}

    void access(Space space, Operation operation, std::uint32_t program_counter, int warp, const Address& address,
                std::uint32_t active = all_lanes, int size = 4, std::uint32_t changed = all_lanes) {
        watch.access(made(space, operation, program_counter, warp, address, active, size, changed));
    }
    void load(std::uint32_t program_counter, int warp, const Address& address, std::uint32_t active = all_lanes, int size = 4) {
        access(Space::shared, Operation::load, program_counter, warp, address, active, size);
    }
    void store(std::uint32_t program_counter, int warp, const Address& address, std::uint32_t active = all_lanes, int size = 4,
               std::uint32_t changed = all_lanes) {
        access(Space::shared, Operation::store, program_counter, warp, address, active, size, changed);
    }
    void update(std::uint32_t program_counter, int warp, const Address& address, std::uint32_t active = all_lanes) {
        access(Space::shared, Operation::atomic, program_counter, warp, address, active);
    }
    void load_global(std::uint32_t program_counter, const Address& address, std::uint32_t active = all_lanes, int size = 4) {
        access(Space::global, Operation::load, program_counter, 0, address, active, size);
    }
    void load_constant(std::uint32_t program_counter, const Address& address) {
        access(Space::constant, Operation::load, program_counter, 0, address, all_lanes, 4);
    }
    void store_global(std::uint32_t program_counter, const Address& address, std::uint32_t active = all_lanes, int size = 4,
                      std::uint32_t changed = all_lanes) {
        access(Space::global, Operation::store, program_counter, 0, address, active, size, changed);
    }
    void update_global(std::uint32_t program_counter, const Address& address, std::uint32_t active = all_lanes) {
        access(Space::global, Operation::atomic, program_counter, 0, address, active);
    }
    /// All of the block's first 256 words are written, before a barrier.
    void fill() {
        for (unsigned first = 0; first < 256; first += 32) store(99, 0, words(first));
        watch.block_barrier();
    }

    BlockWatch watch;
};

inline constexpr unsigned made_grid = 64, made_warps = 4;

class MadeLaunch {
public:
    explicit MadeLaunch(bool single_threaded = true, std::vector<Listener*> listeners = {})
        : watch({{made_grid, 1, 1}, {made_warps * 32, 1, 1}, 0}, "kernel", surroundings(single_threaded), std::move(listeners)) {}

    /// Runs blocks one after another, in this order.
    MadeLaunch& run(const std::vector<unsigned>& order, const std::function<void(MadeBlock&, unsigned)>& block) {
        MadeBlock made_block(watch);
        for (const unsigned number : order) {
            made_block.watch.begin_block({number, 0, 0}, number);
            block(made_block, number);
            made_block.watch.end_block();
        }
        return *this;
    }
    std::vector<Hazard> hazards() { return watch.take_hazards(); }

    LaunchWatch watch;

private:
    static Surroundings surroundings(bool single_threaded) {
        Surroundings made_surroundings;
        made_surroundings.machine = &machines().front();
        made_surroundings.place_of = [](std::uint32_t program_counter) {
            SourcePlace place{"kernel.cu", static_cast<int>(program_counter % 100), {}};
            if (program_counter >= 100) place.inlined_from.push_back({"caller.cu", static_cast<int>(program_counter / 100), "called"});
            return place;
        };
        made_surroundings.shared_bytes = 1024;
        made_surroundings.instructions = 500;
        made_surroundings.single_threaded = single_threaded;
        return made_surroundings;
    }
};

/// The hazards of one block.
inline std::vector<Hazard> hazards_of(const std::function<void(MadeBlock&)>& block) {
    return MadeLaunch().run({0}, [&](MadeBlock& made_block, unsigned) { block(made_block); }).hazards();
}

/// Kind and lines of each hazard, such as "race 1 2", in order of the text.
inline std::vector<std::string> summary(const std::vector<Hazard>& hazards) {
    std::vector<std::string> lines;
    for (const Hazard& hazard : hazards) {
        std::string text = name_of(hazard.kind);
        for (const SourcePlace& place : hazard.lines) text += " " + std::to_string(place.line);
        lines.push_back(std::move(text));
    }
    std::ranges::sort(lines);
    return lines;
}

using Summary = std::vector<std::string>;

/// Expects that the accesses of one block have these hazards.
inline void expect_hazards(const Summary& wanted, const std::function<void(MadeBlock&)>& block,
                           std::source_location place = std::source_location::current()) {
    const testing::ScopedTrace trace(place.file_name(), static_cast<int>(place.line()), "the block");
    EXPECT_EQ(summary(hazards_of(block)), wanted);
}

/// The numbers of the first blocks, in order.
inline std::vector<unsigned> blocks(unsigned count) {
    std::vector<unsigned> order(count);
    std::iota(order.begin(), order.end(), 0u);
    return order;
}

}  // namespace simt::hazards
