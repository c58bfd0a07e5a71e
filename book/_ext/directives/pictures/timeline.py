"""``load-timeline``: the loads of one thread over time, one after another or together."""

from collections.abc import Sequence
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural

from ..project import EvidenceDirective, pictured

#: Units of the picture: the wait for a load, the issue of an instruction, the height of a row, the room for its name, and the length of the
#: first drawing where the parts are measured.
WAIT, ISSUE, ROW, LEFT, LONGEST = 62, 6, 17, 66, 400

#: What the thread of the drawing does.
LOADS, LOAD_BYTES = 4, 4


def bars_of(together: int, wait: float = WAIT) -> list[dict[str, Any]]:
    """Return the bars of LOADS loads and their stores, of which ``together`` are issued before the first store.

    A store waits for the value of its load.
    """
    bars, now = [], 0
    for first in range(0, LOADS, together):
        for place in range(together):
            x = now + ISSUE * place
            bars.append({"row": first + place, "x": x, "width": wait, "store": x + wait + ISSUE, "storing": ISSUE})
        now = bars[-1]["store"] + ISSUE
    return bars


def phased_bars(threads: int, in_turn: bool, length: float, percents: Sequence[float]) -> list[dict[str, Any]]:
    """Return the bars of LOADS loads that ``threads`` threads make behind one another in one place, in ``length`` units.

    Of a thread's time, ``percents`` pass until its loads have arrived, at the barrier, and with its stores; in the rest its place is empty.
    A thread issues its loads together or, with ``in_turn``, each when the one before has arrived.
    """
    bars, loads, turn = [], LOADS // threads, length / threads
    loading, barrier, storing = (turn * percent / 100 for percent in percents)
    for row in range(LOADS):
        begin, load = row // loads * turn, row % loads
        step = loading / loads if in_turn else ISSUE
        width = step if in_turn else loading - ISSUE * (loads - 1)
        empty = begin + loading + barrier + storing
        held = {"held": begin + loading, "barrier": barrier, "empty": empty, "end": begin + turn, "rows": 0 if load else loads}
        store = {"store": begin + loading + barrier + storing / loads * load, "storing": storing / loads}
        bars.append({"row": row, "x": begin + step * load, "width": width, **held, **store})
    return bars


def length_of(bars: list[dict[str, Any]]) -> float:
    """Return where the last bar of a drawing ends."""
    return max(bar.get("end", bar["store"] + bar["storing"]) for bar in bars)


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

    The thread makes LOADS loads of LOAD_BYTES bytes. ``:gbps: KEY | KEY …`` is the speed of each panel: their lengths are in the ratio of the
    times. With ``:phases: KEY | KEY …`` a thread passes a barrier between its loads and its stores, and LOADS ÷ *N* threads follow each other
    in one place; for each panel, KEY with ``_loading_percent``, ``_barrier_percent``, ``_after_loading_percent`` behind it is a figure of the
    clock. ``:in-turn: WORDS`` then adds, behind the first kernel, a thread that makes its loads one at a time.
    """

    has_content = True
    option_spec = dict.fromkeys(("in-turn", "gbps", "phases"), directives.unchanged_required)

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        panels = [
            {"kernel": kernel, "together": together, "waits": LOADS // together, "threads": LOADS // together}
            for kernel, together in numbered_kernels(self, evidence, LOADS, "loads in flight")
        ]
        if words := self.options.get("in-turn"):
            panels.insert(1, {"words": words, "together": 1, "threads": 1})
        speeds, phases = self._keys("gbps", len(panels)), self._keys("phases", len(panels))
        values = [evidence.value(key) for key in speeds]
        for place, panel in enumerate(panels):
            slower = values[0].number / values[place].number if values else 1
            if values:
                panel["gbps"] = values[place].text(",.0f")
            if phases:
                loading, barrier, after = (
                    evidence.value(f"{phases[place]}_{part}_percent").number for part in ("loading", "barrier", "after_loading")
                )
                panel["bars"] = phased_bars(panel["threads"], "words" in panel, LONGEST * slower, (loading, barrier, after - barrier))
                continue
            # The panel's length relative to the first is that of the measured times: its loads wait longer or shorter.
            more = length_of(bars_of(panels[0]["together"])) * slower - length_of(bars_of(panel["together"])) if values else 0
            panel["bars"] = bars_of(panel["together"], WAIT + more / panel["waits"])
        said = " ".join(
            f"{one.get('kernel') or one['words']}: {plural(one['together'], 'load')} of a thread in flight, "
            f"{plural(one['together'] * LOAD_BYTES, 'byte')}{', ' + one['gbps'] + ' GB/s' if values else ''}."
            for one in panels
        )
        return pictured(
            "load_timeline.html",
            said,
            panels=panels,
            phases=bool(phases),
            loads=LOADS,
            load_bytes=LOAD_BYTES,
            width=LEFT + max(length_of(panel["bars"]) for panel in panels),
            left=LEFT,
            row=ROW,
        )

    def _keys(self, option: str, count: int) -> list[str]:
        """Return the keys of an option, of which there are ``count``, or none."""
        keys = [key.strip() for key in self.options.get(option, "").split("|") if key.strip()]
        if keys and len(keys) != count:
            raise ResultError(f":{option}: has {len(keys)} keys for {count} panels")
        return keys
