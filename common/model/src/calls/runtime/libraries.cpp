// Device code that a program loads while it runs.

#include <algorithm>
#include <fstream>
#include <iterator>

#include "calls/runtime/libraries.hpp"

namespace simt::calls {

std::vector<std::string> texts_of_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    require(file.good(), cudaErrorFileNotFound);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return texts_of_image(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

DeviceCode& require_module(const void* handle) {
    const auto* module = static_cast<const DeviceCode*>(handle);
    require(Registry::instance().holds(module), cudaErrorInvalidResourceHandle);
    return *const_cast<DeviceCode*>(module);
}

}  // namespace simt::calls

using namespace simt::calls;

namespace {

/// Loads the texts immediately, so that their errors are errors of this call.
DeviceCode& load_texts(std::vector<std::string> texts) {
    DeviceCode& module = Registry::instance().add_module(std::make_unique<DeviceCode>(std::move(texts)));
    try {
        module.number();
    } catch (...) {
        Registry::instance().remove_module(module);
        throw;
    }
    return module;
}

/// The variable and the kernel of a name. Both fail with cudaErrorSymbolNotFound if the module has none.
simt::VariableInfo variable_in(const void* handle, const char* name) {
    require(name != nullptr);
    simt::VariableInfo info;
    require(require_module(handle).variable(name, info), cudaErrorSymbolNotFound);
    return info;
}

Kernel& kernel_in(const void* handle, const char* name) {
    require(name != nullptr);
    DeviceCode& module = require_module(handle);
    require(module.has_kernel(name), cudaErrorSymbolNotFound);
    return module.kernel(name);
}

void give(const simt::VariableInfo& info, void** pointer, std::size_t* bytes) {
    if (pointer) *pointer = pointer_to(info.address);
    if (bytes) *bytes = info.bytes;
}

}  // namespace

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned, cudaLibraryOption*, void**,
                                unsigned) {
    return call([&] {
        require(library && code);
        *library = reinterpret_cast<cudaLibrary_t>(&load_texts(texts_of_image(code)));
    });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption*, void**, unsigned, cudaLibraryOption*, void**,
                                    unsigned) {
    return call([&] {
        require(library && path);
        *library = reinterpret_cast<cudaLibrary_t>(&load_texts(texts_of_file(path)));
    });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    return call([&] { Registry::instance().remove_module(require_module(library)); });
}

SIMT_ANSWER(cudaLibraryGetKernel, (cudaKernel_t * kernel, cudaLibrary_t library, const char* name), kernel,
            reinterpret_cast<cudaKernel_t>(&kernel_in(library, name)))

cudaError_t cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, cudaLibrary_t library, const char* name) {
    return call([&] { give(variable_in(library, name), pointer, bytes); });
}

cudaError_t cudaLibraryGetManaged(void** pointer, std::size_t* bytes, cudaLibrary_t library, const char* name) {
    return call([&] {
        const simt::VariableInfo info = variable_in(library, name);
        require(info.managed, cudaErrorSymbolNotFound);
        give(info, pointer, bytes);
    });
}

SIMT_ANSWER(cudaLibraryGetKernelCount, (unsigned* count, cudaLibrary_t library), count,
            static_cast<unsigned>(require_module(library).kernel_names().size()))

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
    return call([&] {
        require(kernels != nullptr);
        DeviceCode& module = require_module(library);
        const auto names = module.kernel_names();
        for (unsigned i = 0; i < std::min<std::size_t>(count, names.size()); ++i)
            kernels[i] = reinterpret_cast<cudaKernel_t>(&module.kernel(names[i]));
    });
}

}  // extern "C"
