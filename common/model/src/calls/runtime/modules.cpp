#include "calls/runtime/modules.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "calls/runtime/fat_binary.hpp"
#include "ptx/kernel_name.hpp"

namespace simt::calls {

namespace {

constexpr const char* option_for_ptx = "-gencode arch=compute_90,code=compute_90";

std::string list_of_targets(const std::vector<FatBinaryEntry>& entries) {
    std::string list;
    for (const FatBinaryEntry& entry : entries) list += (list.empty() ? "" : ", ") + entry.target();
    return list;
}

bool starts_with_elf(const void* data) {
    return std::memcmp(data,
                       "\x7f"
                       "ELF",
                       4) == 0;
}

/// Begins each text of an image that was linked at run time.
constexpr std::string_view linked_text_mark = "//# a text that the model has linked\n";

/// The texts of an image that linked_texts_image() made; any other text alone.
std::vector<std::string> split_texts(std::string_view text) {
    if (!text.starts_with(linked_text_mark)) return {std::string(text)};
    std::vector<std::string> texts;
    while (text.starts_with(linked_text_mark)) {
        text.remove_prefix(linked_text_mark.size());
        const std::size_t end = std::min(text.size(), text.find(linked_text_mark));
        texts.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return texts;
}

DeviceError no_ptx(const std::string& targets) {
    return {cudaErrorNoKernelImageForDevice,
            {MessageCode::no_ptx, {{"targets", targets.empty() ? "no device code" : targets}, {"option", option_for_ptx}}}};
}

/// Whether a library of PyTorch holds a container.
bool is_of_pytorch(const void* container) {
    Dl_info info{};
    return dladdr(container, &info) && info.dli_fname && std::string_view(info.dli_fname).find("/torch/lib/") != std::string_view::npos;
}

}  // namespace

std::string readable_name(const std::string& mangled) { return ptx::kernel_name(mangled); }

std::recursive_mutex& module_mutex() {
    static std::recursive_mutex& mutex = *new std::recursive_mutex;
    return mutex;
}

int Kernel::number() {
    const std::scoped_lock lock(module_mutex());
    const auto [known, is_new] = numbers_.try_emplace(thread_state().device, -1);
    const int in_module = module->number();
    if (is_new || known->second < 0) known->second = current_device().find_function(in_module, name);
    if (known->second < 0) {
        print_error({MessageCode::kernel_without_ptx, {{"kernel", readable_name(name)}, {"option", option_for_ptx}}});
        fail(cudaErrorInvalidDeviceFunction);
    }
    return known->second;
}

FunctionInfo Kernel::info() { return current_device().function(number()); }

std::size_t Kernel::shared_limit() {
    const Machine& machine = current_device().machine();
    const auto most = static_cast<std::size_t>(machine.max_shared_bytes), usual = static_cast<std::size_t>(machine.default_shared_bytes);
    const std::size_t fixed = info().static_shared_bytes;
    if (dynamic_shared_limit >= 0)
        return std::min(most - std::min(most, fixed),
                        std::max<std::size_t>(static_cast<std::size_t>(dynamic_shared_limit), usual - std::min(usual, fixed)));
    return usual - std::min(usual, fixed);
}

DeviceCode::~DeviceCode() {
    for (const auto& [ordinal, number] : numbers_) {
        try {
            device(ordinal).unload_module(number);
        } catch (const std::exception&) {
            // A reset of the device has unloaded the module.
        }
    }
}

void DeviceCode::read_containers() {
    std::string targets;
    for (const void* container : std::exchange(containers_, {})) {
        const auto entries = read_fat_binary(container_at(container));
        if (const FatBinaryEntry* best = best_ptx(entries)) {
            texts_.push_back(ptx_text(*best));
        } else if (!entries.empty()) {
            targets += (targets.empty() ? "" : ", ") + list_of_targets(entries);
            if (is_of_pytorch(container)) throw DeviceError(cudaErrorNoKernelImageForDevice, MessageCode::operators_of_pytorch);
        }
    }
    if (texts_.empty()) throw no_ptx(targets);
}

void DeviceCode::forget(int device) {
    numbers_.erase(device);
    for (const auto& [name, kernel] : kernels_) kernel->forget(device);
}

int DeviceCode::number() {
    const std::scoped_lock lock(module_mutex());
    const int ordinal = thread_state().device;
    if (const auto found = numbers_.find(ordinal); found != numbers_.end()) return found->second;
    if (failure_) fail(static_cast<cudaError_t>(failure_->code()));
    try {
        if (texts_.empty()) read_containers();
        const int number = current_device().load_module(texts_);
        numbers_[ordinal] = number;
        set_managed_pointers(number);
        return number;
    } catch (const DeviceError& error) {
        // The message is printed once; later calls end with the same code.
        failure_ = error;
        throw;
    }
}

void DeviceCode::set_managed_pointers(int number) {
    for (const Managed& managed : managed_) {
        VariableInfo info;
        if (current_device().find_variable(number, managed.name, info)) *managed.pointer = pointer_to(info.address);
    }
}

Kernel& DeviceCode::kernel(const std::string& name) {
    const std::scoped_lock lock(module_mutex());
    auto& kernel = kernels_[name];
    if (!kernel) {
        kernel = std::make_unique<Kernel>(*this, name);
        Registry::instance().add_handle(*kernel);
    }
    return *kernel;
}

bool DeviceCode::has_kernel(const std::string& name) { return current_device().find_function(number(), name) >= 0; }
std::vector<std::string> DeviceCode::kernel_names() { return current_device().function_names(number()); }
bool DeviceCode::variable(const std::string& name, VariableInfo& info) { return current_device().find_variable(number(), name, info); }

Registry& Registry::instance() {
    // Never destroyed: destructors of a program's objects may use the registry after it.
    static Registry& registry = *new Registry;
    return registry;
}

DeviceCode& Registry::add_module(std::unique_ptr<DeviceCode> module) {
    const std::scoped_lock lock(module_mutex());
    DeviceCode& added = *module;
    modules_[&added] = std::move(module);
    return added;
}

void Registry::remove_module(DeviceCode& module) {
    const std::scoped_lock lock(module_mutex());
    std::erase_if(kernels_, [&](const auto& entry) { return entry.second->module == &module; });
    std::erase_if(handles_, [&](const void* handle) { return static_cast<const Kernel*>(handle)->module == &module; });
    std::erase_if(variables_, [&](const auto& entry) { return entry.second.module == &module; });
    modules_.erase(&module);
}

bool Registry::holds(const DeviceCode* module) const {
    const std::scoped_lock lock(module_mutex());
    return modules_.contains(module);
}

Kernel* Registry::kernel(const void* function) const {
    const std::scoped_lock lock(module_mutex());
    if (const auto found = kernels_.find(function); found != kernels_.end()) return found->second;
    if (!handles_.contains(function)) return nullptr;
    return static_cast<Kernel*>(const_cast<void*>(function));
}

const RegisteredVariable* Registry::variable(const void* symbol) const {
    const std::scoped_lock lock(module_mutex());
    const auto found = variables_.find(symbol);
    return found == variables_.end() ? nullptr : &found->second;
}

const RegisteredVariable* Registry::managed_variable(const void* address) const {
    const std::scoped_lock lock(module_mutex());
    for (const auto& [symbol, variable] : variables_)
        if (variable.host_pointer && address && *variable.host_pointer == address) return &variable;
    return nullptr;
}

void Registry::forget_loaded(int device) {
    const std::scoped_lock lock(module_mutex());
    for (const auto& [key, module] : modules_) module->forget(device);
}

Kernel& require_kernel(const void* function) {
    Kernel* kernel = Registry::instance().kernel(function);
    require(kernel != nullptr, cudaErrorInvalidDeviceFunction);
    return *kernel;
}

VariableInfo require_variable(const void* symbol) {
    const RegisteredVariable* variable = Registry::instance().variable(symbol);
    if (!variable) variable = Registry::instance().managed_variable(symbol);
    require(variable != nullptr, cudaErrorInvalidSymbol);
    VariableInfo info;
    require(variable->module->variable(variable->name, info), cudaErrorInvalidSymbol);
    if (info.bytes == 0) info.bytes = variable->bytes;
    return info;
}

std::vector<std::string> texts_of_image(std::span<const std::uint8_t> image) {
    constexpr std::size_t magic_bytes = 4;
    const auto is_elf = [](std::span<const std::uint8_t> bytes) { return bytes.size() > magic_bytes && starts_with_elf(bytes.data()); };
    if (is_elf(image)) throw no_ptx("machine code");
    if (image.size() < magic_bytes || !is_fat_binary(image.data())) {
        std::string text(image.begin(), image.end());
        text.resize(std::min(text.size(), text.find('\0')));
        return split_texts(text);
    }
    const auto entries = read_fat_binary(image);
    const FatBinaryEntry* best = best_ptx(entries);
    if (!best) throw no_ptx(list_of_targets(entries));
    return {ptx_text(*best)};
}

std::vector<std::string> texts_of_image(const void* image) {
    std::uint32_t magic = 0;
    std::memcpy(&magic, image, sizeof magic);
    if (magic == FatBinaryWrapper::expected_magic) {
        FatBinaryWrapper wrapper;
        std::memcpy(&wrapper, image, sizeof wrapper);
        image = wrapper.data;
    }
    if (is_fat_binary(image)) return texts_of_image(container_at(image));
    if (starts_with_elf(image)) throw no_ptx("machine code");
    return split_texts(static_cast<const char*>(image));
}

std::string linked_texts_image(const std::vector<std::string>& texts) {
    std::string image;
    for (const std::string& text : texts) image += std::string(linked_text_mark) + text + "\n";
    return image;
}

}  // namespace simt::calls
