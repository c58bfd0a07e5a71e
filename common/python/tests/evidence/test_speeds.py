"""When the book calls one time faster than another, as fast, or not measurable."""

import pytest
import synthetic
from evidence_tools import BOOK_RESULTS

from conflict_free.evidence.metrics import is_measured
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.speeds import AS_FAST_WITHIN, SPEED_CLAIMS, Verdict, verdict

pytest_plugins = ["evidence_fixtures"]


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        ((0.99, 1.00, 1.01), (1.01, 1.02, 1.03), Verdict.NOT_MEASURABLE),
        ((0.99, 1.00, 1.01), (1.00, 1.30, 1.60), Verdict.NOT_MEASURABLE),
        ((0.999, 1.00, 1.001), (1.019, 1.02, 1.021), Verdict.AS_FAST),
        ((1.019, 1.02, 1.021), (0.999, 1.00, 1.001), Verdict.AS_FAST),
        ((0.999, 1.00, 1.001), (1.020, 1.021, 1.022), Verdict.FASTER),
        ((1.020, 1.021, 1.022), (0.999, 1.00, 1.001), Verdict.SLOWER),
    ],
)
def test_spreads_decide_first_and_then_the_medians(left, right, found):
    assert verdict(left, right) is found


def test_a_claim_on_speeds_holds_or_not_by_the_rule(evidence):
    faster = evidence.compare("copy.copy_plain.2048 faster than naive.transpose_naive_row_read.2048")
    assert faster.holds and faster.values == "1,000 faster than 450" and "The rule says: faster." in faster.shown
    for words, verdicts in SPEED_CLAIMS.items():
        found = evidence.compare(f"copy.copy_plain.2048 {words} naive.transpose_naive_row_read.2048")
        assert found.holds is (Verdict.FASTER in verdicts)
    assert evidence.compare("copy.copy_plain.2048 as fast as copy.copy_plain.16384").holds, "sizes are compared by their rates"
    assert evidence.compare("copy.copy_plain.2048.warm faster than copy.copy_plain.2048").holds


def test_a_library_stands_in_a_claim_on_speeds(project, evidence):
    synthetic.add_peers(project.results, "copy")
    assert evidence.compare("copy.copy_plain.2048 faster than copy.peers.library_copy.2048").values == "1,000 faster than 700"


@pytest.mark.parametrize("side", ["copy.copy_plain", "copy.copy_plain.2048.gbps", "1.5"])
def test_a_claim_on_speeds_wants_times(evidence, side):
    with pytest.raises(ResultError, match=r"is not a time; accepted: slug\.kernel\.size, slug\.peers\.NAME\.size"):
        evidence.compare(f"{side} faster than copy.copy_plain.2048")


def test_a_claim_on_speeds_is_of_the_measured_gpu():
    assert all(is_measured(f"a.b.2048 {words} a.c.2048") for words in SPEED_CLAIMS)


def test_the_page_on_measuring_tells_the_rule():
    page = (BOOK_RESULTS.parent / "measuring.rst").read_text(encoding="utf-8")
    assert AS_FAST_WITHIN == 0.02 and "the medians differ by two percent or less" in page
