// Calls that the model does not have. This file does not include the toolkit's headers, so that functions that they declare can be
// defined without their parameters.
#pragma once

#include <string>

namespace simt::calls {

/// Says that the model has no such call, and returns cudaErrorNotSupported.
int unsupported(const char* function);
/// Says the same of a function of the driver, and leaves the runtime's last error as it was.
int unsupported_in_driver(const char* function);
/// Says the same of cuGetExportTable. @param library the path of the library or program that calls it
int unsupported_export_table(const std::string& library);

}  // namespace simt::calls

/// Defines a function that the model does not have, unless another file defines it. Its arguments are ignored.
/// @param refuse unsupported or unsupported_in_driver
#define SIMT_UNSUPPORTED(refuse, function) \
    extern "C" __attribute__((weak)) int function() { return simt::calls::refuse(#function); }
