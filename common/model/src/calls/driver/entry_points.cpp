// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Programs look up functions of the driver by name.

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <string>

#include "calls/driver/driver.hpp"
#include "calls/runtime/unsupported.hpp"

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

/// The newest form of a function: the one with the highest ending.
void* find_function(const std::string& name)
{
    constexpr std::array endings{"_v4", "_v3", "_v2", ""};
    void* library = own_library();
    if (!library || !name.starts_with("cu")) return nullptr;
    for (const char* ending : endings)
        if (void* function = dlsym(library, (name + ending).c_str())) return function;
    return nullptr;
}

/// The file name of the program or library that holds an address of code; empty where it is not known.
std::string file_of(const void* code)
{
    Dl_info info{};
    return dladdr(code, &info) && info.dli_fname ? std::filesystem::path(info.dli_fname).filename().string() : std::string();
}

CUresult refuse_export_table(const std::string& caller)
{
    return static_cast<CUresult>(unsupported_export_table(caller.find(".so") == caller.npos ? std::string() : caller));
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

/// A runtime library that is linked into a program or library asks for this table first, several times: one message is enough. NVRTC
/// asks too, and does without.
CUresult cuGetExportTable(const void**, const CUuuid*)
{
    const std::string caller = file_of(__builtin_return_address(0));
    if (caller.starts_with("libnvrtc")) return CUDA_ERROR_NOT_SUPPORTED;
    static const CUresult result = refuse_export_table(caller);
    return result;
}

}  // extern "C"
