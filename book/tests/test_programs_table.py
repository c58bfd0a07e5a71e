"""The table of programs of others: which differences are explained."""

import pytest

from directives.project import render
from directives.tables.counting import summarize_programs


def program(*differences: dict) -> dict:
    return {"name": "sample", "launches": 1, "counts": 15, "equal": 15 - len(differences), "differences": list(differences)}


def difference(kernel: str, marked: list[str], **more: int) -> dict:
    return {"kernel": kernel, "count": "global_store_sectors", "model": 8, "gpu": 9, "marked": marked, **more}


MARKED, VARIES, NEITHER = difference("scan", ["ptxas leaves it out"]), difference("sum", [], gpu_again=7), difference("sum", [])


@pytest.mark.parametrize(
    "differences, said, excess",
    [
        ((MARKED,), "they are not exact: ptxas leaves it out", False),
        ((VARIES,), "The GPU itself counts otherwise", False),
        ((VARIES, MARKED), "The GPU itself counts otherwise", False),
        ((difference("sum", [], gpu_again=10),), "calls at least one of them exact, and it is not", True),
        ((NEITHER,), "calls at least one of them exact, and it is not", True),
        ((VARIES, NEITHER), "calls at least one of them exact, and it is not", True),
    ],
)
def test_a_difference_is_explained_by_a_mark_or_by_the_gpu_itself(differences, said, excess):
    html = render("programs.html", gpu="a GPU", **summarize_programs([program(*differences)]))
    assert said in html
    assert ("excess" in html) is excess
