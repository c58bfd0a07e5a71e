// Lines of the program's host code.
#pragma once

#include "simt/hazard.hpp"

namespace simt::report {

/// The line of a call that returns to `address`; none if the program has no debugging information or addr2line is missing.
SourcePlace place_of_call(void* address);

}  // namespace simt::report
