// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Cooperative groups of the block, of tiles of a warp, and of the lanes that have come together. The translator refuses
/// groups of more than one block: the model runs one block at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "cuda_runtime.h"
#include "simt_cuda/warp_operations.h"

namespace cooperative_groups {

namespace detail {

inline unsigned thread_rank_in_block()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

/// The `size` lanes around this one that make up a tile.
inline std::uint32_t lanes_of_tile(unsigned size)
{
    const unsigned first = static_cast<unsigned>(::simt::lane_index()) / size * size;
    return size >= 32 ? ~0u : ((1u << size) - 1u) << first;
}

inline unsigned rank_in(std::uint32_t lanes) { return std::popcount(lanes & ((1u << ::simt::lane_index()) - 1u)); }

/// The lane with the given rank among `lanes`, or −1.
inline int lane_of_rank(std::uint32_t lanes, unsigned rank)
{
    for (int lane = 0; lane < warpSize; ++lane)
        if ((lanes >> lane & 1u) && rank-- == 0) return lane;
    return -1;
}

/// `set` packed so that bit i is that of the i-th of `lanes`.
SIMT_UNCOUNTED inline unsigned pack(std::uint32_t set, std::uint32_t lanes)
{
    unsigned packed = 0, rank = 0;
    for (int lane = 0; lane < warpSize; ++lane)
        if (lanes >> lane & 1u) packed |= (set >> lane & 1u) << rank++;
    return packed;
}

}  // namespace detail

/// Any group of this block: the block itself, or lanes of one warp.
class thread_group {
public:
    /// The block, or `lanes` of this thread's warp.
    thread_group() = default;
    explicit thread_group(std::uint32_t lanes) : lanes_(lanes), is_block_(false) {}

    unsigned size() const { return is_block_ ? detail::threads_of_block() : static_cast<unsigned>(std::popcount(lanes_)); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return is_block_ ? detail::thread_rank_in_block() : detail::rank_in(lanes_); }
    bool is_valid() const { return true; }
    SIMT_UNCOUNTED void sync() const { wait(__builtin_return_address(0)); }

    bool is_block() const { return is_block_; }
    /// The lanes of a group in a warp.
    std::uint32_t lanes() const { return lanes_; }
    /// sync() on behalf of the code at `site`.
    void wait(const void* site) const
    {
        if (is_block_) ::simt::block_barrier(site);
        else ::simt::warp_exchange(lanes_, 0, site);
    }

private:
    std::uint32_t lanes_ = 0;
    bool is_block_ = true;
};

/// All threads of the block.
class thread_block : public thread_group {
public:
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};

inline thread_block this_thread_block() { return {}; }

namespace detail {

/// What groups of lanes of a warp can do beyond other groups. `source` is a rank in the group.
class lane_group : public thread_group {
public:
    using thread_group::thread_group;

    template <class T>
    SIMT_UNCOUNTED T shfl(T value, int source) const
    {
        return take(value, static_cast<unsigned>(source), __builtin_return_address(0));
    }
    /// Beyond the ends of the group, each thread keeps its own value.
    template <class T>
    SIMT_UNCOUNTED T shfl_up(T value, unsigned distance) const
    {
        const unsigned rank = thread_rank();
        return take(value, rank < distance ? rank : rank - distance, __builtin_return_address(0));
    }
    template <class T>
    SIMT_UNCOUNTED T shfl_down(T value, unsigned distance) const
    {
        const unsigned rank = thread_rank();
        return take(value, rank + distance >= size() ? rank : rank + distance, __builtin_return_address(0));
    }
    SIMT_UNCOUNTED int any(int predicate) const
    {
        return ::simt::detail::ballot(lanes(), predicate != 0, __builtin_return_address(0)) != 0;
    }
    SIMT_UNCOUNTED int all(int predicate) const
    {
        return ::simt::detail::ballot(lanes(), predicate == 0, __builtin_return_address(0)) == 0;
    }
    SIMT_UNCOUNTED unsigned ballot(int predicate) const
    {
        return pack(::simt::detail::ballot(lanes(), predicate != 0, __builtin_return_address(0)), lanes());
    }
    template <class T>
    SIMT_UNCOUNTED unsigned match_any(T value) const
    {
        return pack(::simt::detail::match(lanes(), value, __builtin_return_address(0)).equal, lanes());
    }
    template <class T>
    SIMT_UNCOUNTED unsigned match_all(T value, int& all_equal) const
    {
        const ::simt::detail::Match found = ::simt::detail::match(lanes(), value, __builtin_return_address(0));
        all_equal = found.equal == found.lanes;
        return all_equal ? pack(found.lanes, lanes()) : 0u;
    }

protected:
    /// The value of the thread of rank `rank`, which wraps round as on the device.
    template <class T>
    T take(const T& value, unsigned rank, const void* site) const
    {
        return ::simt::detail::shuffle(::simt::detail::Shuffle::index, lanes(), value, lane_of_rank(lanes(), rank % size()), warpSize, site);
    }
};

}  // namespace detail

/// `tile_size` neighboring threads of a block.
template <unsigned tile_size, class Parent = void>
class thread_block_tile : public detail::lane_group {
    static_assert(tile_size <= 32, "the counting model has no tiles of more than one warp");
    static_assert(tile_size > 0 && std::has_single_bit(tile_size), "the size of a tile is a power of two");

public:
    thread_block_tile() : lane_group(detail::lanes_of_tile(tile_size)) {}
    /// A function that names only the size takes the tiles of every parent.
    template <class Other>
        requires std::is_void_v<Parent>
    thread_block_tile(const thread_block_tile<tile_size, Other>&) : thread_block_tile()
    {
    }
    /// Number of threads that the tile was made for.
    static constexpr unsigned size() { return tile_size; }
    static constexpr unsigned num_threads() { return tile_size; }
    unsigned thread_rank() const { return static_cast<unsigned>(::simt::lane_index()) % tile_size; }
    /// Which of its parent's tiles this is, and how many there are.
    unsigned meta_group_rank() const { return rank_in_parent() / tile_size; }
    unsigned meta_group_size() const { return (size_of_parent() + tile_size - 1) / tile_size; }

    template <class T>
    SIMT_UNCOUNTED T shfl_xor(T value, unsigned mask) const
    {
        return ::simt::detail::shuffle(::simt::detail::Shuffle::exclusive_or, lanes(), value, static_cast<int>(mask), tile_size,
                                       __builtin_return_address(0));
    }

private:
    static constexpr bool in_tile = requires { Parent::size_of_tile; };
    unsigned rank_in_parent() const { return parent_tile_size() ? detail::rank_in(~0u) % parent_tile_size() : detail::thread_rank_in_block(); }
    unsigned size_of_parent() const { return parent_tile_size() ? parent_tile_size() : detail::threads_of_block(); }
    static constexpr unsigned parent_tile_size()
    {
        if constexpr (in_tile) return Parent::size_of_tile;
        else return 0;
    }

public:
    static constexpr unsigned size_of_tile = tile_size;
};

template <unsigned tile_size, class Parent>
thread_block_tile<tile_size, Parent> tiled_partition(const Parent& parent)
{
    if constexpr (requires { Parent::size_of_tile; }) static_assert(tile_size <= Parent::size_of_tile, "a tile is no larger than what it is cut from");
    static_cast<void>(parent);
    return {};
}

/// Tiles whose size is known when the kernel runs: a power of two, up to 32.
inline thread_group tiled_partition(const thread_group&, unsigned tile_size) { return thread_group(detail::lanes_of_tile(tile_size)); }

/// The lanes of a warp that have come to the same place together.
class coalesced_group : public detail::lane_group {
public:
    using lane_group::lane_group;
    unsigned meta_group_rank() const { return 0; }
    unsigned meta_group_size() const { return 1; }
};

SIMT_UNCOUNTED inline coalesced_group coalesced_threads() { return coalesced_group(::simt::active_lanes(__builtin_return_address(0))); }

/// The lanes of `group` with equal labels.
template <class Label>
SIMT_UNCOUNTED coalesced_group labeled_partition(const detail::lane_group& group, Label label)
{
    return coalesced_group(::simt::detail::match(group.lanes(), label, __builtin_return_address(0)).equal);
}
SIMT_UNCOUNTED inline coalesced_group binary_partition(const detail::lane_group& group, bool predicate)
{
    return coalesced_group(::simt::detail::match(group.lanes(), predicate, __builtin_return_address(0)).equal);
}

template <class Group>
SIMT_UNCOUNTED void sync(const Group& group)
{
    group.wait(__builtin_return_address(0));
}
template <class Group>
unsigned thread_rank(const Group& group)
{
    return group.thread_rank();
}
template <class Group>
unsigned group_size(const Group& group)
{
    return group.size();
}

}  // namespace cooperative_groups
