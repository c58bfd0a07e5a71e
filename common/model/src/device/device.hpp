// The interface between the model's CUDA runtime and driver libraries and a modelled device. All arguments are plain data, so that
// the device can live in another process than the program that uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "simt/counts.hpp"
#include "simt/machine.hpp"
#include "simt/message.hpp"

namespace simt {

/// An address that a kernel uses for global memory. Host code cannot touch it: the range is reserved without access.
/// Managed and mapped memory is the exception: its device addresses are the host's.
using DeviceAddress = std::uint64_t;

/// A program cannot be loaded or run. The message says why, where, and what is accepted.
class DeviceError : public MessageError {
public:
    /// @param code error of the CUDA runtime, by number (cudaErrorInvalidPtx = 218, …)
    DeviceError(int code, Message message) : MessageError(std::move(message)), code_(code) {}
    int code() const { return code_; }

private:
    int code_;
};

struct FunctionParameter { std::size_t offset, bytes; };

/// The properties of a kernel that are known before its launch.
struct FunctionInfo {
    std::string name;
    std::vector<FunctionParameter> parameters;
    /// Bytes of all parameters together.
    std::size_t parameter_bytes = 0;
    std::size_t static_shared_bytes = 0, constant_bytes = 0, local_bytes = 0;
    /// From the text, or the machine's limit.
    int max_threads = 1024;
    /// An estimate: the registers that are live at a time, at most 255.
    int registers = 0;
    std::array<int, 3> required_cluster{};
    /// The architecture that its text is for, such as 90.
    int ptx_version = 0;
};

/// Rows of `width` bytes. Consecutive rows begin `to_pitch` and `from_pitch` bytes apart.
struct RowCopy {
    DeviceAddress to = 0, from = 0;
    std::size_t to_pitch = 0, from_pitch = 0, width = 0, rows = 1;
    bool is_empty() const { return width == 0 || rows == 0; }
    /// Bytes from the first to the last byte that is written, and that is read.
    std::size_t to_span() const { return (rows - 1) * to_pitch + width; }
    std::size_t from_span() const { return (rows - 1) * from_pitch + width; }
};

struct VariableInfo {
    DeviceAddress address = 0;
    std::size_t bytes = 0;
    bool constant = false, managed = false;
};

/// A kernel launch.
struct LaunchRequest {
    int function = 0;
    Extent grid, block;
    /// {0, 0, 0} where the launch asks for none.
    Extent cluster{0, 0, 0};
    std::size_t dynamic_shared_bytes = 0;
    bool cooperative = false;
    /// See LaunchInfo.
    int carveout = -1;
    /// The parameters in the layout of FunctionInfo::parameters.
    std::vector<std::uint8_t> parameters;

    bool operator==(const LaunchRequest&) const = default;
};

/// The format of texels.
struct ChannelFormat {
    enum class Kind : std::uint8_t { signed_integer, unsigned_integer, floating_point, none } kind = Kind::none;
    /// Bits of x, y, z, w; 0 where there is no such channel.
    std::array<int, 4> bits{};
    int bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8; }
    int channels() const { return (bits[0] != 0) + (bits[1] != 0) + (bits[2] != 0) + (bits[3] != 0); }
    /// Whether CUDA has such texels: one, two or four channels of 8, 16 or 32 bits, all alike.
    bool is_valid() const {
        const int width = bits[0];
        return (width == 8 || width == 16 || width == 32) &&
               (bits == std::array{width, 0, 0, 0} || bits == std::array{width, width, 0, 0} ||
                bits == std::array{width, width, width, width});
    }
    bool operator==(const ChannelFormat&) const = default;
};

/// A CUDA array. Extents of 0 are dimensions that it does not have.
struct ArrayShape {
    ChannelFormat format;
    std::size_t width = 0, height = 0, depth = 0;
    bool layered = false, cubemap = false, surface = false, gather = false;
    int levels = 1;
};

/// A box of texels, in bytes along x, rows along y, slices along z.
struct ArrayBox {
    std::size_t x_bytes = 0, y = 0, z = 0, width_bytes = 0, height = 1, depth = 1;
    int level = 0;
};

/// A texture or surface object.
struct TextureRequest {
    enum class Resource : std::uint8_t { array, linear, pitched } resource = Resource::array;
    int array = 0;
    /// All levels of the array are sampled, and not level 0 alone.
    bool mipmapped = false;
    DeviceAddress address = 0;
    /// Linear or pitched memory from `address` on has `bytes` bytes. Texels along x, rows along y, and bytes from row to row.
    std::size_t bytes = 0, width = 0, height = 0, pitch = 0;
    ChannelFormat format;
    /// The bytes from `address` to the end of the last texel of linear or pitched memory; the largest number if there are more.
    std::size_t bytes_of_texels() const {
        std::size_t row = 0, before = 0, all = 0;
        const std::size_t rows_before = resource == Resource::pitched && height > 0 ? height - 1 : 0;
        const bool wraps = __builtin_mul_overflow(width, static_cast<std::size_t>(format.bytes()), &row) ||
                           __builtin_mul_overflow(rows_before, pitch, &before) || __builtin_add_overflow(before, row, &all);
        return wraps ? SIZE_MAX : all;
    }
    enum class Address : std::uint8_t { wrap, clamp, mirror, border };
    std::array<Address, 3> address_mode{Address::clamp, Address::clamp, Address::clamp};
    enum class Filter : std::uint8_t { point, linear } filter = Filter::point, mipmap_filter = Filter::point;
    bool normalized_coordinates = false, read_as_normalized_float = false, srgb = false;
    std::array<float, 4> border{};
    float mipmap_bias = 0, min_level = 0, max_level = 0;
    bool surface = false;
};

/// A limit that a program may set: the bytes of device memory that `malloc` in kernels may take (cudaLimitMallocHeapSize), or those of the
/// L2 that are kept for the accesses that a program names (cudaLimitPersistingL2CacheSize).
enum class DeviceLimit : std::uint8_t { heap, kept_l2 };

/// A modelled device. Its functions may be called from several host threads. Errors are DeviceErrors.
class Device {
public:
    virtual ~Device() = default;

    /// @name Modules
    /// @{
    /// Loads PTX texts that are linked with one another by name, and returns the module's number.
    virtual int load_module(const std::vector<std::string>& texts) = 0;
    virtual void unload_module(int module) = 0;
    /// The number of the kernel with this mangled name; -1 if the module has none.
    virtual int find_function(int module, const std::string& name) = 0;
    virtual FunctionInfo function(int function) = 0;
    /// False if the module has no such variable.
    virtual bool find_variable(int module, const std::string& name, VariableInfo& info) = 0;
    virtual std::vector<std::string> function_names(int module) = 0;
    /// @}

    /// @name Memory
    /// Allocations start at multiples of at least 256 bytes, at the same offsets in every run.
    /// @{
    /// Returns 0 if the memory does not suffice.
    virtual DeviceAddress allocate(std::size_t bytes) = 0;
    /// False if `address` is not the start of a live allocation.
    virtual bool release(DeviceAddress address) = 0;
    /// Lets kernels access host memory (managed, mapped or registered) at its host address.
    virtual void map_host(void* memory, std::size_t bytes) = 0;
    virtual bool unmap_host(void* memory) = 0;
    struct Range {
        DeviceAddress begin = 0;
        std::size_t bytes = 0;
        bool host = false;
    };
    /// The live allocation (or mapped host memory, or module variable) that holds `address`; `bytes` 0 if none does.
    virtual Range range_of(DeviceAddress address) = 0;
    virtual void memory_info(std::size_t& free, std::size_t& total) = 0;
    /// These throw DeviceError(cudaErrorInvalidValue) if a range is not inside one allocation.
    virtual void copy_in(DeviceAddress to, const void* from, std::size_t bytes) = 0;
    virtual void copy_out(void* to, DeviceAddress from, std::size_t bytes) = 0;
    /// From one place in device memory to another, one row after the other.
    virtual void copy_rows(const RowCopy& copy) = 0;
    void copy_within(DeviceAddress to, DeviceAddress from, std::size_t bytes) { copy_rows({to, from, bytes, bytes, bytes}); }
    /// `count` elements of `width` (1, 2 or 4) bytes.
    virtual void fill(DeviceAddress to, std::uint32_t value, int width, std::size_t count) = 0;
    /// @}

    /// @name Arrays, textures and surfaces
    /// @{
    virtual int create_array(const ArrayShape& shape) = 0;
    virtual bool destroy_array(int array) = 0;
    virtual void copy_to_array(int array, const ArrayBox& box, const void* from, std::size_t pitch, std::size_t slice_pitch) = 0;
    virtual void copy_from_array(int array, const ArrayBox& box, void* to, std::size_t pitch, std::size_t slice_pitch) = 0;
    /// Returns the handle that kernels use for the object. Never 0.
    virtual std::uint64_t create_texture(const TextureRequest& request) = 0;
    virtual bool destroy_texture(std::uint64_t handle) = 0;
    /// @}

    /// @name Kernels
    /// @{
    /// Runs a kernel to its end. Returns 0, or the number of the error that a GPU would end it with.
    virtual int launch(const LaunchRequest& request) = 0;
    /// Blocks of this shape that a multiprocessor holds.
    virtual int occupancy(int function, int block_threads, std::size_t dynamic_shared_bytes) = 0;
    virtual const Machine& machine() const = 0;
    virtual void set_limit(DeviceLimit limit, std::size_t bytes) = 0;
    /// After this call, `malloc` in a kernel ends its launch with a message.
    virtual void remove_heap() {}
    /// Sets the destination of printf in kernels; the default is standard output.
    virtual void set_printer(std::function<void(std::string_view)> printer) = 0;
    /// @}

    /// Adds a line to the errors of the report.
    virtual void note_error(const Message& message) = 0;

    /// Resets the device: cudaDeviceReset().
    virtual void reset() = 0;
};

/// @name The devices of this process
/// remote/devices.cpp defines them for the model's library; each test program defines its own.
/// @{
/// The device number `ordinal`. Devices share one range of addresses, and each can reach the others' memory.
Device& device(int ordinal);
int device_count();
/// @}

}  // namespace simt
