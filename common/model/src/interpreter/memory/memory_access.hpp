// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// How instructions reach memory: addresses of the lanes, checks, and where the bytes are.
#pragma once

#include <array>
#include <cstdint>

#include "interpreter/decode/decoder.hpp"
#include "interpreter/decode/fusion.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

/// The address part of a memory instruction.
struct MemoryAccess {
    ptx::Space space = ptx::Space::generic;
    /// `shared::cluster`: addresses may name another block's shared memory.
    bool cluster = false;
    Operation operation = Operation::load;
    /// Bytes of one element, and elements of a vector: a lane accesses `bytes` together.
    int element_bytes = 4, count = 1, bytes = 4;
    bool is_signed = false;
    /// Operand that holds the base, its bytes, and what is added to it.
    int base_operand = 0;
    int base_bytes = 8;
    std::int64_t offset = 0;
    /// Operand with the first element.
    int value_operand = 0;
    int register_bytes = 4;
    /// Its number among the program's polls; -1 if it is none.
    int poll = -1;
    /// Made for others to see: `volatile`, `relaxed`, `acquire` or `release`.
    bool is_strong = false;
    /// Whether it is counted otherwise than it is written, and how (fusion.hpp).
    bool is_fused = false;
    CountedAccess counted;
};

/// Where each lane's bytes are for the host. A lane that is not in `lanes` has none.
struct LanePointers {
    std::uint32_t lanes = 0;
    /// Of these, the lanes whose bytes are in the shared memory of another block of the cluster.
    std::uint32_t elsewhere = 0;
    std::array<unsigned char*, warp_size> at;
};

/// Fills `warp.access` with addresses, size, lanes and instruction of an instruction. `base_operand` no_operand: the offset alone.
void find_addresses(Warp& warp, const Instruction& instruction, const MemoryAccess& access);

/// Lanes whose elements lie `step` bytes apart in one allocation or variable, for the host: all take part, the first at `first`.
struct EvenPlace {
    unsigned char* first = nullptr;
    std::ptrdiff_t step = 0;
    ptx::Space space = ptx::Space::global;

    explicit operator bool() const { return first != nullptr; }
};

/// Does what find_addresses(), by_space() and check() do, at once, for the accesses that most are: of all lanes, evenly spaced,
/// aligned, to global, constant or shared memory that the kernel may access, and not stores to one address. Returns no place for all
/// others, of which find_addresses() has been done. What it knows of the spacing stands in `warp.access` until forget_spacing().
EvenPlace find_even_place(Warp& warp, const Instruction& instruction, const MemoryAccess& access);
inline void forget_spacing(Warp& warp) { warp.access.evenly_spaced = false; }
/// note_access() of such an access.
void note_even_access(Warp& warp, const MemoryAccess& access, const EvenPlace& place, std::uint32_t changed);

/// Splits the active lanes by state space and calls `visit(space, lanes)` for each that there are; generic addresses in
/// `warp.access` become addresses of that space.
template <class Visit> void by_space(Warp& warp, const MemoryAccess& access, Visit&& visit);

/// Checks the addresses of `lanes` in `warp.access` in a space that they all are in; reports hazards for those that a kernel
/// may not access, and leaves them out. Sets up `warp.access` for the watcher.
LanePointers check_global(Warp& warp, std::uint32_t lanes);
LanePointers check_shared(Warp& warp, std::uint32_t lanes);
LanePointers check_local(Warp& warp, std::uint32_t lanes);
LanePointers check_parameters(Warp& warp, std::uint32_t lanes);
/// The one for `space`.
LanePointers check(Warp& warp, ptx::Space space, std::uint32_t lanes);

/// Where the host finds `least`, if one live allocation, or one variable of the block's shared memory, holds it and `size` bytes
/// at `most`; else null. Notes the allocation in `warp.access`.
unsigned char* locate_global(Warp& warp, std::uint64_t least, std::uint64_t most, std::size_t size);
unsigned char* locate_shared(Warp& warp, std::uint64_t least, std::uint64_t most, std::size_t size);

/// Tells the watcher of an access that was made; `changed` is of stores.
void note_access(Warp& warp, ptx::Space space, const LanePointers& pointers, Operation operation, std::uint32_t changed);
/// The same of a load or a store of a program. Where threads look again and again at what other blocks write, strong accesses to global
/// memory order blocks as atomic operations do.
void note_plain_access(Warp& warp, const MemoryAccess& access, ptx::Space space, const LanePointers& pointers, std::uint32_t changed);
/// Tells of an access that was made and is one of the program's polls. `look`: of a load, the memory at which it has looked.
void note_poll(Warp& warp, int poll, Look look = Look::none);
/// Notes how an instruction's access is counted, where it is not counted as it is written.
void note_fusion(const Decoder& decoder, const ptx::Instruction& instruction, MemoryAccess& access);
/// The same for an access that is counted otherwise than it is written.
void note_fused_access(Warp& warp, const MemoryAccess& access, ptx::Space space, const LanePointers& pointers, std::uint32_t changed);

/// Lanes of generic addresses, by what they point to.
struct GenericLanes {
    std::uint32_t global = 0, shared = 0, local = 0, parameter = 0;
};
GenericLanes split_generic(const Warp& warp, std::uint32_t lanes);

template <class Visit> void by_space(Warp& warp, const MemoryAccess& access, Visit&& visit)
{
    if (access.space != ptx::Space::generic) return visit(access.space, warp.active);
    const GenericLanes lanes = split_generic(warp, warp.active);
    if (lanes.global) visit(ptx::Space::global, lanes.global);
    if (lanes.shared) {
        for (const std::size_t lane : lanes_in(lanes.shared)) warp.access.address[lane] -= memory::shared_window;
        visit(ptx::Space::shared, lanes.shared);
    }
    if (lanes.local) {
        for (const std::size_t lane : lanes_in(lanes.local)) warp.access.address[lane] -= memory::local_window;
        visit(ptx::Space::local, lanes.local);
    }
    if (lanes.parameter) {
        for (const std::size_t lane : lanes_in(lanes.parameter)) warp.access.address[lane] -= memory::parameter_window;
        visit(ptx::Space::param, lanes.parameter);
    }
}

/// What an instruction that names a space accesses, from its modifiers.
ptx::Space space_of(const ptx::Instruction& instruction);
/// Elements of a vector access: 1, 2, 4 or 8.
int vector_count(const ptx::Instruction& instruction);

/// A pointer that the host can read, for one lane and `bytes` bytes at a generic address; null if the kernel may not.
unsigned char* generic_pointer(Warp& warp, std::size_t lane, std::uint64_t address, std::size_t bytes);

}  // namespace simt::interpreter
