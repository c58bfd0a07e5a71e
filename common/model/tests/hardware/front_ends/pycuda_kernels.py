"""Kernels that PyCUDA compiles by nvcc."""

from pathlib import Path

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as driver
from pycuda.compiler import SourceModule

N = 200
module = SourceModule(Path(__file__).with_name("kernels.cu").read_text(encoding="utf-8"), options=["-lineinfo"], no_extern_c=True)
values = np.arange(N * N, dtype=np.float32).reshape(N, N) % 7
transposed, total = np.zeros_like(values), np.zeros(1, np.float32)
tiles = -(-N // 32)
module.get_function("own_transpose")(driver.Out(transposed), driver.In(values), np.int32(N), block=(32, 8, 1), grid=(tiles, tiles))
module.get_function("own_sum")(driver.InOut(total), driver.In(values), np.int32(N * N), block=(256, 1, 1), grid=(-(-N * N // 256), 1))
assert (transposed == values.T).all() and total[0] == values.sum()
