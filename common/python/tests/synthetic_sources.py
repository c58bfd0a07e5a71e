"""The kernels of the invented chapters that ``synthetic`` has counts and results of."""

COPY = """\
// A file for tests.
// [constants]
constexpr int TILE_DIM = 32;
// [/constants]

// [copy_plain]
__global__ void copy_plain(float* output, const float* input, int width)
{
    int i = blockIdx.x * TILE_DIM + threadIdx.x;  // a < b && c

    output[i] = input[i];
}
// [/copy_plain]

// [copy_shared]
__global__ void copy_shared(float* output, const float* input, int width)
{
    __shared__ float tile[TILE_DIM];
    int i = blockIdx.x * TILE_DIM + threadIdx.x;
    tile[threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[threadIdx.x];
}
// [/copy_shared]

// [launch]
const int block = TILE_DIM;
// [/launch]
"""

NAIVE = """\
// [transpose_naive_row_read]
__global__ void transpose_naive_row_read(float* output, const float* input, int width)
{
    output[threadIdx.x * width] = input[threadIdx.x];
}
// [/transpose_naive_row_read]

// [transpose_naive_column_read]
__global__ void transpose_naive_column_read(float* output, const float* input, int width)
{
    output[threadIdx.x] = input[threadIdx.x * width];
}
// [/transpose_naive_column_read]
"""
