"""Libraries beside our kernels: their data, their checks and their sampling are those of our kernels."""

import re
import subprocess

import numpy as np
import peer_checks
import peer_data
import peer_sampling
import pytest
from conftest import REPOSITORY

from conflict_free.setup import cuda

GENERATOR = """\
#include <conflict_free/points.hpp>
#include <conflict_free/random.hpp>
#include <cstdio>
int main()
{
    using namespace conflict_free;
    std::vector<float> floats(2500000);
    conflict_free::fill_random(floats, 7);
    std::fwrite(floats.data(), 4, floats.size(), stdout);
    std::vector<float3> points(5000);
    random_points(points, 3);
    for (const float3& p : points) std::fwrite(&p, 4, 3, stdout);
    std::vector<std::int8_t> a(30 * 40), b(40 * 50);
    conflict_free::fill_random(a, 5);
    conflict_free::fill_random(b, ~std::uint64_t{5});
    for (int number : a) floats[0] = static_cast<float>(number), std::fwrite(&floats[0], 4, 1, stdout);
    for (int number : b) floats[0] = static_cast<float>(number), std::fwrite(&floats[0], 4, 1, stdout);
}
"""


def test_the_data_are_those_of_our_kernels(tmp_path):
    """The expected points come from the chapters' C++, over more than one part and with copies of copies."""
    (tmp_path / "generator.cpp").write_text(GENERATOR, encoding="utf-8")
    harness = REPOSITORY / "common" / "harness"
    subprocess.run(
        [
            cuda.present_nvcc(),
            "-std=c++20",
            "-O1",
            f"-I{harness / 'include'}",
            "generator.cpp",
            *(harness / "src" / name for name in ("points.cpp", "random.cpp", "verify.cpp")),
            "-c",
        ],
        check=True,
        cwd=tmp_path,
    )
    subprocess.run(["g++", "-o", "generator", "-pthread", *map(str, tmp_path.glob("*.o"))], check=True, cwd=tmp_path)
    made = np.frombuffer(subprocess.run([tmp_path / "generator"], capture_output=True, check=True).stdout, np.float32)
    assert np.array_equal(made[:2500000], peer_data.random_floats(2500000, 7))
    assert np.array_equal(made[2500000:2515000].reshape(5000, 3), peer_data.random_points(5000, 3))
    a, b = peer_data.random_factors(50, 30, 5)
    assert a.shape == (30, 40) and b.shape == (40, 50)
    assert np.array_equal(made[2515000:], np.concatenate((a.ravel(), b.ravel())))


# --- checks --------------------------------------------------------------------------------------


def test_a_transpose_is_compared_bit_by_bit():
    matrix = peer_data.random_floats(130 * 70, 1).reshape(70, 130)
    right = np.ascontiguousarray(matrix.T)
    assert peer_checks.is_transposed(matrix, right) == ""
    for wrong in (np.nextafter(right[129, 69], 2), np.nan):
        output = right.copy()
        output[129, 69] = wrong
        assert peer_checks.is_transposed(matrix, output) == "an element in rows 128 to 129 is not the transpose's"
    assert "70 by 130" in peer_checks.is_transposed(matrix, matrix)


def test_bf16_is_rounded_to_nearest_even():
    values = np.array([1.0, -3.0, 257.0, 259.0, 1 + 2**-8, 1 + 2**-8 + 2**-20, 0.0], np.float32)
    assert [hex(bits) for bits in peer_data.bf16(values)] == ["0x3f80", "0xc040", "0x4380", "0x4382", "0x3f80", "0x3f81", "0x0"]


def test_one_row_in_64_of_a_product_is_checked():
    a, b = peer_data.random_factors(40, 130, 3)
    rows = peer_checks.rows_to_check(130)
    assert rows.tolist() == [63, 127, 129]
    right = peer_data.bf16((a.astype(np.float64) @ b).astype(np.float32))
    wanted = peer_checks.rounded_rows(a, b, rows)
    assert peer_checks.has_rows(rows, wanted, right) == ""
    right[127, 39] ^= 1
    assert peer_checks.has_rows(rows, wanted, right) == "row 127 is not the product's"


def test_a_sum_may_round_but_not_lose_a_number():
    numbers = peer_data.random_floats(1 << 20, 5)
    exact = float(numbers.sum(dtype=np.float64))
    assert peer_checks.is_sum(numbers, float(np.float32(exact))) == ""
    assert peer_checks.is_sum(numbers, float(numbers.reshape(-1, 4096).sum(axis=0).sum())) == ""
    assert "rounding explains" in peer_checks.is_sum(numbers, exact - float(numbers[1000]))
    assert "rounding explains" in peer_checks.is_sum(numbers, float("nan"))


def test_nearest_neighbors_may_be_any_of_equals():
    points = peer_data.random_points(300, 2)
    least = peer_checks.least_squared_distances(points)
    squares = ((points[:, None].astype(np.float64) - points[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    assert np.array_equal(least * 2.0**-20, squares.min(axis=1))
    nearest = squares.argmin(axis=1)
    assert peer_checks.are_nearest(points, least, nearest) == ""
    backwards = 299 - squares[:, ::-1].argmin(axis=1)
    assert (backwards != nearest).any() and peer_checks.are_nearest(points, least, backwards) == ""
    assert "of 1 of 300 points the neighbor is not a nearest one, the first of them 7" in peer_checks.are_nearest(
        points, least, np.where(np.arange(300) == 7, squares[7].argsort()[-2], nearest)
    )
    for wrong in (7, -1, 300):
        assert f"point 7 has neighbor {wrong}" in peer_checks.are_nearest(points, least, np.where(np.arange(300) == 7, wrong, nearest))


# --- sampling ------------------------------------------------------------------------------------


def test_the_rules_of_sampling_are_those_of_our_harness():
    backend = (REPOSITORY / "common" / "harness" / "src" / "timing.cpp").read_text(encoding="utf-8")
    constants = dict(re.findall(r"^constexpr (?:std::size_t|int|double) (\w+) = ([\d.]+);", backend, re.MULTILINE))
    ours = {name.lower(): value for name, value in vars(peer_sampling).items() if name.isupper()}
    both = ours.keys() - {"most_sets", "samples"}
    assert {name: float(constants[name]) for name in both} == {name: ours[name] for name in both}
    assert f"std::clamp<std::size_t>((wanted + bytes_of_set - 1) / bytes_of_set, 1, {peer_sampling.MOST_SETS})" in backend
    options = (REPOSITORY / "common" / "harness" / "include" / "conflict_free" / "chapter.hpp").read_text(encoding="utf-8")
    assert f"int samples = {peer_sampling.SAMPLES};" in options


class Clock:
    """A GPU on which each call takes `ms`, and which records its calls."""

    def __init__(self, ms: float) -> None:
        self.ms, self.now, self.said = ms, 0.0, []

    def flush(self) -> None:
        self.said.append("flush")

    def call(self, number: int) -> None:
        self.said.append(number)
        self.now += self.ms

    def event(self) -> "Clock.Event":
        return self.Event(self)

    class Event:
        def __init__(self, clock: "Clock") -> None:
            self.clock = clock

        def record(self) -> None:
            self.at = self.clock.now

    def milliseconds(self, begin, end) -> float:
        return end.at - begin.at

    def synchronize(self) -> None:
        pass


def test_cold_samples_use_each_set_once_behind_a_flush_and_warm_ones_the_first():
    gpu = Clock(0.4)
    times = peer_sampling.measure_times(gpu, gpu.call, sets=2, samples=12)
    assert gpu.said == [0, 1, 0, 0] + 12 * ["flush", 0, 1] + 12 * [0, 0, 0]
    assert peer_sampling.used_sets(times, 2) == 2
    assert times["cold"]["launches_per_sample"] == 2 and times["warm"]["launches_per_sample"] == 3
    assert all(time[key] == pytest.approx(0.4) for time in times.values() for key in ("median_ms", "p10_ms", "p90_ms"))
    assert times["cold"]["samples"] == times["warm"]["samples"] == 12


def test_each_set_that_a_sample_uses_is_worked_on_before_and_no_other():
    gpu = Clock(0.25)
    times = peer_sampling.measure_times(gpu, gpu.call, sets=64, samples=10)
    assert gpu.said[: gpu.said.index("flush")] == [0, 1, 2, 0, 3] and peer_sampling.used_sets(times, 64) == 4
    gpu = Clock(100)
    times = peer_sampling.measure_times(gpu, gpu.call, sets=64, samples=10)
    assert gpu.said[: gpu.said.index("flush")] == [0, 1, 2, 0] and peer_sampling.used_sets(times, 64) == 3


def test_the_distances_of_our_points_are_exact_by_a_product_of_matrices():
    """PyTorch makes them so: squares and -2 times the product in one product, added in any order."""
    points = peer_data.random_points(400, 9)
    norm, one = (points**2).sum(axis=1, keepdims=True), np.ones((400, 1), np.float32)
    left, right = np.hstack([-2 * points, norm, one]), np.hstack([points, one, norm]).T
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1], [3, 4, 1, 2, 0]):
        squares = np.zeros((400, 400), np.float32)
        for k in order:
            squares = squares + left[:, [k]] * right[[k], :]
        assert squares.dtype == np.float32
        assert np.array_equal(squares, ((points[:, None].astype(np.float64) - points[None]) ** 2).sum(axis=2))


def test_a_long_call_has_fewer_samples_but_ten():
    for ms, samples in ((60, 33), (1000, 10), (1, 50)):
        gpu = Clock(ms)
        assert peer_sampling.measure_times(gpu, gpu.call, 1, 50)["cold"]["samples"] == samples


def test_the_spread():
    assert peer_sampling.spread([5.0, 1.0, 2.0, 4.0, 3.0], 7) == {
        "median_ms": 3.0,
        "p10_ms": pytest.approx(1.4),
        "p90_ms": pytest.approx(4.6),
        "samples": 5,
        "launches_per_sample": 7,
    }


@pytest.mark.parametrize(
    "set_bytes, free, sets", [(60, 10**9, 4), (61, 10**9, 4), (1, 10**9, 64), (10**6, 10**9, 1), (60, 240, 2), (60, 60, 1)]
)
def test_the_sets_of_buffers(set_bytes, free, sets):
    assert peer_sampling.sets_of_buffers(set_bytes, 60, free) == sets
