// Right: each block stores its bins, and a second launch adds them up. Global memory needs no atomic operation and no zeros.

#include <cstdint>
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int TURNS = 8;
constexpr int BYTES = THREADS * TURNS * 16;

__device__ void count_four(unsigned* bins, unsigned four)
{
    atomicAdd(&bins[four & 255], 1);
    atomicAdd(&bins[four >> 8 & 255], 1);
    atomicAdd(&bins[four >> 16 & 255], 1);
    atomicAdd(&bins[four >> 24], 1);
}

// The pieces begin at multiples of 16. The first one begins `skipped` bytes before the values.
__global__ void count_piece(unsigned* partial, const unsigned char* aligned, int skipped, int end)
{
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();

    for (int turn = 0; turn < TURNS; turn++) {
        int at = blockIdx.x * BYTES + (turn * THREADS + threadIdx.x) * 16;
        if (at >= skipped && at + 16 <= end) {
            uint4 wide = *reinterpret_cast<const uint4*>(aligned + at);
            count_four(bins, wide.x);
            count_four(bins, wide.y);
            count_four(bins, wide.z);
            count_four(bins, wide.w);
        } else {
            for (int i = max(at, skipped); i < min(at + 16, end); i++)
                atomicAdd(&bins[aligned[i]], 1);
        }
    }

    __syncthreads();
    partial[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}

__global__ void add_up(unsigned* bins, const unsigned* partial, int pieces)
{
    unsigned sum = 0;
    for (int piece = 0; piece < pieces; piece++)
        sum += partial[piece * 256 + threadIdx.x];
    bins[threadIdx.x] = sum;
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    int skipped = reinterpret_cast<std::uintptr_t>(values) % 16;
    int pieces = (skipped + count + BYTES - 1) / BYTES;
    unsigned* partial;
    cudaMalloc(&partial, pieces * 256 * sizeof(unsigned));
    count_piece<<<pieces, THREADS>>>(partial, values - skipped, skipped, skipped + count);
    add_up<<<1, 256>>>(bins, partial, pieces);
    cudaFree(partial);
}
