"""Kernels of Numba."""

import numpy as np
from numba import cuda, float32, int32

N, BINS, BLOCK = 200, 64, 256


@cuda.jit(lineinfo=True)
def own_transpose(out, values):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.grid(2)
    if x < values.shape[1] and y < values.shape[0]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = values[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.x
    y = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.y
    if x < out.shape[1] and y < out.shape[0]:
        out[y, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


@cuda.jit(lineinfo=True)
def own_histogram(out, values):
    bins = cuda.shared.array(BINS, int32)
    tid = cuda.threadIdx.x
    if tid < BINS:
        bins[tid] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(bins, values[i], 1)
    cuda.syncthreads()
    if tid < BINS:
        cuda.atomic.add(out, tid, bins[tid])


values = np.arange(N * N, dtype=np.float32).reshape(N, N)
transposed = np.zeros_like(values)
numbers, counts = np.arange(20000, dtype=np.int32) % 5 * 13, np.zeros(BINS, np.int32)
tiles = -(-N // 32)
own_transpose[(tiles, tiles), (32, 32)](transposed, values)
own_histogram[16, BLOCK](counts, numbers)
assert (transposed == values.T).all() and (counts == np.bincount(numbers, minlength=BINS)).all()
