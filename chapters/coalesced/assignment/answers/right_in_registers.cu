// Right: a warp keeps a tile of 32 x 32 in registers, one column in each lane, and turns it by shuffles without shared memory.

#include <cuda_runtime.h>

__global__ void rotate_in_registers(unsigned* output, const unsigned* input, int width, int height)
{
    int lane = threadIdx.x;
    int left = blockIdx.x * 32, top = blockIdx.y * 32;

    unsigned own[32];
#pragma unroll
    for (int row = 0; row < 32; row++)
        own[row] = left + lane < width && top + row < height ? input[(top + row) * width + left + lane] : 0;

    // Exchange blocks of 16 x 16 with the lane 16 away, then of 8 x 8 with the lane 8 away, and so on.
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
#pragma unroll
        for (int row = 0; row < 32; row++)
            if ((row & distance) == 0) {
                bool upper = lane & distance;
                unsigned sent = upper ? own[row] : own[row + distance];
                unsigned received = __shfl_xor_sync(0xffffffff, sent, distance);
                if (upper)
                    own[row] = received;
                else
                    own[row + distance] = received;
            }

    // Now own[k] is the pixel in column left + k of row top + lane.
#pragma unroll
    for (int k = 0; k < 32; k++)
        if (left + k < width && top + lane < height)
            output[(left + k) * height + height - 1 - (top + lane)] = own[k];
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    rotate_in_registers<<<dim3((width + 31) / 32, (height + 31) / 32), 32>>>(output, input, width, height);
}
