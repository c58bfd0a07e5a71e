// How instructions reach memory: the lanes' addresses, their checks, and the host's pointers to the bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "device/bounds.hpp"
#include "interpreter/decode/decoder.hpp"
#include "interpreter/decode/fusion.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

/// The address part of a memory instruction.
struct MemoryAccess {
    ptx::StateSpace space = ptx::StateSpace::generic;
    /// `shared::cluster`: addresses may name another block's shared memory.
    bool cluster = false;
    Operation operation = Operation::load;
    /// Bytes of one element, elements of a vector, and bytes that a lane accesses in all.
    int element_bytes = 4, count = 1, bytes = 4;
    bool is_signed = false;
    /// The operand that holds the base, the base's bytes, and the offset that is added to it.
    int base_operand = 0;
    int base_bytes = 8;
    std::int64_t offset = 0;
    /// Operand with the first element.
    int value_operand = 0;
    int register_bytes = 4;
    /// The access's number among the program's polls; -1 if it is not a poll.
    int poll = -1;
    /// Whether the access is `volatile`, `relaxed`, `acquire`, `release` or `mmio`.
    bool is_strong = false;
    /// Whether it races with no atomic operation: it is `relaxed`, `acquire` or `release`, or the guess of a compare-and-swap (polls.hpp).
    bool is_atomic = false;
    /// What it costs beside the access in global memory (warp.hpp): for each lane if it orders other accesses, else once.
    std::uint64_t cost = 0;
    /// Whether the machine code makes a different access, and which (fusion.hpp).
    bool is_fused = false;
    CountedAccess counted;
};

/// The host's pointers to the lanes' bytes. Only the lanes of `lanes` have one.
struct LanePointers {
    std::uint32_t lanes = 0;
    /// The lanes of `lanes` whose bytes are in the shared memory of another block of the cluster.
    std::uint32_t elsewhere = 0;
    std::array<unsigned char*, warp_size> at;
};

/// Fills `warp.access` with the addresses, size, lanes and program counter of an instruction.
void find_addresses(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access);

/// The host's pointers to evenly spaced elements in one allocation or variable: where lane 0 has its element if it is one of `lanes`, and the
/// distance in bytes from lane to lane.
struct EvenPlace {
    unsigned char* first = nullptr;
    std::ptrdiff_t step = 0;
    ptx::StateSpace space = ptx::StateSpace::global;
    std::uint32_t lanes = all_lanes;

    explicit operator bool() const { return first != nullptr; }
};

/// The allocation or the variable that a team's warps access: what is known of the next warp's access from those of the warps before it.
struct KnownRange {
    std::uint64_t begin = 0, bytes = 0;
    /// The host's pointer to its first byte.
    unsigned char* at = nullptr;
    /// The distance to the next access of the instruction, once it was predicted.
    std::optional<std::uint64_t> ahead;

    bool holds(std::uint64_t least, std::uint64_t most, std::size_t size) const {
        return has_room(bytes, least - begin, size) && has_room(bytes, most - begin, size);
    }
};

/// Does the work of find_addresses(), by_space() and check() at once for the most common accesses: of all lanes (or of any, where nobody
/// watches), evenly spaced, aligned, to global, constant or shared memory that the kernel may access, and not stores to one address. Returns
/// no place for other accesses, after find_addresses(). Notes the spacing in `warp.access` until forget_spacing().
EvenPlace find_even_place(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access);
/// The same for a warp of a team, after an access of another one: returns no place where the access is another.
EvenPlace find_even_place(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access, KnownRange& range);
inline void forget_spacing(Warp& warp) { warp.access.evenly_spaced = false; }
/// Does the work of note_access() for an access that has an EvenPlace.
void note_even_access(Warp& warp, const MemoryAccess& access, const EvenPlace& place, std::uint32_t changed);

/// Divides the active lanes by state space and calls `visit(space, lanes)` for each space that occurs; generic addresses in
/// `warp.access` become addresses of that space.
template <class Visit> void by_space(Warp& warp, const MemoryAccess& access, Visit&& visit);

/// Whether a kernel may make the access that is set up in `warp.access` to a byte of an allocation: one that has not been freed and,
/// unless it is a load, holds no constant memory.
bool may_access(const Warp& warp, const memory::Allocation& allocation);

/// Checks the addresses of `lanes` in `warp.access`, which are all in one space. Reports hazards for those that the kernel may not
/// access, and leaves them out; a warp in a team declines the instruction instead. Sets up `warp.access` for the watcher.
LanePointers check_global(Warp& warp, std::uint32_t lanes);
LanePointers check_shared(Warp& warp, std::uint32_t lanes);
LanePointers check_local(Warp& warp, std::uint32_t lanes);
LanePointers check_parameters(Warp& warp, std::uint32_t lanes);
/// Calls the check for `space`.
LanePointers check(Warp& warp, ptx::StateSpace space, std::uint32_t lanes);

/// Returns the host's pointer to `least` if one live allocation, or one variable of the block's shared memory, holds `least` and
/// `size` bytes at `most`; else null. Notes the allocation in `warp.access`.
unsigned char* locate_global(Warp& warp, std::uint64_t least, std::uint64_t most, std::size_t size);
unsigned char* locate_shared(Warp& warp, std::uint64_t least, std::uint64_t most, std::size_t size);
/// The same; fills in `range` for the accesses that follow, and returns whether there is one.
bool find_global(Warp& warp, std::uint64_t least, std::uint64_t most, std::size_t size, KnownRange& range);
bool find_shared(Warp& warp, std::uint64_t least, std::uint64_t most, std::size_t size, KnownRange& range);

/// Tells the watcher of an access. `changed`: for a store, the lanes that changed memory.
void note_access(Warp& warp, ptx::StateSpace space, const LanePointers& pointers, Operation operation, std::uint32_t changed);
/// The same for a load or a store. Those that race with no atomic operation order blocks as atomic operations do. In a program that
/// polls, all strong accesses to global memory do.
void note_plain_access(Warp& warp, const MemoryAccess& access, ptx::StateSpace space, const LanePointers& pointers, std::uint32_t changed);
/// Notes that an access was one of the program's polls. `look`: for a load, the memory that it polls.
void note_poll(Warp& warp, int poll, Look look = Look::none);
/// Notes how the machine code makes an instruction's access, where it makes a different one.
void note_fusion(const Decoder& decoder, const ptx::Instruction& instruction, MemoryAccess& access);
/// Tells the watcher of an access that the machine code makes in a different way, and counts that one.
void note_fused_access(Warp& warp, const MemoryAccess& access, ptx::StateSpace space, const LanePointers& pointers, std::uint32_t changed);

/// Lanes with generic addresses, by the state space that each address points to.
struct GenericLanes { std::uint32_t global = 0, shared = 0, local = 0, parameter = 0; };
GenericLanes split_generic(const Warp& warp, std::uint32_t lanes);

template <class Visit> void by_space(Warp& warp, const MemoryAccess& access, Visit&& visit) {
    if (access.space != ptx::StateSpace::generic) return visit(access.space, warp.active);
    const GenericLanes lanes = split_generic(warp, warp.active);
    // In a team, what comes before an access that is declined would be done again.
    const int spaces = (lanes.global != 0) + (lanes.shared != 0) + (lanes.local != 0) + (lanes.parameter != 0);
    if (declines(warp, spaces > 1)) return;
    if (lanes.global) visit(ptx::StateSpace::global, lanes.global);
    if (lanes.shared) {
        for (const std::size_t lane : lanes_in(lanes.shared)) warp.access.address[lane] -= memory::shared_window;
        visit(ptx::StateSpace::shared, lanes.shared);
    }
    if (lanes.local) {
        for (const std::size_t lane : lanes_in(lanes.local)) warp.access.address[lane] -= memory::local_window;
        visit(ptx::StateSpace::local, lanes.local);
    }
    if (lanes.parameter) {
        for (const std::size_t lane : lanes_in(lanes.parameter)) warp.access.address[lane] -= memory::parameter_window;
        visit(ptx::StateSpace::param, lanes.parameter);
    }
}

/// The state space that an instruction's modifiers name; generic if they name none.
ptx::StateSpace space_of(const ptx::Instruction& instruction);
/// Elements of a vector access: 1, 2, 4 or 8.
int vector_count(const ptx::Instruction& instruction);

/// The host's pointer to `bytes` bytes at a lane's generic address; null if the kernel may not access them.
unsigned char* generic_pointer(Warp& warp, std::size_t lane, std::uint64_t address, std::size_t bytes);

}  // namespace simt::interpreter
