// Properties and attributes of a modeled device.
#pragma once

#include "calls/runtime/calls.hpp"

namespace simt::calls {

cudaDeviceProp properties_of(int ordinal);

/// False if there is no such attribute.
bool attribute_of(int ordinal, cudaDeviceAttr attribute, int& value);

}  // namespace simt::calls
