// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Calls that are not there. Free of the toolkit's headers, so that they can be defined without their parameters.
#pragma once

#include <string>

namespace simt::calls {

/// Says that the model has no such call, and returns cudaErrorNotSupported.
int unsupported(const char* function);
/// The same for functions of the driver, which leave the runtime's last error as it was.
int unsupported_in_driver(const char* function);
/// The same for cuGetExportTable. @param library the file that asks for it; empty for the program
int unsupported_export_table(const std::string& library);

}  // namespace simt::calls
