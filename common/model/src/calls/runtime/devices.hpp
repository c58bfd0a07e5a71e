// Properties and attributes of a modeled device.
#pragma once

#include "calls/runtime/calls.hpp"

namespace simt::calls {

cudaDeviceProp properties_of(int ordinal);

/// False if there is no such attribute.
bool attribute_of(int ordinal, cudaDeviceAttr attribute, int& value);

/// The part of the L1 for shared memory, in percent, that stands for a choice of CUDA's older interface; and that of this thread's device.
int carveout_of(cudaFuncCache config);
int device_carveout();

}  // namespace simt::calls
