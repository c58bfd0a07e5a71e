#include "remote/judge/trial_case.hpp"

#include <fstream>
#include <stdexcept>

#include "simt/model.hpp"

namespace simt::remote {

namespace {

/// An error of the CUDA runtime, by number.
constexpr int memory_allocation = 2;

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::vector<std::uint8_t> data(std::filesystem::file_size(path));
    if (!in.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size())))
        throw std::runtime_error(path.string() + " cannot be read");
    return data;
}

void write_bytes(const std::filesystem::path& path, const std::vector<std::uint8_t>& data) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
    out.close();
    if (!out) throw std::runtime_error(path.string() + " cannot be written");
}

}  // namespace

TrialCase::TrialCase(const std::filesystem::path& folder, Device& device) : device_(device), data_use_(device.machine()) {
    const std::filesystem::path path = folder / "case.txt";
    std::ifstream in(path);
    std::string kind, name;
    while (in >> kind) {
        const bool is_buffer = kind == "input" || kind == "output";
        if (!(in >> name) || (is_buffer ? false : kind != "integer" || !(in >> integers_[name])))
            throw std::runtime_error(path.string() + ": '" + kind + "' is not understood");
        if (is_buffer) buffers_[name] = {kind == "output", bytes_of(folder / (name + ".bin")), {}};
    }
    if (integers_.empty()) throw std::runtime_error(path.string() + " has no parameters, or cannot be read");
    add_listener(data_use_);
}

TrialCase::~TrialCase() {
    remove_listener(data_use_);
    for (const auto& [name, buffer] : buffers_)
        if (buffer.placed && buffer.placed->address != 0) device_.release(buffer.placed->address);
}

std::optional<int> TrialCase::integer(const std::string& name) const {
    const auto found = integers_.find(name);
    return found == integers_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TrialCase::Placed> TrialCase::place(const std::string& name) {
    const auto found = buffers_.find(name);
    if (found == buffers_.end()) return std::nullopt;
    Buffer& buffer = found->second;
    if (buffer.placed) return buffer.placed;
    Placed placed{0, buffer.initial.size()};
    if (placed.bytes > 0) {
        placed.address = device_.allocate(placed.bytes);
        if (placed.address == 0) throw DeviceError(memory_allocation, {MessageCode::no_room_for_buffer, {{"buffer", name}}});
        device_.copy_in(placed.address, buffer.initial.data(), placed.bytes);
        data_use_.place(name, placed.address, placed.bytes);
    }
    return buffer.placed = placed;
}

std::string_view TrialCase::name_at(DeviceAddress address) const {
    for (const auto& [name, buffer] : buffers_)
        if (buffer.placed && buffer.placed->address == address && address != 0) return name;
    return {};
}

std::vector<std::uint8_t> TrialCase::content(const Buffer& buffer) const {
    std::vector<std::uint8_t> data(buffer.placed->bytes);
    if (!data.empty()) device_.copy_out(data.data(), buffer.placed->address, data.size());
    return data;
}

std::vector<std::string> TrialCase::overwritten_inputs() const {
    std::vector<std::string> names;
    for (const auto& [name, buffer] : buffers_)
        if (!buffer.is_output && buffer.placed && content(buffer) != buffer.initial) names.push_back(name);
    return names;
}

void TrialCase::write_outputs(const std::filesystem::path& folder) const {
    for (const auto& [name, buffer] : buffers_)
        if (buffer.is_output && buffer.placed) write_bytes(folder / (name + ".bin"), content(buffer));
}

}  // namespace simt::remote
