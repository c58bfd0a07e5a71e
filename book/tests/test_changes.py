"""A book whose kernels were changed: it renders, crosses out earlier measurements, and marks the claims that fail."""

import json
import re

import pytest
from synthetic import changed_json

PAGE = """
:val:`copy.copy_shared.16384.gbps` and :val:`copy.copy_plain.16384.gbps`.

:claim:`The detour is dear [copy.copy_plain.16384.gbps > copy.copy_shared.16384.gbps]`.

:claim:`It has a barrier less [copy.copy_shared.2048.barriers < 0]`.

.. measured-table:: copy

.. kernel-listing:: copy.copy_shared
   :counts:

.. kernel-listing:: copy.copy_gone

.. speedup-plot:: copy.copy_plain copy.copy_shared

.. bandwidth-plot::
"""


@pytest.fixture
def changed(project):
    """A book with a wrong text of the kernel copy_shared."""
    source = project.source("copy")
    source.write_text(source.read_text().replace("output[i] = tile[threadIdx.x]", "output[i] = 2 * tile[threadIdx.x]"))
    with changed_json(project.counts / "copy.json") as counts:
        for row in counts["rows"]:
            if row["kernel"] == "copy_shared":
                row["check"] = {"passed": False, "message": "3 elements differ"}
                row["expectations"] = [{"text": "barriers == 0", "passed": False, "seen": 64.0}]
    return project


def test_the_book_is_rendered_and_marked(changed):
    html = changed.build_page(PAGE)
    crossed = re.findall(r'<span class="val before-change"[^>]*>([\d,.]+)', html)
    assert len(crossed) == 1, "the time of the kernel that was changed, and no other"
    assert "measured before your change: copy_shared" in html
    assert 'kernel before-change"><th scope="row"><code>copy_shared' in html
    assert re.search(r'class="val stale"[^>]*>measured before your change', html), "the claim of times"
    assert re.search(r'class="val broken"[^>]*>no longer holds', html), "the claim of counts"
    assert "copy_shared at 2048 × 2048 is wrong: 3 elements differ." in html
    assert "copy_shared at 2048 × 2048 does not have barriers == 0: it is 64." in html
    assert "2 * tile[threadIdx.x]" in re.sub(r"<[^>]+>", "", html)
    assert "This cannot be shown after the change" in html
    assert "copy_shared *" in html and "* Measured before your change." in html
    assert "copy_shared (measured before your change)" in html


def test_what_has_changed_is_told(changed):
    build = changed.build_page(PAGE) and changed.build()
    told = json.loads(build.output.with_name("changes.json").read_text())
    assert {change["text"] for change in told if change["kind"] == "stale"} == {"copy.copy_shared"}
    broken = [(change["line"], change["text"].split(":")[0]) for change in told if change["kind"] == "broken"]
    assert [line for line, _ in broken] == sorted(line for line, _ in broken)
    assert len(broken) == 2 and broken[0][1] == "claim"


def test_what_is_put_right_is_told_no_more(changed):
    changed.build_page(PAGE.split(".. kernel")[0].replace("< 0", "< 9999"))
    source = changed.source("copy")
    source.write_text(source.read_text().replace("2 * tile", "tile"))
    build = changed.build()
    assert "before-change" not in build.html()
    assert json.loads(build.output.with_name("changes.json").read_text()) == []
