// Programs look up functions of the driver library through the runtime library.

#include <dlfcn.h>

#include <string>

#include "calls/runtime/calls.hpp"

namespace {

using namespace simt::calls;

/// The model's own driver library, which lies beside this one.
void* driver_library() {
    static void* const library = [] {
        Dl_info here{};
        dladdr(reinterpret_cast<const void*>(&cudaGetDriverEntryPointByVersion), &here);
        const std::string path = here.dli_fname ? here.dli_fname : "";
        return dlopen((path.substr(0, path.rfind('/') + 1) + "libcuda.so.1").c_str(), RTLD_NOW);
    }();
    return library;
}

void* find_function(const std::string& name, unsigned version) {
    using Lookup = int (*)(const char*, void**, int, unsigned long long, int*);
    void* library = driver_library();
    if (!library) return nullptr;
    const auto look_up = reinterpret_cast<Lookup>(dlsym(library, "cuGetProcAddress_v2"));
    void* function = nullptr;
    if (look_up) look_up(name.c_str(), &function, static_cast<int>(version), 0, nullptr);
    return function;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
    return call([&] {
        require(symbol && function);
        *function = find_function(symbol, version);
        if (result) *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
        require(*function || result, cudaErrorSymbolNotFound);
    });
}

/// Called by programs that were built before CUDA 13.
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result) {
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, result);
}

}  // extern "C"
