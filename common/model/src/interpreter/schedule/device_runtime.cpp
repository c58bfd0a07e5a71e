// The work that a thread asks for runs after its grid, in the order of the blocks and of their calls. Every stream and every event
// allows this order, so streams and events need no state.

#include "interpreter/schedule/device_runtime.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "device/address_space.hpp"
#include "interpreter/memory/memory_access.hpp"
#include "interpreter/schedule/builtin_call.hpp"

namespace simt::interpreter {

namespace {

constexpr std::string_view prefix = "__cudaCDP2";
constexpr std::int32_t success = 0, invalid_value = 1, out_of_memory = 2;
/// The handle of every stream and event that a thread makes.
constexpr std::uint64_t any_handle = 64;

using Call = void (*)(Warp&, std::size_t lane, const CallSite&);

/// Writes the result of a call to an address. A bad address is reported as if the kernel had accessed it.
template <class T> void leave(Warp& warp, std::size_t lane, std::uint64_t address, T value) {
    if (unsigned char* const at = generic_pointer(warp, lane, address, sizeof value)) std::memcpy(at, &value, sizeof value);
}

void succeed(Warp& warp, std::size_t lane, const CallSite& call) { give_back(warp, lane, call, success); }

void make_handle(Warp& warp, std::size_t lane, const CallSite& call) {
    leave(warp, lane, argument<std::uint64_t>(warp, lane, call, 0), any_handle);
    give_back(warp, lane, call, success);
}

/// Returns null: device memory holds no text of an error.
void no_text(Warp& warp, std::size_t lane, const CallSite& call) { give_back(warp, lane, call, std::uint64_t{0}); }

void give_ordinal(Warp& warp, std::size_t lane, const CallSite& call) {
    leave(warp, lane, argument<std::uint64_t>(warp, lane, call, 0), std::int32_t{0});
    give_back(warp, lane, call, success);
}

void allocate(Warp& warp, std::size_t lane, const CallSite& call) {
    const std::uint64_t address = warp.launch->allocate(argument<std::uint64_t>(warp, lane, call, 1));
    leave(warp, lane, argument<std::uint64_t>(warp, lane, call, 0), address);
    give_back(warp, lane, call, address != 0 ? success : out_of_memory);
}

void release(Warp& warp, std::size_t lane, const CallSite& call) {
    if (const auto address = argument<std::uint64_t>(warp, lane, call, 0)) warp.launch->release(address);
    give_back(warp, lane, call, success);
}

/// Returns the buffer for the parameters of a launch.
void prepare(Warp& warp, std::size_t lane, const CallSite& call) {
    const auto address = argument<std::uint64_t>(warp, lane, call, 0);
    const auto extent = [&](std::size_t n) {
        const auto sizes = argument<std::array<std::uint32_t, 3>>(warp, lane, call, n);
        return Extent{sizes[0], sizes[1], sizes[2]};
    };
    ChildWork launch;
    launch.function = static_cast<int>((address - memory::function_window) / 16);
    launch.grid = extent(1);
    launch.block = extent(2);
    launch.dynamic_shared_bytes = argument<std::uint32_t>(warp, lane, call, 3);
    const bool is_function =
        address >= memory::function_window && (address - memory::function_window) / 16 < warp.launch->program->module->functions.size();
    give_back(warp, lane, call, is_function ? warp.launch->children.prepare(std::move(launch)) : std::uint64_t{0});
}

void start(Warp& warp, std::size_t lane, const CallSite& call) {
    const auto buffer = argument<std::uint64_t>(warp, lane, call, 0), stream = argument<std::uint64_t>(warp, lane, call, 1);
    give_back(warp, lane, call, warp.launch->children.start(warp.block->number, buffer, stream) ? success : invalid_value);
}

void copy(Warp& warp, std::size_t lane, const CallSite& call) {
    const auto number = [&](std::size_t n) { return argument<std::uint64_t>(warp, lane, call, n); };
    warp.launch->children.add(warp.block->number, {.kind = ChildWork::Kind::copy, .to = number(0), .from = number(1), .bytes = number(2)},
                              number(4));
    give_back(warp, lane, call, success);
}

void fill(Warp& warp, std::size_t lane, const CallSite& call) {
    const auto number = [&](std::size_t n) { return argument<std::uint64_t>(warp, lane, call, n); };
    const auto value = argument<std::int32_t>(warp, lane, call, 1);
    warp.launch->children.add(warp.block->number, {.kind = ChildWork::Kind::fill, .to = number(0), .bytes = number(2), .value = value},
                              number(3));
    give_back(warp, lane, call, success);
}

/// The handle is the address of the value: see Condition.
void set_conditional(Warp& warp, std::size_t lane, const CallSite& call) {
    leave(warp, lane, argument<std::uint64_t>(warp, lane, call, 0), argument<std::uint32_t>(warp, lane, call, 1));
}

constexpr std::pair<std::string_view, Call> calls[] = {
    {"GetParameterBufferV2", prepare},
    {"LaunchDeviceV2", start},
    {"MemcpyAsync", copy},
    {"MemsetAsync", fill},
    {"Malloc", allocate},
    {"Free", release},
    {"StreamCreateWithFlags", make_handle},
    {"StreamDestroy", succeed},
    {"StreamWaitEvent", succeed},
    {"EventCreateWithFlags", make_handle},
    {"EventRecord", succeed},
    {"EventDestroy", succeed},
    {"GetLastError", succeed},
    {"PeekAtLastError", succeed},
    {"GetErrorString", no_text},
    {"GetErrorName", no_text},
    {"GetDevice", give_ordinal},
};

Call find(std::string_view name) {
    if (name == "cudaGraphSetConditional") return set_conditional;
    if (!name.starts_with(prefix)) return nullptr;
    name.remove_prefix(prefix.size());
    if (name.ends_with("_ptsz")) name.remove_suffix(5);
    const auto* const found = std::ranges::find(calls, name, &std::pair<std::string_view, Call>::first);
    return found == std::end(calls) ? nullptr : found->second;
}

}  // namespace

bool is_of_device_runtime(std::string_view name) { return find(name) != nullptr; }

void call_device_runtime(Warp& warp, std::size_t lane, const CallSite& call) {
    if (!warp.launch->has_heap)
        throw LaunchStopped(error_not_supported, warp.launch->message_of(warp, lane, MessageCode::runtime_without_heap));
    find(call.builtin)(warp, lane, call);
}

}  // namespace simt::interpreter
