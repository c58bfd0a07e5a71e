// Right: an iterator goes round the row, and a lambda is called for each number. The block's smallest number is an atomic minimum.

#include <climits>
#include <cuda_runtime.h>

namespace {

template <int Lanes, int Partition = 64> class Round {
public:
    __device__ Round(int block, int width) : width_(width), column_(block % max(1, width / Partition) * Partition + threadIdx.x) {}

    template <class Function> __device__ __forceinline__ void for_each(Function&& function) const
    {
        int column = column_;
        for (int left = width_ - int(threadIdx.x); left > 0; left -= Lanes, column += Lanes)
            function(column < width_ ? column : column - width_);
    }

private:
    int width_, column_;
};

template <int Lanes> __global__ void __launch_bounds__(Lanes) subtract_smallest(int* output, const int* input, int width)
{
    __shared__ int smallest;
    if (threadIdx.x == 0)
        smallest = INT_MAX;
    __syncthreads();

    const size_t row = size_t(blockIdx.x) * width;
    const Round<Lanes> round(blockIdx.x, width);
    int mine = INT_MAX;
    round.for_each([&](int column) { mine = min(mine, input[row + column]); });
    mine = __reduce_min_sync(~0u, mine);
    if (threadIdx.x % 32 == 0)
        atomicMin(&smallest, mine);
    __syncthreads();

    const int least = smallest;
    round.for_each([&](int column) { output[row + column] = input[row + column] - least; });
}

}  // namespace

void subtract_minimum(int* output, const int* input, int width, int height)
{
    subtract_smallest<64><<<height, 64>>>(output, input, width);
}
