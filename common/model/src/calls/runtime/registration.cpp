// nvcc's host code calls these functions before main(): they register the program's device code, kernels and variables.

#include <cstring>

#include "calls/runtime/fat_binary.hpp"
#include "calls/runtime/modules.hpp"

namespace {

using namespace simt::calls;

/// The containers that nvcc's host code registers: one, or those of the relocatable code that was linked.
std::vector<const void*> containers_of(const FatBinaryWrapper& wrapper) {
    std::vector<const void*> containers{wrapper.data};
    if (wrapper.version == FatBinaryWrapper::linked_version) {
        for (auto* linked = static_cast<void**>(wrapper.filename_or_containers); linked && *linked; ++linked) containers.push_back(*linked);
    }
    return containers;
}

DeviceCode* module_of(void** handle) { return reinterpret_cast<DeviceCode*>(handle); }

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* description) {
    FatBinaryWrapper wrapper;
    std::memcpy(&wrapper, description, sizeof wrapper);
    if (wrapper.magic != FatBinaryWrapper::expected_magic) {
        print_error(
            {simt::MessageCode::damaged_fat_binary, {{"damage", std::vector{simt::Message(simt::MessageCode::strange_description)}}}});
        return reinterpret_cast<void**>(
            &Registry::instance().add_module(std::make_unique<DeviceCode>(std::vector<const void*>{description})));
    }
    return reinterpret_cast<void**>(&Registry::instance().add_module(std::make_unique<DeviceCode>(containers_of(wrapper))));
}

void __cudaRegisterFatBinaryEnd(void**) {}

/// The program ends. Kernels and variables stay registered, as destructors may use them.
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
    Registry::instance().add_kernel(host_function, module_of(handle)->kernel(name));
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* name, int, std::size_t bytes, int, int) {
    Registry::instance().add_variable(host_variable, {module_of(handle), name, bytes, nullptr});
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* name, int, std::size_t bytes, int, int) {
    // Host code reaches the variable through the pointer; calls of the runtime name it by the pointer's place.
    Registry::instance().add_variable(host_pointer, {module_of(handle), name, bytes, host_pointer});
    module_of(handle)->add_managed(host_pointer, name);
}

void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}
void __cudaRegisterUnifiedTable(void**, void*) {}

/// Called before host code first touches a managed variable.
char __cudaInitModule(void** handle) {
    if (module_of(handle)->has_managed()) call([&] { module_of(handle)->number(); });
    return 1;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    return call([&] { *kernel = reinterpret_cast<cudaKernel_t>(&require_kernel(function)); });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) { return __cudaGetKernel(kernel, function); }

SIMT_ANSWER(cudaGetFuncBySymbol, (cudaFunction_t * function, const void* symbol), function,
            reinterpret_cast<cudaFunction_t>(&require_kernel(symbol)))

}  // extern "C"
