"""Kernels that cuda.core compiles by NVRTC, to PTX and to machine code. PyTorch has their arrays."""

from pathlib import Path

import numpy as np
import torch
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

N = 200
device = Device()
device.set_current()
stream = device.create_stream()
text = Path(__file__).with_name("kernels.cu").read_text(encoding="utf-8")
values = (torch.arange(N * N, dtype=torch.float32) % 7).reshape(N, N)
tiles = -(-N // 32)
for kind in ("ptx", "cubin"):
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}", lineinfo=True)
    module = Program(text, "c++", options=options).compile(kind)
    given, transposed, total = values.cuda(), torch.empty(N, N).cuda(), torch.zeros(1).cuda()
    torch.cuda.synchronize()
    for name, grid, block, out, n in (
        ("own_transpose", (tiles, tiles), (32, 8), transposed, N),
        ("own_sum", -(-N * N // 256), 256, total, N * N),
    ):
        arguments = (out.data_ptr(), given.data_ptr(), np.int32(n))
        launch(stream, LaunchConfig(grid=grid, block=block), module.get_kernel(name), *arguments)
    stream.sync()
    assert (transposed.cpu() == values.T).all() and total.cpu() == values.sum()
