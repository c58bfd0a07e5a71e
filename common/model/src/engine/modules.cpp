// Loading and linking: texts become a module whose variables have addresses.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "device/address_space.hpp"
#include "device/round_up.hpp"
#include "engine/engine.hpp"
#include "interpreter/decode/fusion.hpp"
#include "report/session.hpp"

namespace simt {

namespace {

constexpr int error_invalid_ptx = 218;

bool is_global(const ptx::Variable& variable) {
    return variable.space == ptx::StateSpace::global || variable.space == ptx::StateSpace::constant;
}

bool is_internal(ptx::Linkage linkage) { return linkage == ptx::Linkage::internal; }

void add_functions(interpreter::LoadedModule& module) {
    for (const auto& text : module.texts)
        for (const ptx::Function& function : text->functions) {
            if (!function.has_body) continue;
            const int number = static_cast<int>(module.functions.size());
            module.functions.push_back({text.get(), &function});
            if (is_internal(function.linkage) && !function.is_entry) {
                module.internal_functions[{text.get(), function.name}] = number;
                module.function_numbers.try_emplace(function.name, number);
            } else if (!module.function_numbers.try_emplace(function.name, number).second && function.linkage == ptx::Linkage::visible) {
                // A definition that is not weak replaces weak definitions.
                module.function_numbers[function.name] = number;
            }
        }
}

}  // namespace

interpreter::LoadedModule& EngineDevice::module(int number) {
    const auto found = modules_.find(number);
    if (found == modules_.end())
        throw DeviceError(error_invalid_ptx, {MessageCode::no_such_number, {{"object", "module"}, {"number", number}}});
    return *found->second;
}

int EngineDevice::load_module(const std::vector<std::string>& texts) {
    auto loaded = std::make_unique<interpreter::LoadedModule>();
    try {
        for (const std::string& text : texts) {
            loaded->texts.push_back(std::make_unique<ptx::Module>(ptx::parse(text)));
            const std::uint64_t fingerprint = interpreter::fingerprint(text);
            loaded->texts.back()->fingerprint = fingerprint;
            interpreter::compare_loaded(fingerprint, text);
        }
    } catch (const ptx::ParseError& error) {
        throw DeviceError(error_invalid_ptx, error.message());
    }
    add_functions(*loaded);
    place_variables(*loaded);
    initialize_variables(*loaded);
    const std::lock_guard lock(mutex_);
    modules_[next_module_] = std::move(loaded);
    return next_module_++;
}

void EngineDevice::place_variables(interpreter::LoadedModule& module) {
    for (const auto& text : module.texts)
        for (const ptx::Variable& variable : text->variables) {
            if (!is_global(variable) || (variable.linkage == ptx::Linkage::external && !variable.managed)) continue;
            const bool internal = is_internal(variable.linkage);
            if (!internal && module.variables.contains(variable.name)) continue;
            const std::size_t bytes = std::max<std::size_t>(variable.bytes, 1);
            interpreter::LoadedModule::Variable placed{0, bytes, variable.space, variable.managed};
            if (variable.managed) {
                // The host and kernels use the same address.
                void* memory = std::aligned_alloc(4096, memory::round_up(bytes, 4096));
                if (!memory)
                    throw DeviceError(interpreter::error_out_of_memory,
                                      {MessageCode::no_memory_for_variable, {{"storage", "managed"}, {"variable", variable.name}}});
                std::memset(memory, 0, bytes);
                placed.address = reinterpret_cast<std::uint64_t>(memory);
                map_host(memory, bytes);
            } else {
                placed.address = allocate(bytes);
                if (placed.address == 0)
                    throw DeviceError(interpreter::error_out_of_memory,
                                      {MessageCode::no_memory_for_variable, {{"variable", variable.name}}});
                if (variable.space == ptx::StateSpace::constant) memory::AddressSpace::instance().mark_constant(placed.address);
            }
            if (internal) {
                module.internal_variables[{text.get(), variable.name}] = placed;
                module.variables.try_emplace(variable.name, placed);
            } else {
                module.variables[variable.name] = placed;
            }
        }
}

void EngineDevice::initialize_variables(interpreter::LoadedModule& module) {
    for (const auto& text : module.texts)
        for (const ptx::Variable& variable : text->variables) {
            if (!is_global(variable) || variable.linkage == ptx::Linkage::external) continue;
            const interpreter::LoadedModule::Variable* placed = module.find_variable(*text, variable.name);
            unsigned char* at = memory::AddressSpace::instance().host_bytes(placed->address, placed->bytes);
            std::memset(at, 0, placed->bytes);
            std::copy_n(variable.initial.begin(), std::min(variable.initial.size(), placed->bytes), at);
            for (const ptx::Relocation& relocation : variable.relocations) {
                std::uint64_t value = 0;
                if (const auto* other = module.find_variable(*text, relocation.symbol)) value = other->address;
                else if (const int function = module.find_function(*text, relocation.symbol); function >= 0)
                    value = memory::function_window + 16 * static_cast<std::uint64_t>(function);
                else
                    throw DeviceError(error_invalid_ptx,
                                      {MessageCode::undefined_initial_value, {{"variable", variable.name}, {"symbol", relocation.symbol}}});
                value = (value + static_cast<std::uint64_t>(relocation.addend)) & relocation.mask;
                if (relocation.mask != ~std::uint64_t{0} && relocation.mask != 0) value >>= std::countr_zero(relocation.mask);
                std::memcpy(at + relocation.offset, &value, static_cast<std::size_t>(relocation.bytes));
            }
        }
}

void EngineDevice::unload_module(int number) {
    const std::lock_guard lock(mutex_);
    const auto found = modules_.find(number);
    if (found == modules_.end()) return;
    for (const auto& [name, variable] : found->second->variables)
        if (!variable.managed) release(variable.address);
    for (Kernel& of : kernels_)
        if (of.module == number) of.program.reset();
    modules_.erase(found);
}

int EngineDevice::find_function(int number, const std::string& name) {
    const std::lock_guard lock(mutex_);
    const interpreter::LoadedModule& in = module(number);
    const auto found = in.function_numbers.find(name);
    if (found == in.function_numbers.end() || !in.functions[found->second].function->is_entry) return -1;
    for (std::size_t i = 0; i < kernels_.size(); ++i)
        if (kernels_[i].module == number && kernels_[i].function == found->second) return static_cast<int>(i);
    kernels_.push_back({number, found->second, nullptr});
    return static_cast<int>(kernels_.size()) - 1;
}

FunctionInfo EngineDevice::function(int number) {
    const std::lock_guard lock(mutex_);
    const Kernel& of = kernel(number);
    const interpreter::LoadedModule& in = module(of.module);
    const auto& [text, function] = in.functions[of.function];
    FunctionInfo info;
    info.name = function->name;
    for (const ptx::Variable& parameter : function->parameters) {
        info.parameter_bytes = memory::round_up(info.parameter_bytes, std::max<std::size_t>(parameter.alignment, 1));
        info.parameters.push_back({info.parameter_bytes, parameter.bytes});
        info.parameter_bytes += parameter.bytes;
    }
    const interpreter::Program& decoded = program(number);
    info.static_shared_bytes = decoded.static_shared_bytes;
    info.local_bytes = decoded.entry->local_bytes;
    for (const ptx::Variable& variable : text->variables)
        if (variable.space == ptx::StateSpace::constant) info.constant_bytes += variable.bytes;
    const int most = info.max_threads = current_machine().max_block_threads;
    // A text may give any numbers. Those above `most` change nothing, and the product of three such overflows no int.
    const auto product = [most](const std::array<int, 3>& sizes) {
        return std::clamp(sizes[0], 1, most) * std::clamp(sizes[1], 1, most) * std::clamp(sizes[2], 1, most);
    };
    if (function->max_threads[0] > 0) info.max_threads = std::min(info.max_threads, product(function->max_threads));
    if (function->required_threads[0] > 0) info.max_threads = std::min(info.max_threads, product(function->required_threads));
    info.registers = std::clamp(static_cast<int>(function->registers.size()) / 2, 16, 255);
    info.required_cluster = function->required_cluster;
    // The text's target architecture, by which libraries choose their launch configuration.
    info.ptx_version = std::atoi(text->target.c_str() + std::min<std::size_t>(text->target.size(), std::string_view("sm_").size()));
    return info;
}

bool EngineDevice::find_variable(int number, const std::string& name, VariableInfo& info) {
    const std::lock_guard lock(mutex_);
    const interpreter::LoadedModule& in = module(number);
    const auto found = in.variables.find(name);
    if (found == in.variables.end()) return false;
    info = {found->second.address, found->second.bytes, found->second.space == ptx::StateSpace::constant, found->second.managed};
    return true;
}

std::vector<std::string> EngineDevice::function_names(int number) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [text, function] : module(number).functions)
        if (function->is_entry) names.push_back(function->name);
    return names;
}

}  // namespace simt
