"""``load-timeline``: the loads of one thread over time, one after another or together; a drawing, with no measured time in it."""

import functools
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


def bars_of(loads: int, together: int, barrier: int = 0, wait: float = WAIT) -> list[dict[str, Any]]:
    """Return the bars of ``loads`` loads and their stores, of which ``together`` are issued before the first store.

    A store waits for the value of its load, or, with ``barrier``, for all loads and then for that long at a barrier.
    """
    bars, now = [], 0
    for first in range(0, loads, together):
        group = range(first, min(first + together, loads))
        arrived = now + wait + ISSUE * len(group)
        for place, load in enumerate(group):
            x = now + ISSUE * place
            store = arrived + barrier + ISSUE * place if barrier else x + wait + ISSUE
            bars.append({"row": load, "x": x, "width": wait, "held": arrived, "rows": 0 if place else len(group), "store": store})
        now = bars[-1]["store"] + ISSUE
    return bars


def bars_in_turn(loads: int, barrier: int, wait: float = WAIT) -> list[dict[str, Any]]:
    """Return the bars of ``loads`` loads, each issued when the one before has arrived, with all stores behind a barrier."""
    arrived = (wait + ISSUE) * loads
    return [
        {
            "row": load,
            "x": (wait + ISSUE) * load,
            "width": wait,
            "held": arrived,
            "rows": 0 if load else loads,
            "store": arrived + barrier + ISSUE * load,
        }
        for load in range(loads)
    ]


def length_of(bars: list[dict[str, Any]]) -> float:
    """Return where the last store of a drawing ends."""
    return max(bar["store"] for bar in bars) + ISSUE


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

    The thread makes LOADS loads of LOAD_BYTES bytes. With ``:barrier:`` it passes a barrier between its loads and its stores, and LOADS ÷
    *N* threads follow each other in one place. ``:in-turn: WORDS`` adds, behind the first kernel, a thread that makes its loads one at a
    time, before that barrier. ``:gbps: KEY | KEY …`` is the speed of each panel: their lengths are in the ratio of the times.
    """

    has_content = True
    option_spec = {"barrier": directives.flag, "in-turn": directives.unchanged_required, "gbps": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        barrier = BARRIER if "barrier" in self.options else 0
        panels = [
            {
                "kernel": kernel,
                "together": together,
                "draw": functools.partial(bars_of, LOADS, together, barrier),
                "waits": LOADS // together,
                "of": "thread" if barrier and together == 1 else "load",
            }
            for kernel, together in numbered_kernels(self, evidence, LOADS, "loads in flight")
        ]
        if words := self.options.get("in-turn"):
            panels.insert(
                1, {"words": words, "together": 1, "draw": functools.partial(bars_in_turn, LOADS, barrier), "waits": LOADS, "of": "load"}
            )
        keys = [key.strip() for key in self.options.get("gbps", "").split("|") if key.strip()]
        if keys and len(keys) != len(panels):
            raise ResultError(f":gbps: has {len(keys)} keys for {len(panels)} panels")
        speeds = [evidence.value(key) for key in keys]
        for panel, speed in zip(panels, speeds, strict=False):
            panel["gbps"] = speed.text(",.0f")
        first = length_of(panels[0]["draw"]())
        for place, panel in enumerate(panels):
            # The panel's length relative to the first is that of the measured times: its loads wait longer or shorter.
            more = first * speeds[0].number / speeds[place].number - length_of(panel["draw"]()) if speeds else 0
            panel["bars"] = panel["draw"](wait=WAIT + more / panel["waits"])
        longest = max(length_of(panel["bars"]) for panel in panels)
        said = " ".join(
            f"{one.get('kernel') or one['words']}: {plural(one['together'], 'load')} of a thread in flight, "
            f"{plural(one['together'] * LOAD_BYTES, 'byte')}{', ' + one['gbps'] + ' GB/s' if keys else ''}."
            for one in panels
        )
        html = render(
            "load_timeline.html",
            panels=panels,
            barrier=barrier,
            description=said,
            loads=LOADS,
            load_bytes=LOAD_BYTES,
            width=LEFT + longest,
            left=LEFT,
            row=ROW,
            issue=ISSUE,
        )
        return picture(html, said)
