#include "remote/remote_device.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "remote/fields.hpp"

namespace simt::remote {

namespace {

constexpr int exit_code = 70;
/// Errors of the CUDA runtime, by number.
constexpr int unloading = 4, not_supported = 801;

[[noreturn]] void end(const std::string& why) {
    std::fprintf(stderr, "error: %s\n", why.c_str());
    std::_Exit(exit_code);
}

template <class... Values> auto only(const std::vector<std::uint8_t>& reply) { return take<Values...>(Reader(reply)); }

template <class... Values> Writer written(const Values&... values) {
    Writer writer;
    (writer(values), ...);
    return writer;
}

template <class T> Writer written_fields(const T& value) {
    Writer writer;
    fields(writer, value);
    return writer;
}

/// Calls `copy` with the request for each row of a box of an array, and the row's place in the box.
template <class Copy> void for_each_row(int array, const ArrayBox& box, const Copy& copy) {
    for (std::size_t z = 0; z < box.depth; ++z)
        for (std::size_t y = 0; y < box.height; ++y) {
            ArrayBox row = box;
            row.y += y;
            row.z += z;
            row.height = row.depth = 1;
            Writer request = written(array);
            fields(request, row);
            copy(request, y, z);
        }
}

/// Reserves the addresses of device memory in this process, so that host code that uses one is ended by a fault.
void reserve(DeviceAddress address, std::size_t bytes) {
    if (bytes == 0) return;
    // Mappings that the program already has there stay.
    mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

std::span<const std::uint8_t> bytes_at(const void* begin, std::size_t bytes) { return {static_cast<const std::uint8_t*>(begin), bytes}; }

}  // namespace

RemoteDevice::RemoteDevice(int descriptor) : channel_(descriptor) {
    const auto name = only<std::string>(call(Call::hello, written(protocol_magic, protocol_version)));
    machine_ = find_machine(name);
    if (!machine_) end("the judge models " + name + ", which this program does not know");
}

RemoteDevice::~RemoteDevice() = default;

std::vector<std::uint8_t> RemoteDevice::call(Call call, const Writer& request, std::span<const std::uint8_t> data) {
    const std::lock_guard lock(mutex_);
    if (finished_) throw DeviceError(unloading, MessageCode::finished_before);
    busy_ = true;
    std::uint32_t kind = 0;
    std::vector<std::uint8_t> reply;
    if (!channel_.send(static_cast<std::uint32_t>(call), request.data(), data) || !channel_.receive(kind, reply))
        end("the process that owns the device has ended");
    busy_ = false;
    if (kind == static_cast<std::uint32_t>(Status::done)) return reply;
    Reader reader(reply);
    const auto code = reader.number<std::int32_t>();
    throw DeviceError(code, read<Message>(reader));
}

// --- modules --------------------------------------------------------------------------------------

int RemoteDevice::load_module(const std::vector<std::string>& texts) { return only<int>(call(Call::load_module, written(texts))); }

void RemoteDevice::unload_module(int module) {
    // A program unloads modules at its end too, after its last case has finished.
    if (!finished_) call(Call::unload_module, written(module));
}

int RemoteDevice::find_function(int module, const std::string& name) { return only<int>(call(Call::find_function, written(module, name))); }

FunctionInfo RemoteDevice::function(int function) {
    const std::lock_guard lock(known_mutex_);
    if (const auto known = functions_.find(function); known != functions_.end()) return known->second;
    return functions_[function] = only<FunctionInfo>(call(Call::function, written(function)));
}

bool RemoteDevice::find_variable(int module, const std::string& name, VariableInfo& info) {
    bool found;
    std::tie(found, info) = only<bool, VariableInfo>(call(Call::find_variable, written(module, name)));
    return found;
}

std::vector<std::string> RemoteDevice::function_names(int module) {
    return only<std::vector<std::string>>(call(Call::function_names, written(module)));
}

// --- memory ---------------------------------------------------------------------------------------

DeviceAddress RemoteDevice::allocate(std::size_t bytes) {
    const auto address = only<DeviceAddress>(call(Call::allocate, written(bytes)));
    if (address != 0) {
        reserve(address, bytes);
        remember(address, bytes);
    }
    return address;
}

bool RemoteDevice::release(DeviceAddress address) {
    forget(address);
    return !finished_ && only<bool>(call(Call::release, written(address)));
}

void RemoteDevice::remember(DeviceAddress begin, std::size_t bytes) {
    const std::lock_guard lock(known_mutex_);
    bytes_by_begin_[begin] = bytes;
}

void RemoteDevice::forget(DeviceAddress begin) {
    const std::lock_guard lock(known_mutex_);
    bytes_by_begin_.erase(begin);
}

void RemoteDevice::forget_all() {
    const std::lock_guard lock(known_mutex_);
    bytes_by_begin_.clear();
    functions_.clear();
}

void RemoteDevice::map_host(void*, std::size_t bytes) {
    call(Call::host_memory, written(bytes));
    throw DeviceError(not_supported, MessageCode::no_memory_of_this_process);
}

bool RemoteDevice::unmap_host(void*) { return false; }

Device::Range RemoteDevice::range_of(DeviceAddress address) {
    {
        const std::lock_guard lock(known_mutex_);
        const auto after = bytes_by_begin_.upper_bound(address);
        if (after != bytes_by_begin_.begin()) {
            const auto& [begin, bytes] = *std::prev(after);
            if (address - begin < bytes) return {begin, bytes, false};
        }
    }
    return only<Range>(call(Call::range_of, written(address)));
}

void RemoteDevice::memory_info(std::size_t& free, std::size_t& total) {
    std::tie(free, total) = only<std::size_t, std::size_t>(call(Call::memory_info, {}));
}

void RemoteDevice::copy_in(DeviceAddress to, const void* from, std::size_t bytes) {
    std::size_t done = 0;
    do {
        const std::size_t piece = std::min(bytes - done, piece_bytes);
        call(Call::copy_in, written(to + done, done > 0), bytes_at(static_cast<const std::uint8_t*>(from) + done, piece));
        done += piece;
    } while (done < bytes);
}

void RemoteDevice::copy_out(void* to, DeviceAddress from, std::size_t bytes) {
    std::size_t done = 0;
    do {
        const std::size_t piece = std::min(bytes - done, piece_bytes);
        const std::vector<std::uint8_t> reply = call(Call::copy_out, written(from + done, piece, done > 0));
        if (reply.size() != piece) end("the process that owns the device answers with the wrong number of bytes");
        if (piece > 0) std::memcpy(static_cast<std::uint8_t*>(to) + done, reply.data(), piece);
        done += piece;
    } while (done < bytes);
}

void RemoteDevice::copy_rows(const RowCopy& copy) { call(Call::copy_rows, written_fields(copy)); }

void RemoteDevice::fill(DeviceAddress to, std::uint32_t value, int width, std::size_t count) {
    call(Call::fill, written(to, value, width, count));
}

// --- arrays and textures --------------------------------------------------------------------------

int RemoteDevice::create_array(const ArrayShape& shape) { return only<int>(call(Call::create_array, written_fields(shape))); }

bool RemoteDevice::destroy_array(int array) { return !finished_ && only<bool>(call(Call::destroy_array, written(array))); }

void RemoteDevice::copy_to_array(int array, const ArrayBox& box, const void* from, std::size_t pitch, std::size_t slice_pitch) {
    for_each_row(array, box, [&](const Writer& request, std::size_t y, std::size_t z) {
        call(Call::copy_to_array, request, bytes_at(static_cast<const std::uint8_t*>(from) + z * slice_pitch + y * pitch, box.width_bytes));
    });
}

void RemoteDevice::copy_from_array(int array, const ArrayBox& box, void* to, std::size_t pitch, std::size_t slice_pitch) {
    for_each_row(array, box, [&](const Writer& request, std::size_t y, std::size_t z) {
        const std::vector<std::uint8_t> reply = call(Call::copy_from_array, request);
        if (reply.size() != box.width_bytes) end("the process that owns the device answers with the wrong number of bytes");
        std::memcpy(static_cast<std::uint8_t*>(to) + z * slice_pitch + y * pitch, reply.data(), reply.size());
    });
}

std::uint64_t RemoteDevice::create_texture(const TextureRequest& request) {
    return only<std::uint64_t>(call(Call::create_texture, written_fields(request)));
}

bool RemoteDevice::destroy_texture(std::uint64_t handle) { return !finished_ && only<bool>(call(Call::destroy_texture, written(handle))); }

// --- kernels --------------------------------------------------------------------------------------

int RemoteDevice::launch(const LaunchRequest& request) { return only<int>(call(Call::launch, written_fields(request))); }

int RemoteDevice::occupancy(int function, int block_threads, std::size_t dynamic_shared_bytes) {
    return only<int>(call(Call::occupancy, written(function, block_threads, dynamic_shared_bytes)));
}

void RemoteDevice::set_limit(DeviceLimit limit, std::size_t bytes) {
    call(Call::set_limit, written(static_cast<std::uint8_t>(limit), bytes));
}

void RemoteDevice::set_printer(std::function<void(std::string_view)>) {}

void RemoteDevice::reset() {
    forget_all();
    call(Call::reset, {});
}

// --- the trial ------------------------------------------------------------------------------------

std::optional<int> RemoteDevice::trial_integer(const std::string& name) {
    const auto [found, value] = only<bool, int>(call(Call::trial_integer, written(name)));
    return found ? std::optional(value) : std::nullopt;
}

std::optional<RemoteDevice::Placed> RemoteDevice::trial_buffer(const std::string& name) {
    const auto [found, address, bytes] = only<bool, DeviceAddress, std::size_t>(call(Call::trial_buffer, written(name)));
    if (!found) return {};
    reserve(address, bytes);
    remember(address, bytes);
    return Placed{address, bytes};
}

bool RemoteDevice::trial_finish(const std::string& failure) {
    const bool goes_on = only<bool>(call(Call::trial_finish, written(failure)));
    // The next case has other buffers.
    forget_all();
    finished_ = !goes_on;
    return goes_on;
}

void RemoteDevice::note_error(const Message& message) {
    if (!finished_) call(Call::note, written_fields(message));
}

void RemoteDevice::tell_fault(DeviceAddress address) {
    if (busy_ || finished_) return;
    struct Packet {
        PacketHead head;
        DeviceAddress address;
    } const packet{{static_cast<std::uint32_t>(Call::host_fault), sizeof address}, address};
    // A process that a fault ends cannot react if the packet cannot be sent.
    [[maybe_unused]] const ssize_t sent = ::send(channel_.descriptor(), &packet, sizeof packet, MSG_NOSIGNAL);
}

// --- the device of this process -------------------------------------------------------------------

namespace {

RemoteDevice* the_device = nullptr;

/// Sends the address of the fault, then lets the fault end the program.
void on_fault(int number, siginfo_t* info, void*) {
    std::signal(number, SIG_DFL);
    if (the_device) the_device->tell_fault(reinterpret_cast<DeviceAddress>(info->si_addr));
}

RemoteDevice* connect(const char* text) {
    char* rest = nullptr;
    const long descriptor = std::strtol(text, &rest, 10);
    int kind = 0;
    socklen_t bytes = sizeof kind;
    if (*text == '\0' || *rest != '\0' || descriptor < 0 || descriptor > 1 << 20 ||
        getsockopt(static_cast<int>(descriptor), SOL_SOCKET, SO_TYPE, &kind, &bytes) != 0 || kind != SOCK_STREAM)
        end(std::string(socket_variable) + " is '" + text + "', the number of a connected stream socket is accepted");
    // Never destroyed: libraries that are unloaded later may call the device.
    the_device = new RemoteDevice(static_cast<int>(descriptor));
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
    return the_device;
}

}  // namespace

RemoteDevice* remote_device() {
    static RemoteDevice* const device = [] {
        const char* const text = std::getenv(socket_variable);
        return text ? connect(text) : nullptr;
    }();
    return device;
}

}  // namespace simt::remote
