// Measures the time to count one access of a warp and to look for hazards, for typical access patterns. Run by hand.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include "interpreter/watch.hpp"

namespace {

using namespace simt;
using namespace simt::hazards;

constexpr unsigned warps = 8, rounds = 4, blocks = 1000;

/// Address of a lane in a round of a warp of a block.
using Pattern = std::function<std::uint64_t(std::uint64_t block, unsigned round, unsigned warp, unsigned lane)>;

WarpAccess made(Space space, Operation operation, int size, const Pattern& pattern, std::uint32_t active, unsigned round, unsigned warp) {
    WarpAccess access{};
    access.space = space;
    access.operation = operation;
    access.program_counter = static_cast<std::uint32_t>(space) * 4 + static_cast<std::uint32_t>(operation);
    access.size = size;
    access.active = access.changed = active;
    access.warp = static_cast<int>(warp);
    for (unsigned lane = 0; lane < 32; ++lane) access.address[lane] = pattern(0, round, warp, lane);
    return access;
}

void measure(const char* name, Space space, Operation operation, int size, std::uint64_t block_stride, const Pattern& pattern,
             std::uint32_t active = ~0u, bool single_threaded = true) {
    Surroundings surroundings;
    surroundings.machine = &machines().front();
    surroundings.place_of = [](std::uint32_t program_counter) { return SourcePlace{"kernel.cu", static_cast<int>(program_counter), {}}; };
    surroundings.shared_bytes = 48 << 10;
    surroundings.instructions = 100;
    surroundings.single_threaded = single_threaded;
    LaunchWatch launch({{blocks, 1, 1}, {warps * 32, 1, 1}, 0}, "kernel", surroundings, {});
    BlockWatch watch(launch);
    std::vector<WarpAccess> accesses;
    for (unsigned round = 0; round < rounds; ++round)
        for (unsigned warp = 0; warp < warps; ++warp) accesses.push_back(made(space, operation, size, pattern, active, round, warp));
    // Other programs share the processor, so the fastest of many blocks counts.
    double seconds[2] = {1e9, 1e9};
    const WarpAccess fill =
        made(Space::shared, Operation::store, 16, [](auto, unsigned, unsigned, unsigned lane) { return lane * 16; }, ~0u, 0, 0);
    for (std::uint64_t block = 0; block < blocks; ++block) {
        watch.begin_block({static_cast<unsigned>(block), 0, 0}, block);
        if (space == Space::shared)
            for (WarpAccess store = fill; store.address[31] < surroundings.shared_bytes;) {
                watch.uncounted_access(store);
                for (std::uint64_t& address : store.address) address += 512;
            }
        watch.block_barrier();
        const auto begin = std::chrono::steady_clock::now();
        for (const WarpAccess& access : accesses) watch.count_only(access);
        const auto middle = std::chrono::steady_clock::now();
        for (const WarpAccess& access : accesses) {
            watch.uncounted_access(access);
            if ((&access - accesses.data()) % warps == warps - 1) watch.block_barrier();
        }
        seconds[0] = std::min(seconds[0], std::chrono::duration<double>(middle - begin).count());
        seconds[1] = std::min(seconds[1], std::chrono::duration<double>(std::chrono::steady_clock::now() - middle).count());
        watch.block_barrier();
        watch.end_block();
        for (WarpAccess& access : accesses)
            for (std::uint64_t& address : access.address) address += block_stride;
    }
    const double each = 1e9 / (warps * rounds);
    std::printf("%-44s %6.1f ns to count, %6.1f ns to watch, %zu hazards\n", name, seconds[0] * each, seconds[1] * each,
                launch.take_hazards().size());
}

}  // namespace

int main() {
    const std::uint64_t base = std::uint64_t{1} << 40, all = std::uint64_t{warps} * rounds;
    const auto contiguous = [=](std::uint64_t size) {
        return
            [=](std::uint64_t, unsigned round, unsigned warp, unsigned lane) { return base + ((round * warps + warp) * 32 + lane) * size; };
    };
    const auto shared = [](std::uint64_t stride, std::uint64_t size) {
        return [=](std::uint64_t, unsigned, unsigned warp, unsigned lane) { return (warp + lane * stride) * size; };
    };
    measure("global load, contiguous", Space::global, Operation::load, 4, all * 128, contiguous(4));
    measure("global store, contiguous", Space::global, Operation::store, 4, all * 128, contiguous(4));
    measure("global store, contiguous, locked", Space::global, Operation::store, 4, all * 128, contiguous(4), ~0u, false);
    measure("global load, 16 bytes", Space::global, Operation::load, 16, all * 512, contiguous(16));
    measure("global load, all the same words", Space::global, Operation::load, 4, 0, contiguous(4));
    measure("global load, one word", Space::global, Operation::load, 4, 4096, [=](auto, unsigned, unsigned, unsigned) { return base; });
    const Pattern column = [=](std::uint64_t, unsigned round, unsigned warp, unsigned lane) {
        return base + lane * 4096 + (round * warps + warp) * 4;
    };
    measure("global load, column", Space::global, Operation::load, 4, 128 << 10, column);
    measure("global store, column", Space::global, Operation::store, 4, 128 << 10, column);
    measure("global store, column, locked", Space::global, Operation::store, 4, 128 << 10, column, ~0u, false);
    measure("global load, two rows of 16", Space::global, Operation::load, 4, 64,
            [=](std::uint64_t, unsigned round, unsigned warp, unsigned lane) {
                return base + lane / 16 * 4096 + lane % 16 * 4 + (round * warps + warp) * 8192;
            });
    const Pattern scattered = [=](std::uint64_t, unsigned round, unsigned warp, unsigned lane) {
        return base + ((round * warps + warp) * 32 + lane) * 2654435761u % 65536 * 4;
    };
    measure("global load, scattered", Space::global, Operation::load, 4, 0, scattered);
    measure("global load, half of the lanes", Space::global, Operation::load, 4, all * 128, contiguous(4), 0x55555555);
    measure("global atomic, one word", Space::global, Operation::atomic, 4, 0, [=](auto, unsigned, unsigned, unsigned) { return base; });
    measure("global atomic, 256 words", Space::global, Operation::atomic, 4, 0,
            [=](std::uint64_t, unsigned round, unsigned warp, unsigned lane) {
                return base + ((round * warps + warp) * 32 + lane) * 2654435761u % 256 * 4;
            });
    measure("shared load, contiguous", Space::shared, Operation::load, 4, 0, shared(1, 4));
    measure("shared store, row of its own", Space::shared, Operation::store, 4, 0,
            [](std::uint64_t, unsigned, unsigned warp, unsigned lane) { return (warp * 32u + lane) * 4u; });
    measure("shared load, stride 33", Space::shared, Operation::load, 4, 0, shared(33, 4));
    measure("shared store, stride 33", Space::shared, Operation::store, 4, 0, shared(33, 4));
    measure("shared load, stride 32", Space::shared, Operation::load, 4, 0, shared(32, 4));
    measure("shared load, one word", Space::shared, Operation::load, 4, 0, shared(0, 4));
    measure(
        "shared load, two rows of 16", Space::shared, Operation::load, 4, 0,
        [](std::uint64_t, unsigned round, unsigned warp, unsigned lane) { return (lane / 16 * 17 + lane % 16 + warp * 2 + round) * 4; });
    measure("shared load, 8 bytes", Space::shared, Operation::load, 8, 0, shared(1, 8));
    measure("shared load, 16 bytes", Space::shared, Operation::load, 16, 0, shared(1, 16));
    measure("shared load, scattered", Space::shared, Operation::load, 4, 0,
            [](std::uint64_t, unsigned round, unsigned warp, unsigned lane) {
                return ((round * warps + warp) * 32 + lane) * 2654435761u % 4096 * 4;
            });
    measure("shared load, half of the lanes", Space::shared, Operation::load, 4, 0, shared(1, 4), 0x55555555);
    measure("shared atomic, one word", Space::shared, Operation::atomic, 4, 0, shared(0, 4));
    measure("shared store of bytes", Space::shared, Operation::store, 1, 0,
            [](std::uint64_t, unsigned, unsigned warp, unsigned lane) { return warp * 32 + lane; });
}
