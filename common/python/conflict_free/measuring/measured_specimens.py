"""The measurements of the programs that show errors: their own figures, and counters."""

import json
import re
import subprocess

from conflict_free.console import Stop, shown_path
from conflict_free.evidence import source
from conflict_free.evidence.places import CHAPTERS, SPECIMENS

from .counters import NoCounters, read_counters
from .machine import clocks, query_device
from .measured_result import Session, provenance, whole_result


def parse_figures(text: str, name: str) -> dict[str, float]:
    """Return the lines `figure NAME NUMBER` in the output of a specimen."""
    figures = {}
    for key, number in re.findall(r"^figure (\w+) (\S+)$", text, re.MULTILINE):
        try:
            figures[key] = float(number)
        except ValueError:
            raise Stop(f"{name} says that {key} is {number}, which is no number") from None
    return figures


def measure_specimens(session: Session, show) -> dict:
    """Measure the programs that show errors, as their chapter lists them, and return their result."""
    folder = session.build / "chapters" / SPECIMENS
    listing = folder / "measured.json"
    try:
        wanted = json.loads(listing.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Stop(f"cannot read {shown_path(listing)}: {error}; scripts/measure builds it") from error
    device, before = query_device(), clocks()
    hashes, rows, profiled = {}, [], False
    for name, metrics in wanted.items():
        show(name)
        program, path = folder / f"{SPECIMENS}_{name}", CHAPTERS / SPECIMENS / f"{name}.cu"
        try:
            done = subprocess.run([str(program)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise Stop(f"cannot run {shown_path(program)}: {error.strerror}") from error
        # Exit code 1 reports a wrong output, which some specimens have on purpose.
        if done.returncode not in (0, 1):
            raise Stop(f"{program.name} ended with exit code {done.returncode}: {done.stderr.strip()}")
        figures = parse_figures(done.stdout, program.name)
        if metrics and session.ncu:
            try:
                keys = {metric.replace(".", "_"): metric for metric in metrics}
                figures |= read_counters(session.ncu, [str(program)], name, 1, keys)
                profiled = True
            except NoCounters as reason:
                session.note(f"no counters for {name}: {reason}")
        if not figures:
            session.note(f"{name} has no figures")
            continue
        hashes[name] = source.read_sources(path).kernel_hash(name)
        rows.append(
            {
                "kernel": name,
                "size": "1x1",
                "width": 1,
                "height": 1,
                "element_bytes": 4,
                "bytes": 0,
                "reference": False,
                "fits_l2": True,
                "check": {"passed": True, "message": ""},
                "time": None,
                "counters": None,
                "model": None,
                "figures": figures,
            }
        )
    if not rows:
        raise Stop("no specimen has a figure")
    told = provenance(session, device, SPECIMENS, (before, clocks()), 0, profiled)
    return whole_result(session, SPECIMENS, told, hashes, rows)
