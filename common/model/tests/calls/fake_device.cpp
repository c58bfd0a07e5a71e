// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "fake_device.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <regex>

namespace simt {

namespace test {

namespace {

constexpr std::size_t device_bytes = std::size_t{1} << 34;
constexpr std::size_t alignment = 512;
constexpr int invalid_value = 1;

}  // namespace

FakeDevice::FakeDevice(int)
    : base_(reinterpret_cast<std::uintptr_t>(mmap(nullptr, device_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
      next_(base_) {}

int FakeDevice::load_module(const std::vector<std::string>& texts) {
    ++modules_loaded;
    FakeModule module;
    for (const std::string& text : texts) {
        if (text.find(".version") == std::string::npos)
            throw DeviceError(218, {MessageCode::unreadable_ptx, {{"ptx_line", 1}, {"problem", "the text is not PTX"}}});
        find_directives(module, text);
    }
    modules_[++last_module_] = std::move(module);
    return last_module_;
}

void FakeDevice::find_directives(FakeModule& module, const std::string& text) {
    static const std::regex entry(R"(\.entry\s+(\w+)\s*\(([^)]*)\))");
    static const std::regex parameter(R"(\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w)(\d+)\s+[^,\[]*(?:\[(\d+)\])?)");
    for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end; ++it) {
        FunctionInfo info;
        info.name = (*it)[1];
        const std::string list = (*it)[2];
        for (std::sregex_iterator p(list.begin(), list.end(), parameter); p != end; ++p) {
            const std::size_t element = std::stoul((*p)[3]) / 8;
            const std::size_t bytes = (*p)[4].matched ? element * std::stoul((*p)[4]) : element;
            const std::size_t align = (*p)[1].matched ? std::stoul((*p)[1]) : element;
            const std::size_t offset = (info.parameter_bytes + align - 1) / align * align;
            info.parameters.push_back({offset, bytes});
            info.parameter_bytes = offset + bytes;
        }
        module.functions[info.name] = static_cast<int>(functions_.size());
        functions_.push_back(info);
    }
    static const std::regex variable(
        R"((?:\.visible\s+)?\.(global|const)\s+(?:\.attribute\((\.managed)\)\s+)?(?:\.align\s+\d+\s+)?\.(\w)(\d+)\s+(\w+)(?:\[(\d+)\])?)");
    for (std::sregex_iterator it(text.begin(), text.end(), variable), end; it != end; ++it) {
        VariableInfo info;
        info.bytes = std::stoul((*it)[4]) / 8 * ((*it)[6].matched ? std::stoul((*it)[6]) : 1);
        info.constant = (*it)[1] == "const";
        info.managed = (*it)[2].matched;
        if (info.managed) {
            void* memory = std::calloc(1, 4096);
            map_host(memory, info.bytes);
            info.address = reinterpret_cast<std::uintptr_t>(memory);
        } else {
            info.address = allocate(info.bytes);
        }
        module.variables[(*it)[5]] = info;
    }
}

int FakeDevice::find_function(int module, const std::string& name) {
    const auto& functions = modules_.at(module).functions;
    const auto found = functions.find(name);
    return found == functions.end() ? -1 : found->second;
}

bool FakeDevice::find_variable(int module, const std::string& name, VariableInfo& info) {
    const auto& variables = modules_.at(module).variables;
    const auto found = variables.find(name);
    if (found == variables.end()) return false;
    info = found->second;
    return true;
}

std::vector<std::string> FakeDevice::function_names(int module) {
    std::vector<std::string> names;
    for (const auto& [name, number] : modules_.at(module).functions) names.push_back(name);
    return names;
}

DeviceAddress FakeDevice::allocate(std::size_t bytes) {
    if (bytes > base_ + device_bytes - next_) return 0;
    const DeviceAddress address = next_;
    next_ += (bytes + alignment - 1) / alignment * alignment;
    memory_[address].resize(bytes);
    return address;
}

bool FakeDevice::release(DeviceAddress address) { return memory_.erase(address) == 1; }
void FakeDevice::map_host(void* memory, std::size_t bytes) { host_[reinterpret_cast<std::uintptr_t>(memory)] = bytes; }
bool FakeDevice::unmap_host(void* memory) { return host_.erase(reinterpret_cast<std::uintptr_t>(memory)) == 1; }

Device::Range FakeDevice::range_of(DeviceAddress address) {
    const auto holds = [&](DeviceAddress begin, std::size_t bytes) { return address >= begin && address - begin < bytes; };
    for (const auto& [begin, bytes] : memory_)
        if (holds(begin, bytes.size())) return {begin, bytes.size(), false};
    for (const auto& [begin, bytes] : host_)
        if (holds(begin, bytes)) return {begin, bytes, true};
    return {};
}

void FakeDevice::memory_info(std::size_t& free, std::size_t& total) {
    total = device_bytes;
    free = base_ + device_bytes - next_;
}

char* FakeDevice::bytes_at(DeviceAddress address, std::size_t bytes) {
    const Range range = range_of(address);
    if (range.bytes == 0 || bytes > range.bytes - (address - range.begin))
        throw DeviceError(invalid_value, {MessageCode::not_one_allocation, {{"call", "copy"}, {"bytes", bytes}}});
    if (range.host) return reinterpret_cast<char*>(address);
    return memory_.at(range.begin).data() + (address - range.begin);
}

void FakeDevice::copy_in(DeviceAddress to, const void* from, std::size_t bytes) { std::memcpy(bytes_at(to, bytes), from, bytes); }
void FakeDevice::copy_out(void* to, DeviceAddress from, std::size_t bytes) { std::memcpy(to, bytes_at(from, bytes), bytes); }
void FakeDevice::copy_rows(const RowCopy& copy) {
    for (std::size_t row = 0; row < copy.rows; ++row)
        std::memmove(bytes_at(copy.to + row * copy.to_pitch, copy.width), bytes_at(copy.from + row * copy.from_pitch, copy.width),
                     copy.width);
}

void FakeDevice::fill(DeviceAddress to, std::uint32_t value, int width, std::size_t count) {
    const auto size = static_cast<std::size_t>(width);
    char* bytes = bytes_at(to, size * count);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(bytes + i * size, &value, size);
}

int FakeDevice::create_array(const ArrayShape& shape) {
    FakeArray array{shape, {}};
    const std::size_t bytes = static_cast<std::size_t>(shape.format.bytes()) * shape.width * std::max<std::size_t>(1, shape.height) *
                              std::max<std::size_t>(1, shape.depth);
    for (int level = 0; level < shape.levels; ++level) array.levels[level].resize(bytes);
    arrays_[++last_array_] = std::move(array);
    return last_array_;
}

char* FakeDevice::row(int array, const ArrayBox& box, std::size_t y, std::size_t z) {
    FakeArray& whole = arrays_.at(array);
    const std::size_t width = static_cast<std::size_t>(whole.shape.format.bytes()) * (whole.shape.width >> box.level);
    const std::size_t height = std::max<std::size_t>(1, whole.shape.height >> box.level);
    return whole.levels.at(box.level).data() + ((box.z + z) * height + box.y + y) * width + box.x_bytes;
}

void FakeDevice::copy_to_array(int array, const ArrayBox& box, const void* from, std::size_t pitch, std::size_t slice_pitch) {
    for (std::size_t z = 0; z < box.depth; ++z)
        for (std::size_t y = 0; y < box.height; ++y)
            std::memcpy(row(array, box, y, z), static_cast<const char*>(from) + z * slice_pitch + y * pitch, box.width_bytes);
}

void FakeDevice::copy_from_array(int array, const ArrayBox& box, void* to, std::size_t pitch, std::size_t slice_pitch) {
    for (std::size_t z = 0; z < box.depth; ++z)
        for (std::size_t y = 0; y < box.height; ++y)
            std::memcpy(static_cast<char*>(to) + z * slice_pitch + y * pitch, row(array, box, y, z), box.width_bytes);
}

std::uint64_t FakeDevice::create_texture(const TextureRequest& request) {
    textures[++last_texture_] = request;
    return last_texture_;
}

int FakeDevice::launch(const LaunchRequest& request) {
    launches.push_back(request);
    return launch_result;
}

int FakeDevice::occupancy(int, int block_threads, std::size_t dynamic_shared_bytes) {
    return machine().concurrent_blocks(block_threads, static_cast<std::int64_t>(dynamic_shared_bytes)) / machine().multiprocessors;
}

void FakeDevice::reset() {
    memory_.erase(memory_.lower_bound(base_), memory_.lower_bound(base_ + device_bytes));
    host_.clear();
    modules_.clear();
}

FakeDevice& fake_device(int ordinal) {
    static auto& devices = *new std::map<int, std::unique_ptr<FakeDevice>>;
    auto& device = devices[ordinal];
    if (!device) device = std::make_unique<FakeDevice>(ordinal);
    return *device;
}

}  // namespace test

Device& device(int ordinal) { return test::fake_device(ordinal); }

int device_count() {
    const char* count = std::getenv("SIMT_DEVICES");
    return count ? std::atoi(count) : 1;
}

}  // namespace simt
