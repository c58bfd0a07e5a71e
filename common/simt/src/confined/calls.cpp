// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What confined code calls in the place of functions of the model and of the C and C++ libraries that write where they
// are told to, or call what they are told to.

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "confinement.hpp"
#include "../grid_runner.hpp"

using simt::detail::Asking;
using simt::detail::check_argument;
using simt::detail::check_function;
using simt::detail::ConfinedHeap;
using simt::detail::Direction;
using simt::detail::GridRunner;
using simt::detail::refuse;

extern "C" void simt_call_confined(void (*function)(const void*), const void* context);

namespace simt {

namespace detail {
void note_launch(const Asking& asking);
}

namespace {

/// What each thread of a confined launch does. It has to come to a kernel: what it did before or instead would not be counted.
void confined_thread(const void* context)
{
    const auto& body = *static_cast<const ThreadBody*>(context);
    simt_call_confined(body.function, body.context);
    if (!GridRunner::instance().is_in_kernel()) throw KernelError("what is launched is no __global__ function");
}

}  // namespace

void confined_run_grid(const char* kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, ThreadBody thread) asm(
    "simt_confined__ZN4simt8run_gridEPKc4dim3S2_mNS_10ThreadBodyE");
void confined_run_grid(const char* kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, ThreadBody thread)
{
    const Asking asking = SIMT_ASKING;
    if (GridRunner::instance().on_thread()) refuse("launches a kernel from a thread of a kernel", asking.site);
    check_function(reinterpret_cast<const void*>(thread.function), asking);
    detail::note_launch(asking);
    run_grid(kernel, grid, block, dynamic_shared_bytes, {confined_thread, &thread});
}

WarpValues confined_warp_exchange(std::uint32_t mask, std::uint64_t value, const void* site) asm(
    "simt_confined__ZN4simt13warp_exchangeEjmPKv");
WarpValues confined_warp_exchange(std::uint32_t mask, std::uint64_t value, const void* site)
{
    const Asking asking = SIMT_ASKING;
    if (!GridRunner::instance().is_in_kernel()) refuse("calls a warp-level function outside of a kernel", asking.site);
    WarpValues values;  // is built where the caller wants it
    check_argument(&values, sizeof values, Direction::store, asking);
    values = warp_exchange(mask, value, site);
    return values;
}

void confined_stop_kernel(const void* site) asm("simt_confined__ZN4simt11stop_kernelEPKv");
void confined_stop_kernel(const void* site)
{
    if (!GridRunner::instance().is_in_kernel()) refuse("calls __trap() outside of a kernel", __builtin_return_address(0));
    stop_kernel(site);
}

/// Barriers and the like: only a thread of a kernel can wait.
#define SIMT_IN_KERNEL(result, name, parameters, arguments, symbol)                                                        \
    result confined_##name parameters asm("simt_confined_" symbol);                                                        \
    result confined_##name parameters                                                                                      \
    {                                                                                                                      \
        if (!GridRunner::instance().is_in_kernel()) refuse("waits as a thread of a kernel, outside of one", __builtin_return_address(0)); \
        return name arguments;                                                                                             \
    }
SIMT_IN_KERNEL(void, block_barrier, (const void* site), (site), "_ZN4simt13block_barrierEPKv")
SIMT_IN_KERNEL(int, block_barrier_count, (bool predicate, const void* site), (predicate, site), "_ZN4simt19block_barrier_countEbPKv")
SIMT_IN_KERNEL(std::uint32_t, active_lanes, (const void* site), (site), "_ZN4simt12active_lanesEPKv")
SIMT_IN_KERNEL(void, report_inactive_lane, (int lane, const void* site), (lane, site), "_ZN4simt20report_inactive_laneEiPKv")
SIMT_IN_KERNEL(void, yield_thread, (), (), "_ZN4simt12yield_threadEv")

}  // namespace simt

extern "C" {

// --- memory ---

void* simt_confined_memcpy(void* to, const void* from, std::size_t bytes)
{
    const Asking asking = SIMT_ASKING;
    check_argument(from, bytes, Direction::load, asking);
    check_argument(to, bytes, Direction::store, asking);
    return std::memmove(to, from, bytes);
}

void* simt_confined_memmove(void* to, const void* from, std::size_t bytes)
{
    const Asking asking = SIMT_ASKING;
    check_argument(from, bytes, Direction::load, asking);
    check_argument(to, bytes, Direction::store, asking);
    return std::memmove(to, from, bytes);
}

void* simt_confined_memset(void* to, int value, std::size_t bytes)
{
    check_argument(to, bytes, Direction::store, SIMT_ASKING);
    return std::memset(to, value, bytes);
}

int simt_confined_memcmp(const void* left, const void* right, std::size_t bytes)
{
    const Asking asking = SIMT_ASKING;
    check_argument(left, bytes, Direction::load, asking);
    check_argument(right, bytes, Direction::load, asking);
    return std::memcmp(left, right, bytes);
}

void* simt_confined_malloc(std::size_t bytes) { return ConfinedHeap::instance().allocate(bytes, SIMT_ASKING); }
void simt_confined_free(void* pointer) { ConfinedHeap::instance().release(pointer, SIMT_ASKING); }
void* simt_confined__Znwm(std::size_t bytes) { return ConfinedHeap::instance().allocate(bytes, SIMT_ASKING); }
void* simt_confined__Znam(std::size_t bytes) { return ConfinedHeap::instance().allocate(bytes, SIMT_ASKING); }
void simt_confined__ZdlPv(void* pointer) { ConfinedHeap::instance().release(pointer, SIMT_ASKING); }
void simt_confined__ZdaPv(void* pointer) { ConfinedHeap::instance().release(pointer, SIMT_ASKING); }
void simt_confined__ZdlPvm(void* pointer, std::size_t) { ConfinedHeap::instance().release(pointer, SIMT_ASKING); }
void simt_confined__ZdaPvm(void* pointer, std::size_t) { ConfinedHeap::instance().release(pointer, SIMT_ASKING); }

void* simt_confined_calloc(std::size_t count, std::size_t bytes)
{
    const Asking asking = SIMT_ASKING;
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) refuse("asks for more memory than there is", asking.site);
    return std::memset(ConfinedHeap::instance().allocate(all, asking), 0, all);
}

// --- output: a format is not to store anything, and a stream is to be one that there is ---

static void check_format(const char* format, const Asking& asking)
{
    for (const char* at = format; *at; ++at) {
        if (*at != '%') continue;
        at += 1 + std::strspn(at + 1, "-+ #0123456789.*$'hlLqjztI");
        if (*at == 'n') refuse("prints with %n, which stores a number", asking.site);
        if (!*at) return;
    }
}

static void check_stream(std::FILE* stream, const Asking& asking)
{
    if (stream != stdout && stream != stderr) refuse("writes to a stream that is neither stdout nor stderr", asking.site);
}

int simt_confined_printf(const char* format, ...)
{
    check_format(format, SIMT_ASKING);
    va_list arguments;
    va_start(arguments, format);
    const int printed = std::vprintf(format, arguments);
    va_end(arguments);
    return printed;
}

int simt_confined_fprintf(std::FILE* stream, const char* format, ...)
{
    check_stream(stream, SIMT_ASKING);
    check_format(format, SIMT_ASKING);
    va_list arguments;
    va_start(arguments, format);
    const int printed = std::vfprintf(stream, format, arguments);
    va_end(arguments);
    return printed;
}

int simt_confined_puts(const char* text) { return std::puts(text); }
int simt_confined_putchar(int character) { return std::putchar(character); }

int simt_confined_fputs(const char* text, std::FILE* stream)
{
    check_stream(stream, SIMT_ASKING);
    return std::fputs(text, stream);
}

int simt_confined_fputc(int character, std::FILE* stream)
{
    check_stream(stream, SIMT_ASKING);
    return std::fputc(character, stream);
}

std::size_t simt_confined_fwrite(const void* data, std::size_t bytes, std::size_t count, std::FILE* stream)
{
    check_stream(stream, SIMT_ASKING);
    return std::fwrite(data, bytes, count, stream);
}

int simt_confined_fflush(std::FILE* stream)
{
    if (stream) check_stream(stream, SIMT_ASKING);
    return std::fflush(stream);
}

// --- the end of the program ---

[[noreturn]] void simt_confined_exit(int code)
{
    refuse("ends the program with exit(" + std::to_string(code) + ")", __builtin_return_address(0));
}
[[noreturn]] void simt_confined_abort() { refuse("ends the program with abort()", __builtin_return_address(0)); }

// --- mathematical functions with a second result ---

#define SIMT_TWO_RESULTS(T, f)                                                        \
    void simt_confined_sincos##f(T x, T* sine, T* cosine)                             \
    {                                                                                 \
        const Asking asking = SIMT_ASKING;                                            \
        check_argument(sine, sizeof(T), Direction::store, asking);                    \
        check_argument(cosine, sizeof(T), Direction::store, asking);                  \
        *sine = std::sin(x), *cosine = std::cos(x);                                   \
    }                                                                                 \
    T simt_confined_modf##f(T x, T* whole)                                            \
    {                                                                                 \
        check_argument(whole, sizeof(T), Direction::store, SIMT_ASKING);              \
        return std::modf(x, whole);                                                   \
    }                                                                                 \
    T simt_confined_frexp##f(T x, int* exponent)                                      \
    {                                                                                 \
        check_argument(exponent, sizeof(int), Direction::store, SIMT_ASKING);         \
        return std::frexp(x, exponent);                                               \
    }                                                                                 \
    T simt_confined_remquo##f(T x, T y, int* quotient)                                \
    {                                                                                 \
        check_argument(quotient, sizeof(int), Direction::store, SIMT_ASKING);         \
        return std::remquo(x, y, quotient);                                           \
    }
SIMT_TWO_RESULTS(double, )
SIMT_TWO_RESULTS(float, f)

}  // extern "C"
