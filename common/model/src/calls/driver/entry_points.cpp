// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How programs look up functions of the driver by name.

#include <dlfcn.h>

#include <array>
#include <string>

#include "calls/driver/driver.hpp"

namespace {

using namespace simt::calls;

/// This library, whatever else the program has loaded.
void* own_library()
{
    static void* const library = [] {
        Dl_info here{};
        dladdr(reinterpret_cast<const void*>(&cuGetProcAddress), &here);
        return here.dli_fname ? dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    }();
    return library;
}

/// The newest form of a function: the header gives its name the highest of these endings.
void* find_function(const std::string& name)
{
    constexpr std::array endings{"_v4", "_v3", "_v2", ""};
    void* library = own_library();
    if (!library || !name.starts_with("cu")) return nullptr;
    for (const char* ending : endings)
        if (void* function = dlsym(library, (name + ending).c_str())) return function;
    return nullptr;
}

}  // namespace

extern "C" {

CUresult cuGetProcAddress(const char* name, void** function, int, cuuint64_t, CUdriverProcAddressQueryResult* status)
{
    if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
    *function = find_function(name);
    if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // extern "C"
