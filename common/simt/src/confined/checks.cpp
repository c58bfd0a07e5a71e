// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What confined code may reach.

#include <algorithm>
#include <array>
#include <cstdlib>

#include "confinement.hpp"
#include "../grid_runner.hpp"
#include "../reporting.hpp"
#include "../runtime_api.hpp"

// The linker's names for the ends of the program's image, and of the sections that the grader's assembler makes. The
// latter are missing in a program without confined code.
extern "C" {
extern const char __executable_start[], _end[];
[[gnu::weak]] extern const char __start_simt_submission_text[], __stop_simt_submission_text[];
[[gnu::weak]] extern const char __start_simt_submission_data[], __stop_simt_submission_data[];
[[gnu::weak]] extern const char __start_simt_submission_bss[], __stop_simt_submission_bss[];
[[gnu::weak]] extern const void* const __start_simt_submission_entries[];
[[gnu::weak]] extern const void* const __stop_simt_submission_entries[];
}

/// The newest accesses that the model has been told of; the guards compare with them first.
extern "C" {
[[gnu::used]] constinit simt::detail::Range simt_told[4]{};
}

namespace simt::detail {

namespace {

constexpr std::size_t told_accesses = 4;
/// A bit field is told of by its bytes and accessed by the word around it.
constexpr std::uint64_t told_slack = 16;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
Range range_of(const char* begin, const char* end) { return {address_of(begin), address_of(end)}; }

bool in_own_data(std::uint64_t address, std::size_t bytes)
{
    return range_of(__start_simt_submission_data, __stop_simt_submission_data).contains(address, bytes) ||
           range_of(__start_simt_submission_bss, __stop_simt_submission_bss).contains(address, bytes) ||
           ConfinedHeap::instance().range().contains(address, bytes);
}

enum class Found { outside, own, return_address };

/// Looks for an address in the frames of the confined functions that are running on this stack. A frame begins with the
/// caller's frame pointer and the return address, which nobody may write; so the next frame is found by them, reliably.
/// @param top becomes the end of the outermost frame
Found find_in_frames(std::uint64_t address, std::size_t bytes, const Asking& asking, std::uint64_t* top = nullptr)
{
    constexpr std::uint64_t linkage_bytes = 16;
    const Range code = range_of(__start_simt_submission_text, __stop_simt_submission_text);
    std::uint64_t low = asking.low, frame = asking.frame;
    Found found = Found::outside;
    for (;;) {
        if (frame < low || frame % sizeof(std::uint64_t) != 0) return Found::outside;
        if (Range{low, frame}.contains(address, bytes)) found = Found::own;
        else if (address < frame + linkage_bytes && address + bytes > frame) found = Found::return_address;
        const auto* const linkage = reinterpret_cast<const std::uint64_t*>(frame);
        low = frame + linkage_bytes;
        if (top) *top = low;
        if (found != Found::outside && !top) return found;
        if (!code.contains(linkage[1], 1)) return found;
        frame = linkage[0];
    }
}

bool was_told(std::uint64_t address)
{
    return std::any_of(simt_told, simt_told + told_accesses,
                       [address](const Range& told) { return address + told_slack >= told.begin && address < told.end + told_slack; });
}

const char* verb(Direction direction) { return direction == Direction::load ? "reads" : "writes"; }

void check_counted(std::uint64_t address, Direction direction, const Asking& asking)
{
    if (!was_told(address)) refuse(std::string(verb(direction)) + " memory of the device in a way that is not counted", asking.site);
}

/// The frames of host code that waits for a kernel, where the arguments of the launch lie.
Range& launching_frames()
{
    static Range range;
    return range;
}

}  // namespace

void refuse(const std::string& what, const void* site)
{
    GridRunner& runner = GridRunner::instance();
    const SourcePlace where = place_of(site);
    if (runner.is_in_kernel()) {
        runner.close_trace();
        runner.end_by("the kernel " + what, where, cudaErrorIllegalAddress);
    }
    constexpr int refused = 3;
    session().errors.push_back((runner.on_thread() ? "what is launched " : "host code ") + what + (where.line > 0 ? ", " + where.file + ":" + std::to_string(where.line) : ""));
    std::exit(refused);
}

void check_access(std::uint64_t address, std::size_t bytes, Direction direction, const Asking& asking)
{
    GridRunner& runner = GridRunner::instance();
    if (DeviceHeap::instance().owns(address)) {
        if (runner.is_in_kernel()) return check_counted(address, direction, asking);
        if (runner.on_thread()) refuse(std::string(verb(direction)) + " device memory outside of a kernel: only __global__ functions are launched", asking.site);
        if (host_may_use(reinterpret_cast<const void*>(address), bytes)) return;
        refuse(std::string(verb(direction)) + " device memory, which only kernels and copies reach", asking.site);
    }
    if (SharedArena::instance().contains(address)) {
        if (runner.is_in_kernel()) return check_counted(address, direction, asking);
        refuse(std::string(verb(direction)) + " shared memory outside of a kernel", asking.site);
    }
    if (in_own_data(address, bytes)) return;
    const Found found = find_in_frames(address, bytes, asking);
    if (found == Found::own) return;
    if (direction == Direction::load) {
        // What can be read here is no secret, and nothing comes of it.
        if (found == Found::return_address || range_of(__executable_start, _end).contains(address, bytes)) return;
        if (runner.on_thread() ? launching_frames().contains(address, bytes) : address >= asking.low) return;
    }
    if (found == Found::return_address) refuse("writes over the return address of a function", asking.site);
    refuse(std::string(verb(direction)) + " memory that is not its own", asking.site);
}

void check_argument(const volatile void* pointer, std::size_t bytes, Direction direction, const Asking& asking)
{
    if (!pointer || bytes == 0) return;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    if (address + bytes < address) refuse("hands over a range of memory that is too long", asking.site);
    check_access(address, bytes, direction, asking);
}

void check_copied(const void* pointer, std::size_t bytes, Direction direction, const Asking& asking)
{
    // The runtime looks for itself whether allocated memory is as long as what is copied.
    const std::uint64_t address = address_of(pointer);
    if (DeviceHeap::instance().owns(address) && address + bytes >= address && DeviceHeap::instance().owns(address + bytes)) return;
    check_argument(pointer, bytes, direction, asking);
}

void check_function(const void* function, const Asking& asking)
{
    if (std::find(__start_simt_submission_entries, __stop_simt_submission_entries, function) == __stop_simt_submission_entries)
        refuse("hands over the address of something that is no function of its own", asking.site);
}

void tell(std::uint64_t address, std::size_t bytes)
{
    if (!DeviceHeap::instance().owns(address) && !SharedArena::instance().contains(address)) return;
    if (!GridRunner::instance().is_in_kernel()) return;
    static std::size_t next = 0;
    simt_told[next++ % told_accesses] = {address, address + bytes};
}

void note_launch(const Asking& asking)
{
    std::uint64_t top = 0;
    find_in_frames(0, 0, asking, &top);
    launching_frames() = {asking.low, std::max(asking.low, top)};
}

}  // namespace simt::detail

/// What a guard calls for an access that it does not know to be good.
extern "C" void simt_check_access(std::uint64_t address, std::uint32_t bytes_and_direction, std::uint64_t frame, std::uint64_t low, const void* site)
{
    constexpr std::uint32_t direction_bit = 8;
    simt::detail::check_access(address, bytes_and_direction & 0xFF, static_cast<simt::detail::Direction>(bytes_and_direction >> direction_bit), {frame, low, site});
}
