/* Right: C with macros. Whole tiles have a kernel without guards, the tiles at the edges another one. */

// One macro makes two kernels.

#include <cuda_runtime.h>

#define SIDE 32
#define ROWS 4
#define ALWAYS(x, y) 1
#define INSIDE(x, y) ((x) < width && (y) < height)

#define DEFINE_KERNEL(NAME, MAY)                                                                                     \
    extern "C" __global__ void NAME(unsigned* output, const unsigned* input, int width, int height, int x0, int y0)  \
    {                                                                                                                \
        __shared__ unsigned tile[SIDE * (SIDE + 1)];                                                                 \
        int i, x, y, left = (x0 + blockIdx.x) * SIDE, top = (y0 + blockIdx.y) * SIDE;                                \
        for (i = threadIdx.y; i < SIDE; i += ROWS) {                                                                 \
            x = left + threadIdx.x;                                                                                  \
            y = top + i;                                                                                             \
            if (MAY(x, y)) tile[i * (SIDE + 1) + threadIdx.x] = input[y * width + x];                                \
        }                                                                                                            \
        __syncthreads();                                                                                             \
        for (i = threadIdx.y; i < SIDE; i += ROWS) {                                                                 \
            x = left + i;                                                                                            \
            y = top + threadIdx.x;                                                                                   \
            if (MAY(x, y)) output[x * height + height - 1 - y] = tile[threadIdx.x * (SIDE + 1) + i];                 \
        }                                                                                                            \
    }

DEFINE_KERNEL(rotate_whole, ALWAYS)
DEFINE_KERNEL(rotate_edge, INSIDE)

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    int across = width / SIDE, down = height / SIDE;
    dim3 block(SIDE, ROWS);
    if (across && down) rotate_whole<<<dim3(across, down), block>>>(output, input, width, height, 0, 0);
    if (width % SIDE) rotate_edge<<<dim3(1, (height + SIDE - 1) / SIDE), block>>>(output, input, width, height, across, 0);
    if (height % SIDE && across) rotate_edge<<<dim3(across, 1), block>>>(output, input, width, height, 0, down);
}
