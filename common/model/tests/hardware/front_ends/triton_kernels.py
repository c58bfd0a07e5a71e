"""Kernels of Triton: a transposition, and a product by tensor cores with tiles of two shapes."""

import torch
import triton
import triton.language as tl


@triton.jit
def own_transpose(out, values, rows, columns, TILE: tl.constexpr):
    y, x = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.program_id(1) * TILE + tl.arange(0, TILE)
    tile = tl.load(values + y[:, None] * columns + x[None, :], mask=(y[:, None] < rows) & (x[None, :] < columns))
    tl.store(out + x[:, None] * rows + y[None, :], tl.trans(tile), mask=(x[:, None] < columns) & (y[None, :] < rows))


@triton.jit
def own_matmul(out, a, b, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    y, x, z = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, k, K):
        total += tl.dot(tl.load(a + y[:, None] * k + first + z[None, :]), tl.load(b + (first + z[:, None]) * n + x[None, :]))
    tl.store(out + y[:, None] * n + x[None, :], total)


torch.manual_seed(1)
values = torch.rand(200, 300)
out = torch.empty(300, 200).cuda()
own_transpose[triton.cdiv(200, 32), triton.cdiv(300, 32)](out, values.cuda(), 200, 300, TILE=32)
assert (out.cpu() == values.T).all()

a, b = torch.rand(256, 128).half(), torch.rand(128, 256).half()
for shape in ((32, 32, 32), (64, 128, 64)):
    out = torch.empty(256, 256).cuda()
    own_matmul[256 // shape[0], 256 // shape[1]](out, a.cuda(), b.cuda(), 256, 128, *shape)
    torch.testing.assert_close(out.cpu(), a.float() @ b.float(), rtol=1e-3, atol=1e-3)
