"""Tests of the directive value-table."""

import re

import pytest
from test_directives import text_of

TABLE = """\
.. value-table:: size
   :rows: 2048 × 2048: 2048 .1f
          large: 16384

   a copy, in GB/s: :val:`copy.copy_plain.{0}.gbps`
   with digits: :val:`copy.copy_plain.{0}.gbps|{1}` GB/s
"""


def cells(html: str) -> list[list[str]]:
    """Return the text of each cell, row by row, without tooltips."""
    plain = re.sub(r'<span class="val-tip".*?</span>', "", html, flags=re.DOTALL)
    return [
        [text_of(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr.*?</tr>", plain, re.DOTALL)
    ]


def test_each_row_fills_the_blanks_of_each_column(project):
    html = project.build_page(TABLE)
    found = cells(html)
    assert found[0] == ["size", "a copy, in GB/s", "with digits"]
    assert found[1] == ["2048 × 2048", "1,000", "1000.0 GB/s"]
    # The row has no second blank.
    assert found[2][0] == "large" and found[2][2] == "–" and float(found[2][1].replace(",", "")) > 0
    assert len(found) == 3
    assert html.count('role="tooltip"') == 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("large: 16384", "large 16384", "row: got 'large 16384', accepted: NAME: TEXT"),
        ("with digits: ", "with digits ", "column: got 'with digits "),
        ("|{1}`", "|{1`", "accepted: text with {0}, {1} and so on"),
        ("|{1}`", "|{spec}`", "accepted: text with {0}, {1} and so on"),
        ("{0}.gbps`", "{0}.speed`", "unknown metric 'speed'"),
        (":rows: 2048 × 2048: 2048 .1f\n          large: 16384", ":widths: 1 1 1", "got 0 rows and 2 columns"),
    ],
)
def test_a_malformed_table_fails_with_file_and_line(project, old, new, message):
    assert old in TABLE
    warnings = project.build_error(TABLE.replace(old, new))
    assert message in warnings
    assert re.search(r"index\.rst:\d+: ERROR", warnings)
