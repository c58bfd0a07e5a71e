// Device code that a program loads while it runs. A module's address serves as cudaLibrary_t, CUlibrary and CUmodule.
#pragma once

#include "calls/runtime/modules.hpp"

namespace simt::calls {

/// The PTX in a file. Fails with cudaErrorFileNotFound if there is none.
std::vector<std::string> texts_of_file(const char* path);
/// Loads the texts immediately, so that their errors are errors of this call.
DeviceCode& load_texts(std::vector<std::string> texts);
/// The module of a handle. Fails with cudaErrorInvalidResourceHandle if there is none.
DeviceCode& require_module(const void* handle);
/// The variable and the kernel of a name. Both fail with cudaErrorSymbolNotFound if the module has none.
VariableInfo variable_in(const void* handle, const char* name);
Kernel& kernel_in(const void* handle, const char* name);

}  // namespace simt::calls
