// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The counts of the counting model, as plain data. Of the model's other headers this one needs warp_size.hpp alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simt/warp_size.hpp"

namespace simt {

/// The memory an access goes to.
enum class Space : std::uint8_t {
#define SIMT_SPACE(name) name,
#include "simt/counts.def"
};
inline constexpr std::array all_spaces{
#define SIMT_SPACE(name) Space::name,
#include "simt/counts.def"
};

/// The kinds of accesses.
enum class Operation : std::uint8_t {
#define SIMT_OPERATION(name) name,
#include "simt/counts.def"
};
inline constexpr std::array all_operations{
#define SIMT_OPERATION(name) Operation::name,
#include "simt/counts.def"
};

/// The kinds of counts: the rows of counts.def that a memory's accesses have.
enum class CountKind : std::uint8_t { shared, global, constant, texture };

/// A call that the compiler has put into its caller's code.
struct InlinedCall {
    /// File name without its folder, and line, of the call.
    std::string file;
    int line = 0;
    /// The function that is called there, by its mangled name, or empty.
    std::string function;
    auto operator<=>(const InlinedCall&) const = default;
};

/// Shared-memory work of a set of warp-level instructions. The same for constant memory: there a wavefront is each distinct
/// word of 4 bytes that an instruction reads, and one is ideal.
struct SharedCounts {
    /// Warp-level instructions that touched shared memory.
    std::uint64_t instructions = 0;
    /// Passes through the shared-memory data pipe that those instructions took.
    std::uint64_t wavefronts = 0;
    /// The passes with no two words in one bank: one for each phase of an access.
    std::uint64_t ideal_wavefronts = 0;

    /// Passes lost to bank conflicts.
    std::uint64_t conflicts() const { return wavefronts - ideal_wavefronts; }

    SharedCounts& operator+=(const SharedCounts& other);
    bool operator==(const SharedCounts&) const = default;
};

/// Global-memory work of a set of warp-level instructions. The same for local memory, and for textures without sectors.
struct GlobalCounts {
    /// Warp-level instructions that touched global memory.
    std::uint64_t requests = 0;
    /// 32-byte sectors those requests moved, each counted once for each request.
    std::uint64_t sectors = 0;
    /// The fewest sectors that could hold the distinct bytes of each request.
    std::uint64_t ideal_sectors = 0;
    /// Cycles of the L1 that those requests take at least (rules.hpp, l1_cycles), one each in local memory.
    std::uint64_t wavefronts = 0;
    /// Bytes that the lanes asked for. Bytes moved are 32 × sectors.
    std::uint64_t bytes = 0;

    GlobalCounts& operator+=(const GlobalCounts& other);
    bool operator==(const GlobalCounts&) const = default;
};

/// The addresses of one warp-level access, as an example to draw.
struct ExampleAccess {
    /// Bytes that each lane accesses.
    int size = 0;
    /// Byte offset of each lane from the start of its allocation (global) or of the block's shared memory;
    /// empty for an inactive lane.
    std::array<std::optional<std::uint64_t>, warp_size> lanes{};
};

/// The counts of one source line, one space, one operation.
struct LineCounts {
    std::string file;
    int line = 0;
    /// The inlined calls that put the line into its kernel, innermost first. Lines with different calls are counted apart.
    std::vector<InlinedCall> inlined_from;
    Space space = Space::global;
    Operation operation = Operation::load;
    /// Set when `space` is `Space::shared` or `Space::constant`.
    SharedCounts shared;
    /// Set in the other spaces.
    GlobalCounts global;
    /// The first warp-level access of the line with the most active lanes.
    ExampleAccess first_access;
};

/// The extent of a grid or block, or a position in it.
struct Extent {
    unsigned x = 1, y = 1, z = 1;
    bool operator==(const Extent&) const = default;
};

/// How the accesses of one operation spread over the partitions of device memory, step by step. In a step, the blocks that run
/// at the same time make one access each.
struct PartitionUse {
    /// Element n is the number of steps that went to n + 1 partitions.
    std::vector<std::uint64_t> steps;
    /// Element p is the number of requests of the first step that go to partition p, as an example to draw.
    std::vector<std::uint64_t> first_step;

    /// Partitions that a step goes to, on average. 0 without steps.
    double mean() const;
    /// Adds the steps of `other`, and keeps the example of this object.
    PartitionUse& operator+=(const PartitionUse& other);
    bool operator==(const PartitionUse&) const = default;
};

/// The use of the partitions of device memory.
struct PartitionCounts {
    /// Partitions of the machine, and bytes after which the next begins.
    int partitions = 0, partition_bytes = 0;
    /// Blocks that run at the same time.
    int concurrent_blocks = 0;
    PartitionUse load, store;
};

/// A line where the machine code that ptxas makes has other accesses than the PTX.
struct FusedAccess {
    std::string file;
    int line = 0;
    /// The instructions of the PTX, those of the machine code, and the difference.
    std::string ptx, sass, why;
    bool operator==(const FusedAccess&) const = default;
};

/// The work of one block, or of several, for multiprocessors: see counts.def.
struct Work {
#define SIMT_WORK(name) std::uint64_t name = 0;
#include "simt/counts.def"

    Work& operator+=(const Work& other);
    bool operator==(const Work&) const = default;
};

/// A launch's work, from which its least number of cycles follows. A GPU does at least as much.
struct LaunchWork {
    /// The work of all counted blocks, and the least and the most work of one of them.
    Work sum, least, most;
    /// Distinct sectors of global memory that the launch has loaded, and that it has stored to.
    std::uint64_t loaded_sectors = 0, stored_sectors = 0;

    LaunchWork& operator+=(const LaunchWork& other);
    bool operator==(const LaunchWork&) const = default;
};

/// The resources of a multiprocessor that a kernel takes, by the compiler's output.
struct Resources {
    /// Per thread: registers, and the bytes that ptxas stores and loads because it has no register for them.
    int registers = 0, spilled_store_bytes = 0, spilled_load_bytes = 0;
    /// Blocks and warps that a multiprocessor holds at a time, and the most warps that it could hold.
    int blocks = 0, warps = 0, most_warps = 0;
    /// The limits that keep further blocks out: registers, shared memory, threads or blocks.
    std::vector<std::string> limited_by;

    bool operator==(const Resources&) const = default;
};

/// Everything counted in one kernel launch.
struct LaunchCounts {
    /// Name of the kernel's function.
    std::string name;
    Extent grid, block;
    /// The number of launches that were counted together, and of the blocks of all their grids.
    std::uint64_t launches = 1, blocks = 0;
    /// The blocks among these that ran uncounted.
    std::uint64_t uncounted_blocks = 0;
    /// An error or a hazard ended a launch early; its counts end there.
    bool stopped = false;
    /// Static and dynamic shared memory of a block, in bytes.
    std::uint64_t shared_bytes = 0;
    /// @name The sums over its accesses, by space and operation, and its other counts: see counts.def
    /// @{
#define SIMT_TOTAL(name, type, ...) type name;
#include "simt/counts.def"
#define SIMT_NUMBER(name) std::uint64_t name = 0;
#include "simt/counts.def"
    /// @}
    LaunchWork work;
    /// The counts are those of the instructions that a GPU executes, as far as the model can tell.
    bool exact = true;
    /// The differences between PTX and machine code: counts that are exact include them, others do not.
    std::vector<FusedAccess> fused;
    /// If ptxas has made machine code of the kernel for this machine.
    std::optional<Resources> resources;
    /// On machines whose partitions are watched.
    std::optional<PartitionCounts> partitions;
    /// Sorted by file, line, inlined calls, space, operation. Their sums are the totals above.
    std::vector<LineCounts> lines;

    /// Adds the counts of other launches. Name, grid, block and shared memory do not change.
    LaunchCounts& operator+=(const LaunchCounts& other);
};

/// Returns a name such as "shared".
const char* name_of(Space space);
/// Returns a name such as "load" or "async_copy".
const char* name_of(Operation operation);

}  // namespace simt
