#include "calls/runtime/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "calls/runtime/work.hpp"
#include "device/links.hpp"

namespace simt::calls {

Allocations& Allocations::instance() {
    // Never destroyed: destructors of a program's objects may free memory after it.
    static Allocations& instance = *new Allocations;
    return instance;
}

void Allocations::add(const ProgramAllocation& allocation) {
    const std::scoped_lock lock(mutex_);
    by_begin_[allocation.begin] = allocation;
    if (allocation.on_host()) return;
    lowest_ = std::min(lowest_, allocation.begin);
    highest_ = std::max(highest_, allocation.begin + allocation.bytes);
}

void* Allocations::allocate(ProgramAllocation::Kind kind, std::size_t bytes, unsigned flags, cudaMemPool_t pool) {
    if (bytes == 0) return nullptr;
    void* memory = nullptr;
    if (kind == ProgramAllocation::Kind::device || kind == ProgramAllocation::Kind::graph) {
        memory = pointer_to(current_device().allocate(bytes));
        require(memory != nullptr, cudaErrorMemoryAllocation);
    } else {
        // Allocations of whole pages have the same alignment, and so the same counts, in every run.
        memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        require(memory != MAP_FAILED, cudaErrorMemoryAllocation);
        current_device().map_host(memory, bytes);
    }
    add({kind, address_of(memory), bytes, thread_state().device, flags, pool});
    return memory;
}

void Allocations::register_host(void* memory, std::size_t bytes, unsigned flags) {
    require(memory != nullptr && bytes != 0);
    const std::scoped_lock lock(mutex_);
    const auto after = by_begin_.lower_bound(address_of(memory) + bytes);
    if (after != by_begin_.begin()) {
        const ProgramAllocation& before = std::prev(after)->second;
        require(before.begin + before.bytes <= address_of(memory), cudaErrorHostMemoryAlreadyRegistered);
    }
    current_device().map_host(memory, bytes);
    add({ProgramAllocation::Kind::registered, address_of(memory), bytes, thread_state().device, flags, nullptr});
}

void Allocations::give_back(const ProgramAllocation& allocation) {
    void* memory = pointer_to(allocation.begin);
    Device& owner = device(allocation.device);
    if (allocation.on_host()) {
        owner.unmap_host(memory);
        if (allocation.kind != ProgramAllocation::Kind::registered) munmap(memory, allocation.bytes);
    } else {
        owner.release(allocation.begin);
    }
}

void Allocations::release(void* memory, std::initializer_list<ProgramAllocation::Kind> allowed, cudaError_t otherwise) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_begin_.find(address_of(memory));
    require(found != by_begin_.end() && std::ranges::find(allowed, found->second.kind) != allowed.end(), otherwise);
    if (found->second.kind == ProgramAllocation::Kind::graph) {
        require(found->second.in_use, otherwise);
        end_use(found->second);
        if (!found->second.is_orphan) return;
    }
    give_back(found->second);
    by_begin_.erase(found);
}

std::optional<ProgramAllocation> Allocations::find(const void* address) const {
    const std::scoped_lock lock(mutex_);
    const auto after = by_begin_.upper_bound(address_of(address));
    if (after == by_begin_.begin()) return std::nullopt;
    const ProgramAllocation& allocation = std::prev(after)->second;
    if (address_of(address) - allocation.begin >= allocation.bytes) return std::nullopt;
    return allocation;
}

void Allocations::release_all() {
    const std::scoped_lock lock(mutex_);
    const int ordinal = thread_state().device;
    std::erase_if(by_begin_, [&](const auto& entry) {
        if (entry.second.device != ordinal) return false;
        give_back(entry.second);
        return true;
    });
    graph_bytes_.erase(ordinal);
}

std::size_t Allocations::pool_bytes(cudaMemPool_t pool) const {
    const std::scoped_lock lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& [begin, allocation] : by_begin_)
        if (allocation.pool == pool) bytes += allocation.bytes;
    return bytes;
}

bool Allocations::is_device_address(const void* address) const {
    const std::scoped_lock lock(mutex_);
    return address_of(address) >= lowest_ && address_of(address) < highest_;
}

bool on_device(const void* pointer, std::size_t bytes) {
    const Device::Range range = current_device().range_of(address_of(pointer));
    return range.bytes != 0 && bytes <= range.bytes - (address_of(pointer) - range.begin);
}

bool only_on_device(const void* pointer) {
    const Device::Range range = current_device().range_of(address_of(pointer));
    return range.bytes != 0 ? !range.host : Allocations::instance().is_device_address(pointer);
}

bool on_host(const void* pointer, std::size_t bytes) {
    if (!pointer || only_on_device(pointer)) return false;
    const auto allocation = Allocations::instance().find(pointer);
    // Host memory may continue beyond the part of it that was registered.
    if (!allocation || allocation->kind == ProgramAllocation::Kind::registered) return true;
    return bytes <= allocation->bytes - (address_of(pointer) - allocation->begin);
}

namespace {

/// Counts the bytes that a copy between devices sends over their link.
void count_link(const void* to, const void* from, std::size_t bytes) {
    if (device_count() == 1) return;
    const auto target = Allocations::instance().find(to), source = Allocations::instance().find(from);
    if (target && source) memory::Links::instance().add(source->device, target->device, bytes, memory::sectors_of(address_of(from), bytes));
}

}  // namespace

void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t rows) {
    if (width == 0 || rows == 0) return;
    const bool to_device = only_on_device(to), from_device = only_on_device(from);
    Device& device = current_device();
    const bool is_within = to_device && from_device;
    if (is_within) device.copy_rows({address_of(to), address_of(from), to_pitch, from_pitch, width, rows});
    for (std::size_t row = 0; row < rows; ++row) {
        char* const target = static_cast<char*>(to) + row * to_pitch;
        const char* const source = static_cast<const char*>(from) + row * from_pitch;
        if (is_within) count_link(target, source, width);
        else if (to_device) device.copy_in(address_of(target), source, width);
        else if (from_device) device.copy_out(target, address_of(source), width);
        else std::memmove(target, source, width);
    }
}

void set_elements(void* to, std::uint32_t value, unsigned width, std::size_t count) {
    if (only_on_device(to)) {
        current_device().fill(address_of(to), value, static_cast<int>(width), count);
        return;
    }
    if (width == 1) {
        std::memset(to, static_cast<int>(value & 0xFF), count);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) std::memcpy(static_cast<char*>(to) + i * width, &value, width);
}

}  // namespace simt::calls

using namespace simt::calls;
using Kind = ProgramAllocation::Kind;

namespace {

cudaError_t allocate(void** pointer, Kind kind, std::size_t bytes, unsigned flags = 0) {
    return call([&] {
        require(pointer != nullptr);
        *pointer = nullptr;
        *pointer = Allocations::instance().allocate(kind, bytes, flags);
    });
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) { return allocate(pointer, Kind::device, bytes); }
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) { return allocate(pointer, Kind::pinned, bytes); }

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
    if (flags & ~static_cast<unsigned>(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        return remember(cudaErrorInvalidValue);
    return allocate(pointer, Kind::pinned, bytes, flags);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
    if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return remember(cudaErrorInvalidValue);
    return allocate(pointer, Kind::managed, bytes, flags);
}

cudaError_t cudaFree(void* pointer) {
    return call([&] {
        if (pointer) Allocations::instance().release(pointer, {Kind::device, Kind::graph, Kind::managed}, cudaErrorInvalidValue);
        report_kernel_error();
    });
}

cudaError_t cudaFreeHost(void* pointer) {
    return call([&] {
        if (pointer) Allocations::instance().release(pointer, {Kind::pinned}, cudaErrorInvalidValue);
        report_kernel_error();
    });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
    return call([&] {
        require(pointer != nullptr && pitch != nullptr);
        *pitch = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
        require(*pitch >= width && (height == 0 || *pitch <= SIZE_MAX / height), cudaErrorMemoryAllocation);
        *pointer = Allocations::instance().allocate(Kind::device, *pitch * height);
    });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
    return call([&] {
        require(pitched != nullptr);
        std::size_t pitch = 0;
        void* memory = nullptr;
        require(extent.depth == 0 || extent.height <= SIZE_MAX / extent.depth, cudaErrorMemoryAllocation);
        const cudaError_t error = cudaMallocPitch(&memory, &pitch, extent.width, extent.height * extent.depth);
        require(error == cudaSuccess, error);
        *pitched = {memory, pitch, extent.width, extent.height};
    });
}

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned flags) {
    return call([&] { Allocations::instance().register_host(memory, bytes, flags); });
}

cudaError_t cudaHostUnregister(void* memory) {
    return call([&] {
        require(memory != nullptr);
        Allocations::instance().release(memory, {Kind::registered}, cudaErrorHostMemoryNotRegistered);
    });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
    return call([&] {
        require(device_pointer != nullptr && flags == 0);
        const auto allocation = Allocations::instance().find(host_pointer);
        require(allocation && allocation->on_host());
        *device_pointer = host_pointer;
    });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host_pointer) {
    return call([&] {
        const auto allocation = Allocations::instance().find(host_pointer);
        require(flags && allocation && (allocation->kind == Kind::pinned || allocation->kind == Kind::registered));
        *flags = allocation->flags | cudaHostAllocMapped;
    });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    return call([&] {
        std::size_t free_now = 0, total = 0;
        current_device().memory_info(free_now, total);
        if (free_bytes) *free_bytes = free_now;
        if (total_bytes) *total_bytes = total;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return call([&] {
        require(attributes != nullptr);
        *attributes = {};
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = -2;
        attributes->hostPointer = const_cast<void*>(pointer);
        const auto allocation = Allocations::instance().find(pointer);
        if (!allocation && !only_on_device(pointer)) return;
        if (!allocation && !on_device(pointer, 1)) return;
        const Kind kind = allocation ? allocation->kind : Kind::device;
        const bool on_device = kind == Kind::device || kind == Kind::graph;
        attributes->type = on_device ? cudaMemoryTypeDevice : kind == Kind::managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
        attributes->device = allocation ? allocation->device : thread_state().device;
        attributes->devicePointer = const_cast<void*>(pointer);
        if (on_device) attributes->hostPointer = nullptr;
    });
}

}  // extern "C"
