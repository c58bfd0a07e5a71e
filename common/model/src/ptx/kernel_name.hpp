// Names of kernels and functions as people write them.
#pragma once

#include <string>

namespace simt::ptx {

/// The demangled name of a function, without namespaces and parameters. An instance of a template keeps its arguments, as in
/// `transpose<float, 32>`, and a function of Numba has its name in Python. A mangled name that cannot be demangled gives the
/// function's identifier, and any other name stays as it is.
std::string kernel_name(const std::string& mangled);

/// The demangled name of a function with its namespaces and parameters; `mangled` itself if it is not a C++ name.
std::string function_name(const std::string& mangled);

}  // namespace simt::ptx
