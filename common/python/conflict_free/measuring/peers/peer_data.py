"""The data of our kernels in numpy: common/harness/src/random.cpp and the points of chapters/nearest_neighbor_blocking. numpy only."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

# Elements that one thread generates in one call.
_PART = 1 << 20
_ALL_BITS = (1 << 64) - 1


def in_parts(count: int, work: Callable[[int, int], None], part: int = _PART) -> None:
    """Call `work(begin, end)` for all of 0 to `count`, on all cores; numpy releases the interpreter's lock."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for done in [pool.submit(work, begin, min(begin + part, count)) for begin in range(0, count, part)]:
            done.result()


def random_bits(seed: int, begin: int, end: int) -> np.ndarray:
    """Return elements `begin` to `end` of the sequence that `seed` names: 64 bits each."""
    z = np.arange(begin + 1, end + 1, dtype=np.uint64)
    z *= np.uint64(0x9E3779B97F4A7C15)
    z += np.uint64(seed * 0xD1342543DE82EF95 & _ALL_BITS)
    z ^= z >> np.uint64(30)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return z


def random_floats(count: int, seed: int) -> np.ndarray:
    """Return the floats of fill_random(): uniform in [-1, 1)."""
    values = np.empty(count, dtype=np.float32)

    def fill(begin: int, end: int) -> None:
        values[begin:end] = random_bits(seed, begin, end) >> np.uint64(40)
        values[begin:end] *= np.float32(2**-23)
        values[begin:end] -= np.float32(1)

    in_parts(count, fill)
    return values


def depth(width: int, height: int) -> int:
    """Return the third extent of a product whose result is `height` rows of `width`: ProductChapter::depth()."""
    return ((width + height + 1) // 2 + 7) // 8 * 8


def random_factors(width: int, height: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the factors of ProductChapter as floats: whole numbers from -128 to 127."""

    def whole_numbers(count: int, seed: int) -> np.ndarray:
        values = np.empty(count, dtype=np.float32)

        def fill(begin: int, end: int) -> None:
            values[begin:end] = (random_bits(seed, begin, end) >> np.uint64(56)).astype(np.uint8).view(np.int8)

        in_parts(count, fill)
        return values

    k = depth(width, height)
    return whole_numbers(height * k, seed).reshape(height, k), whole_numbers(k * width, ~seed & _ALL_BITS).reshape(k, width)


def bf16(values: np.ndarray) -> np.ndarray:
    """Return the bits of the bf16 that are nearest to floats, ties to even."""
    bits = values.view(np.uint32)
    return ((bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)).astype(np.uint16)


def random_points(count: int, seed: int) -> np.ndarray:
    """Return the points of random_points(), a row each: multiples of 2**-10 in the cube from -1 to 1, some of them copies."""
    bits = random_bits(seed, 0, count)
    index = np.arange(count, dtype=np.uint64)
    is_copy = bits >> np.uint64(60) == 0
    is_copy[:1] = False
    # A copy may copy another copy: follow them to an original point. Point 0 is original.
    origin = np.where(is_copy, (bits >> np.uint64(20)) % np.maximum(index, np.uint64(1)), index).astype(np.int64)
    while is_copy[origin].any():
        origin = origin[origin]
    axes = [(bits >> np.uint64(shift) & np.uint64(0x7FF)).astype(np.int32) - 1024 for shift in (0, 11, 22)]
    return (np.stack(axes, axis=1)[origin] * np.float32(2**-10)).astype(np.float32)
