"""``load-timeline``: the loads of one thread over time, one after another or together; a drawing, with no measured time in it."""

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural

from ..project import EvidenceDirective, picture, render

#: Units of the picture: the wait for a load, the wait at a barrier, the issue of an instruction, the height of a row, and the room for its name.
WAIT, BARRIER, ISSUE, ROW, LEFT = 62, 30, 6, 17, 66

#: What the thread of the drawing does.
LOADS, LOAD_BYTES = 4, 4


def bars_of(loads: int, together: int, barrier: int = 0) -> list[dict[str, Any]]:
    """Return the bars of ``loads`` loads and their stores, of which ``together`` are issued before the first store.

    Between the last of them and the first store, their thread waits for ``barrier`` at a barrier.
    """
    bars, now = [], 0
    for first in range(0, loads, together):
        group = range(first, min(first + together, loads))
        goes_on = now + WAIT + ISSUE * len(group) + barrier
        for place, load in enumerate(group):
            x = now + ISSUE * place
            bars.append({"row": load, "x": x, "width": WAIT, "held": goes_on - barrier, "store": goes_on + ISSUE * place})
        now = bars[-1]["store"] + ISSUE
    return bars


def numbered_kernels(directive: EvidenceDirective, evidence: Evidence, most: int, what: str) -> list[tuple[str, int]]:
    """Return the kernels and numbers of a body whose lines are ``SLUG.KERNEL | N``. Raises ResultError unless *N* is 1 to ``most``."""
    directive.assert_has_content()
    found = []
    for line in filter(str.strip, directive.content):
        name, bar, number = line.partition("|")
        slug, kernel = directive.kernel_argument(name.strip())
        evidence.sources(slug).region(kernel)
        if not bar or not number.strip().isdecimal() or not 0 < int(number) <= most:
            raise ResultError(f"{line!r} is not SLUG.KERNEL | N with 1 to {most} {what}")
        found.append((kernel, int(number)))
    return found


class LoadTimeline(EvidenceDirective, directive="load-timeline"):
    """``.. load-timeline::``: a line of the body is ``SLUG.KERNEL | N``: the kernel has *N* loads of a thread in flight at once.

    The thread makes LOADS loads of LOAD_BYTES bytes. With ``:barrier:`` it passes a barrier between its loads and its stores, and LOADS
    ÷ *N* threads follow each other in one place.
    """

    has_content = True
    option_spec = {"barrier": directives.flag}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        barrier = BARRIER if "barrier" in self.options else 0
        panels = [
            {
                "kernel": kernel,
                "bytes": together * LOAD_BYTES,
                "bars": bars_of(LOADS, together, barrier),
                "together": together,
                "of": "thread" if barrier and together == 1 else "load",
            }
            for kernel, together in numbered_kernels(self, evidence, LOADS, "loads in flight")
        ]
        longest = max(bar["store"] for panel in panels for bar in panel["bars"]) + ISSUE
        said = " ".join(
            f"{one['kernel']}: {plural(one['together'], 'load')} of a thread in flight, {plural(one['bytes'], 'byte')}." for one in panels
        )
        html = render(
            "load_timeline.html",
            panels=panels,
            barrier=barrier,
            description=said,
            loads=LOADS,
            width=LEFT + longest,
            left=LEFT,
            row=ROW,
            issue=ISSUE,
        )
        return picture(html, said)
