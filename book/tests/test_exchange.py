"""The model of exchanges between GPUs."""

import pytest
from conftest import BOOK

from conflict_free.evidence.lookup import Evidence
from directives.plots.exchange_model import AssumedLink, MeasuredLink, one_stage, two_stages
from directives.plots.exchange_plot import link_of, measured, of_more_hosts

NEAR, FAR = AssumedLink(10e-6, 300e9), AssumedLink(20e-6, 50e9)
MEASURED = MeasuredLink([(1e4, 10e-6), (1e6, 20e-6), (1e8, 500e-6)])


@pytest.mark.parametrize(("size", "seconds"), [(1e2, 10e-6), (1e4, 10e-6), (505e3, 15e-6), (1e6, 20e-6), (1e8, 500e-6), (1e9, 5000e-6)])
def test_a_measured_link_gives_its_own_times_and_lines_between_them(size, seconds):
    assert MEASURED.seconds(1, size) == pytest.approx(seconds)
    assert MEASURED.seconds(4, 4 * size) == pytest.approx(4 * seconds)
    assert MEASURED.seconds(0, 0) == 0


def test_the_books_link_misses_no_measured_exchange():
    """The picture extrapolates these times, so it must agree with them."""
    results = BOOK / "results"
    found = Evidence(chapters=BOOK.parent / "chapters", results=results, counts=BOOK.parent / "build" / "counts", strict=False)
    times = measured(found, "across_gpus.nccl_exchange")
    link = link_of(found, "across_gpus.nccl_exchange")
    assert len(times) > 2 and all(link.seconds(1, sent) == pytest.approx(seconds) for _, sent, seconds in times)


def test_two_gpus_exchange_half_of_what_each_has():
    assert one_stage(2, 600e6, 8, NEAR, FAR) == pytest.approx(10e-6 + 300e6 / 300e9)


def test_within_a_host_both_are_the_same():
    assert one_stage(8, 1e9, 8, NEAR, FAR) == pytest.approx(two_stages(8, 1e9, 8, NEAR, FAR))


def test_two_stages_send_fewer_messages_and_more_bytes():
    small, large = 1e5, 1e12
    assert two_stages(1024, small, 8, NEAR, FAR) < one_stage(1024, small, 8, NEAR, FAR)
    assert two_stages(1024, large, 8, NEAR, FAR) > one_stage(1024, large, 8, NEAR, FAR)


def test_the_caption_says_where_one_stage_turns_and_what_half_the_speed_costs():
    one, two, half = (
        [(8, 1.0), (16, 5.0), (32, 4.0), (64, 6.0)],
        [(8, 1.0), (16, 2.0), (32, 2.0), (64, 2.0)],
        [(8, 1.0), (16, 4.0), (32, 3.0), (64, 2.1)],
    )
    said = of_more_hosts(one, two, half, 8)
    assert "the least time with 32 GPUs" in said
    assert "2.0 times as long with 16 GPUs, and 1.05 times with 64." in said
