// Resets the device, with the memory of the driver and all that was counted.

#include <cuda_runtime.h>

GRADED_DECLARATION
{
    cudaDeviceReset();
}
