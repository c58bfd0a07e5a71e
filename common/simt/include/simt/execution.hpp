// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Running a kernel: what translated source calls, and what the CUDA names of device code stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "simt/counts.hpp"
#include "vector_types.h"

namespace simt {

/// What each thread of a grid does: a function and what it is called with. No object that could hold anything callable:
/// so the code of a program holds no call whose aim is read from memory.
struct ThreadBody {
    void (*function)(const void* context);
    const void* context;
};

/// Runs `thread` once for each thread of the grid, with its coordinates set, block after block.
/// An impossible configuration is reported the CUDA way, through cudaGetLastError().
void run_grid(const char* kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, ThreadBody thread);

/// A launch `kernel<<<grid, block, shared, stream>>>(arguments…)`, as the translator writes it.
template <class Kernel>
class Launch {
public:
    Launch(const char* name, Kernel kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
           const void* /*stream*/ = nullptr)
        : name_(name), kernel_(std::move(kernel)), grid_(grid), block_(block), dynamic_shared_bytes_(dynamic_shared_bytes)
    {
    }

    /// Runs the kernel to its end. The arguments stay with the caller: each thread takes its own copy of each, as
    /// parameters passed by value do.
    template <class... Arguments>
    void operator()(Arguments&&... arguments)
    {
        const auto body = [&] { kernel_(arguments...); };
        run_grid(name_, grid_, block_, dynamic_shared_bytes_,
                 {[](const void* context) { (*static_cast<const decltype(body)*>(context))(); }, &body});
    }

private:
    const char* name_;
    Kernel kernel_;
    dim3 grid_, block_;
    std::size_t dynamic_shared_bytes_;
};

/// First statement of every translated `__global__` function: from here on the thread's accesses are counted. The launch
/// is reported under the name of the function, and an instance of a template under that of the instance.
/// @param function `__func__`
/// @param signature `__PRETTY_FUNCTION__` in a template, which tells the template's arguments
/// @param parameters number of the template's parameters
void kernel_entry(const char* function, const char* signature = nullptr, int parameters = 0);

/// The block's static shared memory of one declaration. `declaration` tells one from another.
void* static_shared(const void* declaration, std::size_t bytes, std::size_t alignment);

/// The block's dynamic shared memory.
void* dynamic_shared();

namespace detail {
template <class Variable, class Tag>
inline constexpr char declaration_of{};
}

/// What `__shared__ Variable x;` becomes. The block's memory is reached through a function that the compiler cannot
/// look into, so it must assume that others see it too and cannot carry values across a barrier.
/// `alignment` is what `__align__` asks for, or 1.
template <class Variable, class Tag, std::size_t alignment = 1>
Variable& shared_variable()
{
    constexpr std::size_t wanted = alignment > alignof(Variable) ? alignment : alignof(Variable);
    return *static_cast<Variable*>(static_shared(&detail::declaration_of<Variable, Tag>, sizeof(Variable), wanted));
}

/// What `extern __shared__ Element x[];` becomes.
template <class Element>
auto& dynamic_shared_array()
{
    return *static_cast<Element(*)[]>(dynamic_shared());
}

// Within one thread these never change, which the attribute tells the compiler; it keeps them in registers.
[[gnu::const]] uint3 thread_index() noexcept;
[[gnu::const]] uint3 block_index() noexcept;
[[gnu::const]] dim3 block_extent() noexcept;
[[gnu::const]] dim3 grid_extent() noexcept;

/// `__syncthreads()`. `site` is the address behind the call in the kernel's code, as for all functions below.
void block_barrier(const void* site);

/// `__syncthreads_count(predicate)`: a block barrier that returns how many threads gave a true predicate.
int block_barrier_count(bool predicate, const void* site);

/// @name Warp-level operations
/// They are called from the CUDA headers of the model, from functions that are neither inlined nor instrumented.
/// @{

/// Lane of the running thread, 0 to 31.
int lane_index();

/// Lanes of the running thread's warp that have come to the same call together.
std::uint32_t active_lanes(const void* site);

/// What the lanes of a warp-level operation brought along.
struct WarpValues {
    std::uint64_t value[warp_size];
    /// Lanes that took part.
    std::uint32_t lanes;
};

/// Waits until every lane of `mask` that has not exited has come to a warp-level operation with this mask, and returns
/// the values that they brought. Orders the memory accesses of those lanes. A lane outside its own mask is reported as a
/// hazard of kind `inactive_lane`; so is, by the caller, a value that is taken from a lane that brought none.
WarpValues warp_exchange(std::uint32_t mask, std::uint64_t value, const void* site);

/// Reports that a lane takes a value from a lane that brought none.
void report_inactive_lane(int lane, const void* site);
/// @}

/// Tells that the running thread makes an atomic access. Call it before the access.
void record_atomic(const volatile void* address, std::size_t bytes, const void* site);

/// Ends the launch with an error, as `__trap()` does.
[[noreturn]] void stop_kernel(const void* site);

/// Tells that a thread only waits: lets other threads run before it goes on.
void yield_thread();

/// Kinds of variables that live on the device without an allocation.
enum class SymbolSpace { global, constant };

/// Makes a `__device__`, `__managed__` or `__constant__` variable known, as the translator writes it. The linker gathers
/// these in one section, where the model finds them: a program needs to run no code for it before it starts. Size and
/// alignment are the same, so that there are no gaps between them.
struct alignas(32) DeviceSymbol {
    const void* address;
    std::size_t bytes;
    const char* name;
    SymbolSpace space;
};
static_assert(sizeof(DeviceSymbol) == alignof(DeviceSymbol));

}  // namespace simt
