// Device code that a program loads while it runs. A module's address serves as cudaLibrary_t, CUlibrary and CUmodule.
#pragma once

#include "calls/runtime/modules.hpp"

namespace simt::calls {

/// The PTX in a file. Fails with cudaErrorFileNotFound if there is none.
std::vector<std::string> texts_of_file(const char* path);
/// The module of a handle. Fails with cudaErrorInvalidResourceHandle if there is none.
DeviceCode& require_module(const void* handle);

}  // namespace simt::calls
