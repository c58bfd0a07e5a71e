// Memory, and launches that are deferred until memory is read.

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "device/address_space.hpp"
#include "device/host_memory.hpp"
#include "engine/engine.hpp"
#include "engine/repeats.hpp"
#include "interpreter/schedule/launch.hpp"
#include "interpreter/watch.hpp"

namespace simt {

namespace {

using memory::AddressSpace;
using memory::Allocation;

constexpr int error_invalid_value = 1;

unsigned char* bytes_at(DeviceAddress address, std::size_t bytes, const char* call) {
    if (unsigned char* at = AddressSpace::instance().host_bytes(address, bytes)) return at;
    throw DeviceError(error_invalid_value, {MessageCode::not_one_allocation, {{"call", call}, {"bytes", bytes}}});
}

void refuse_if(std::optional<Message> message) {
    if (message) throw DeviceError(interpreter::error_out_of_memory, std::move(*message));
}

/// Calls `touch(offset, bytes)` for each part of a range, while the host has memory for it.
template <class Touch> void touch_in_parts(std::size_t bytes, Touch touch) {
    constexpr std::size_t part = std::size_t{64} << 20;
    for (std::size_t at = 0; at < bytes; at += part) {
        refuse_if(memory::no_memory_left());
        touch(at, std::min(part, bytes - at));
    }
}

}  // namespace

DeviceAddress EngineDevice::allocate(std::size_t bytes) {
    change_memory();
    if (AddressSpace::is_touched_at_once(bytes)) refuse_if(memory::no_memory_left_after(bytes));
    return AddressSpace::instance().allocate(bytes, ordinal_);
}

bool EngineDevice::release(DeviceAddress address) {
    change_memory();
    const Range range = range_of(address);
    if (!AddressSpace::instance().release(address)) return false;
    // Addresses are never reused, so no later call can refer to these.
    hazards::forget_global_memory(address, (range.bytes + AddressSpace::alignment - 1) / AddressSpace::alignment * AddressSpace::alignment);
    return true;
}

void EngineDevice::map_host(void* memory, std::size_t bytes) {
    change_memory();
    AddressSpace::instance().map_host(memory, bytes);
}

bool EngineDevice::unmap_host(void* memory) {
    change_memory();
    return AddressSpace::instance().unmap_host(memory);
}

Device::Range EngineDevice::range_of(DeviceAddress address) {
    Allocation allocation;
    if (!AddressSpace::instance().find(address, allocation) || allocation.freed) return {};
    return {allocation.begin, allocation.bytes, allocation.host};
}

void EngineDevice::memory_info(std::size_t& free, std::size_t& total) {
    total = AddressSpace::instance().total_bytes();
    free = total - std::min(total, AddressSpace::instance().used_bytes());
}

void EngineDevice::copy_in(DeviceAddress to, const void* from, std::size_t bytes) {
    change_memory();
    if (bytes == 0) return;
    unsigned char* at = bytes_at(to, bytes, "copy to the device");
    touch_in_parts(bytes, [&](std::size_t offset, std::size_t part) {
        std::memmove(at + offset, static_cast<const unsigned char*>(from) + offset, part);
    });
}

void EngineDevice::copy_out(void* to, DeviceAddress from, std::size_t bytes) {
    settle();
    if (bytes > 0) std::memmove(to, bytes_at(from, bytes, "copy from the device"), bytes);
}

void EngineDevice::copy_rows(const RowCopy& copy) {
    change_memory();
    if (copy.is_empty()) return;
    unsigned char* to = bytes_at(copy.to, copy.to_span(), "copy within the device");
    const unsigned char* from = bytes_at(copy.from, copy.from_span(), "copy within the device");
    for (std::size_t row = 0; row < copy.rows; ++row) {
        refuse_if(memory::no_memory_left());
        std::memmove(to + row * copy.to_pitch, from + row * copy.from_pitch, copy.width);
    }
}

void EngineDevice::fill(DeviceAddress to, std::uint32_t value, int width, std::size_t count) {
    change_memory();
    if (count == 0) return;
    const std::size_t bytes = count * static_cast<std::size_t>(width);
    unsigned char* at = bytes_at(to, bytes, "memset");
    touch_in_parts(bytes, [&](std::size_t offset, std::size_t part) {
        if (width == 1) std::memset(at + offset, static_cast<int>(value & 0xFF), part);
        else
            for (std::size_t i = 0; i < part; i += static_cast<std::size_t>(width))
                std::memcpy(at + offset + i, &value, static_cast<std::size_t>(width));
    });
}

int EngineDevice::create_array(const ArrayShape& shape) { return memory::Textures::instance().create_array(shape); }
bool EngineDevice::destroy_array(int array) { return memory::Textures::instance().destroy_array(array); }
void EngineDevice::copy_to_array(int array, const ArrayBox& box, const void* from, std::size_t pitch, std::size_t slice_pitch) {
    change_memory();
    memory::Textures::instance().copy_to(array, box, from, pitch, slice_pitch);
}
void EngineDevice::copy_from_array(int array, const ArrayBox& box, void* to, std::size_t pitch, std::size_t slice_pitch) {
    memory::Textures::instance().copy_from(array, box, to, pitch, slice_pitch);
}

std::uint64_t EngineDevice::create_texture(const TextureRequest& request) {
    change_memory();
    // A texture of host memory shows later writes of the host.
    if (request.resource != TextureRequest::Resource::array && range_of(request.address).host) Repeats::instance().distrust_memory();
    return memory::Textures::instance().create_texture(request);
}

bool EngineDevice::destroy_texture(std::uint64_t handle) {
    change_memory();
    return memory::Textures::instance().destroy_texture(handle);
}

void EngineDevice::execute_put_off() {
    for (const LaunchRequest& launch : Repeats::instance().take_put_off()) {
        interpreter::Program& known = program(launch.function);
        // It was checked before it was deferred.
        run(known, *CheckedLaunch::of(launch, known, machine()), {}, true);
    }
}

void EngineDevice::settle() {
    if (!Repeats::instance().has_put_off()) return;
    const std::lock_guard lock(launch_mutex_);
    execute_put_off();
}

void EngineDevice::change_memory() {
    settle();
    Repeats::instance().memory_changed();
}

void EngineDevice::note_effect(const interpreter::Launch& launch, const LaunchRequest& request, const Effect& effect) {
    Repeats& repeats = Repeats::instance();
    if (!launch.program->is_repeatable || effect.error != 0 || effect.is_noticed || effect.met_host) {
        if (!launch.program->is_repeatable || launch.changed_memory) repeats.memory_changed();
        return;
    }
    if (!launch.changed_memory) return repeats.add_unchanged(ordinal_, request, effect.state);
    // The rate from the host's memory; it is three times as high from its caches.
    constexpr double bytes_in_a_second = 16e9;
    const AddressSpace& memory = AddressSpace::instance();
    const double seconds_of_digest = static_cast<double>(memory.used_bytes()) / bytes_in_a_second;
    if (!repeats.wants_digest(ordinal_, request, effect.seconds, seconds_of_digest))
        return repeats.add_change(ordinal_, request, effect.state, nullptr);
    const auto digest = memory.digest();
    repeats.add_change(ordinal_, request, effect.state, &digest);
}

}  // namespace simt
