"""The results that a reader's change has made new, stale or untrue: ten lines at most at the end of scripts/book, all with --strict."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from conflict_free.console import FAILED, run_main, say
from conflict_free.evidence import metrics
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.places import BOOK_MACHINE, CHAPTERS, RESULTS

_MOST_LINES = 10
_MOST_NAMES = 6
_WIDTH = 160


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    return f"{shown} and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else shown


def failed(counts: Path) -> Iterator[str]:
    """Yield the failures that the programs of this build have found, a line each. Raises ResultError for a malformed file of counts."""
    seen = set()
    evidence = Evidence(CHAPTERS, RESULTS, counts)
    for path in sorted(counts.glob("*.json")):
        slug, _, machine = path.stem.partition(".")
        for row in evidence.program(f"{machine}:{slug}" if machine else slug)["rows"]:
            for line in metrics.failures(row):
                if line not in seen:
                    seen.add(line)
                    yield f"{path.stem}: {line}"


def lines(build: Path, most: int | None = _MOST_LINES) -> list[str]:
    """Return the lines on a build folder whose book is rendered, ``most`` at most; an empty list if nothing was changed."""
    evidence = Evidence(CHAPTERS, RESULTS, build / "counts", BOOK_MACHINE)
    changed = [f"{slug}.{kernel}" for slug in evidence.measured_chapters() for kernel in evidence.stale(slug)]
    found = json.loads((build / "changes.json").read_text(encoding="utf-8"))
    pages = sorted({change["page"] for change in found if change["kind"] == "stale"})
    broken = [*failed(build / "counts")]
    broken += [f"book/{change['page']}.rst:{change['line']}: {change['text']}" for change in found if change["kind"] == "broken"]
    made = []
    if changed:
        made.append(f"New: the text of {_listed(changed)}. Counts, margins and diffs are those of your text")
    if pages:
        made.append(f"Stale: what was measured before your change is crossed out, on {_listed(pages)}; scripts/measure measures again")
    room = len(broken) if most is None else most - len(made) - (1 if broken else 0)
    shown = broken if len(broken) <= room else broken[: room - 1]
    made += [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…" for line in (f"Broken: {line}" for line in shown)]
    if len(shown) < len(broken):
        made.append(f"Broken: {len(broken) - len(shown)} more; each is marked where it stands")
    if broken:
        made.append("With --strict, as scripts/test has it, stale and broken are errors")
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("--strict", action="store_true", help="show all, and exit with 1 if there is any")
    options = parser.parse_args()
    try:
        found = lines(options.build, None if options.strict else _MOST_LINES)
    except (OSError, ValueError, ResultError) as error:
        found = [f"What has changed cannot be told: {error}"]
    for line in found:
        say(line)
    return FAILED if options.strict and found else 0


if __name__ == "__main__":
    run_main(main)
