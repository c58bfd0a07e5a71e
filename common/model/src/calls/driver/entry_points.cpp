// Programs look up functions of the driver by name.

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "calls/driver/driver.hpp"
#include "calls/runtime/unsupported.hpp"

namespace {

using namespace simt::calls;

/// This library, whatever else the program has loaded.
void* own_library() {
    static void* const library = [] {
        Dl_info here{};
        dladdr(reinterpret_cast<const void*>(&cuGetProcAddress), &here);
        return here.dli_fname ? dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    }();
    return library;
}

/// A version of CUDA that has brought a form of a function: the first form has the function's name, the second that with _v2.
struct Form {
    std::string_view name;
    int since;
};
constexpr Form forms[] = {
#include "forms.inc"
    {"cuGetProcAddress", 12000},
};

/// The function that a program built for a version of CUDA means by a name: the form of that version, or else the newest.
void* find_function(const std::string& name, int version) {
    void* library = own_library();
    if (!library || !name.starts_with("cu")) return nullptr;
    const auto number = std::ranges::count_if(forms, [&](const Form& form) { return form.name == name && form.since <= version; });
    std::vector<std::string> endings{"_v4", "_v3", "_v2", ""};
    if (number > 0) endings.insert(endings.begin(), number > 1 ? "_v" + std::to_string(number) : "");
    for (const std::string& ending : endings)
        if (void* function = dlsym(library, (name + ending).c_str())) return function;
    return nullptr;
}

/// The path of the program or library that holds an address of code; empty where it is not known.
std::string file_of(const void* code) {
    Dl_info info{};
    return dladdr(code, &info) && info.dli_fname ? info.dli_fname : "";
}

}  // namespace

extern "C" {

CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t, CUdriverProcAddressQueryResult* status) {
    if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
    *function = find_function(name, version);
    if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/// A runtime library that is linked into a program or library asks for this table first, several times: one message is enough. NVRTC
/// and NVML (on a machine with a GPU) ask too, and do without.
CUresult cuGetExportTable(const void**, const CUuuid*) {
    const std::string caller = file_of(__builtin_return_address(0));
    for (const char* does_without : {"/libnvrtc", "/libnvidia-ml"})
        if (caller.find(does_without) != caller.npos) return CUDA_ERROR_NOT_SUPPORTED;
    static const auto result = static_cast<CUresult>(unsupported_export_table(caller));
    return result;
}

}  // extern "C"
