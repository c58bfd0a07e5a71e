// A block's pending work: copies that threads have issued and not yet waited for. Each is made as late as the program allows, when
// a thread waits for it, so that a program that forgets to wait does not see its data.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "device/bounds.hpp"
#include "interpreter/decode/decoder.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

/// A place in the shared memory of a block of the cluster; without bytes after a hazard.
struct SharedPlace {
    Block* block = nullptr;
    std::uint64_t offset = 0;
    std::span<unsigned char> bytes;

    explicit operator bool() const { return !bytes.empty(); }
};

/// An address that each lane has in a register.
struct LaneAddress {
    std::uint32_t base = no_operand;
    int base_bytes = 8;
    std::int64_t offset = 0;
    ptx::StateSpace space = ptx::StateSpace::generic;

    std::uint64_t of(const Warp& warp, std::size_t lane) const;
};

LaneAddress lane_address(Decoder& decoder, const ptx::Operand& operand, ptx::StateSpace space);

/// Finds `bytes` bytes of shared memory. `address` is generic unless `space` is shared. Reports a hazard where the bytes are not all
/// inside one variable, or where `address` is no multiple of `alignment`. The access must be set up in `warp.access`.
SharedPlace find_shared(Warp& warp, std::size_t lane, std::uint64_t address, ptx::StateSpace space, std::uint64_t bytes,
                        std::uint64_t alignment);
/// The same for global memory: returns the bytes for the host, or none.
std::span<unsigned char> find_global(Warp& warp, std::size_t lane, std::uint64_t address, std::uint64_t bytes, std::uint64_t alignment);
/// Sets up `warp.access` for a lane's next access.
void begin_access(Warp& warp, const DecodedInstruction& instruction, Operation operation, int bytes);

/// Tells the watcher that a thread of `block` begins to read or write a range of shared memory, until the watcher's end_accesses() of the
/// number that this returns.
std::uint32_t begin_shared_range(Block& block, int warp, std::size_t lane, std::uint32_t program_counter, Operation operation,
                                 std::uint64_t offset, std::uint64_t bytes);
/// Tells the watcher that a thread reads or writes a range of global memory.
void note_global_range(Block& block, int warp, std::size_t lane, std::uint32_t program_counter, Operation operation, std::uint64_t address,
                       std::uint64_t bytes);

/// Work that is done later, when `waiter` waits for it.
using Work = std::function<void(Warp& waiter)>;

/// A `cp.async` of lanes of a warp.
struct ThreadCopy {
    std::uint32_t lanes = 0;
    /// The bytes of a copy, the same for all lanes.
    std::uint64_t group = 0;
    std::uint64_t number = 0;
    int bytes = 0;
    std::uint32_t program_counter = 0;
    /// The watcher's number of its writes.
    std::uint32_t writes = 0;
    std::array<std::uint32_t, warp_size> to;
    /// The bytes that each lane reads. The rest of its bytes become zeros.
    std::array<std::span<const unsigned char>, warp_size> from;
};

class Asynchronous {
public:
    explicit Asynchronous(Block& block) : block_(block), warps_(block.warps.size()) {}

    static Asynchronous& of(Block& block);

    /// @name cp.async
    /// @{
    /// Adds a copy. Lanes whose open groups differ become copies of their own.
    void add(Warp& warp, ThreadCopy copy);
    void commit(const Warp& warp);
    /// Makes the copies of the active lanes in all but the newest `open` committed groups.
    void wait_for_groups(Warp& warp, std::uint64_t open);
    void wait_for_all(Warp& warp);
    /// The number that the next copy of the warp will have.
    std::uint64_t next_number(int warp) const { return warps_[static_cast<std::size_t>(warp)].next_number; }
    /// Makes the copies of `lanes` of a warp with lesser numbers.
    void complete_before(Warp& warp, std::uint32_t lanes, std::uint64_t number);
    /// @}

    /// @name Work that completes on a barrier in shared memory
    /// @{
    void add_to_barrier(std::uint64_t offset, Work work) { of_barriers_[offset].push_back(std::move(work)); }
    /// Does all the work that completes on the barrier at `offset`.
    void complete_barrier(std::uint64_t offset, Warp& waiter);
    /// @}

    /// @name Groups of bulk copies, each of one thread
    /// @{
    void add_to_group(int thread, Work work);
    void commit_bulk(int thread) { ++bulk_[thread].committed; }
    void wait_for_bulk(Warp& warp, std::size_t lane, std::uint64_t open);
    /// Does all the work that is left when the block ends, and reports the products that no warp has waited for.
    void finish();
    /// @}

    /// @name Groups of products of matrices (wgmma), each of one warp
    /// @{
    /// Adds the work of the product at `program_counter`. Returns false if the warp has executed no fence before.
    bool add_to_matrix_group(int warp, std::uint32_t program_counter, Work work);
    void fence_matrices(int warp) { matrices_[warp].fenced = true; }
    void commit_matrix_group(int warp) { ++matrices_[warp].committed; }
    /// Does the work of all but the newest `open` committed groups; returns false if there was none.
    bool wait_for_matrices(Warp& warp, std::uint64_t open);
    /// @}

private:
    struct OfWarp {
        std::deque<ThreadCopy> copies;
        std::uint64_t next_number = 0;
        /// The number of groups that each lane has committed.
        std::array<std::uint64_t, warp_size> committed{};
    };
    /// Work by the number of its group.
    struct Groups {
        std::uint64_t committed = 0;
        std::deque<std::pair<std::uint64_t, Work>> works;

        void add(Work work) { works.emplace_back(committed, std::move(work)); }
        bool complete(Warp& warp, std::uint64_t open);
    };

    struct Products : Groups {
        bool fenced = false;
        std::uint32_t newest = 0;
    };

    template <class IsDue> void complete(Warp& warp, std::uint32_t lanes, IsDue&& is_due);

    Block& block_;
    std::vector<OfWarp> warps_;
    std::unordered_map<std::uint64_t, std::deque<Work>> of_barriers_;
    std::map<int, Groups> bulk_;
    std::map<int, Products> matrices_;
};

}  // namespace simt::interpreter
