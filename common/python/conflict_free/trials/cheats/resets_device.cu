// Resets the device, with the driver's memory and all counts.

#include <cuda_runtime.h>

GRADED_DECLARATION
{
    cudaDeviceReset();
}
