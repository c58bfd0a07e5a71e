"""No recorded time of the book's machine is below the bound that follows from the model's counts."""

import pytest
from conftest import BOOK

from conflict_free.console import ROOT
from conflict_free.evidence.lookup import Evidence
from directives.plots.bounds import recorded

EVIDENCE = Evidence(ROOT / "chapters", BOOK / "results", ROOT / "build" / "counts")
FASTEST = list(recorded(EVIDENCE, "p10_ms"))


@pytest.mark.parametrize("slug", sorted({each.slug for each in FASTEST}))
def test_no_launch_is_faster_than_its_bound(slug):
    assert [each for each in FASTEST if each.slug == slug and each.taken < each.least] == []


def test_the_bound_is_close_where_a_kernel_is_limited_by_what_is_counted():
    closest = {each.slug: each.percent for each in sorted(FASTEST, key=lambda each: each.percent)}
    assert closest["coalesced"] > 80 and closest["timing"] > 90
