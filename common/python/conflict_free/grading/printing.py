"""Takes the arguments of printf out of a run's counts: a kernel may print what helps to find a mistake, at no price.

The compiler stores the arguments of a printf to local memory. Local memory is a thread's own, so that leaving its traffic in the
lines of a printf uncounted gives no answer an advantage.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .running import Run


def without_printing(run: Run, name: str, lines: Collection[int]) -> Run:
    """Return a run without the local memory of the ``lines`` of the file ``name``, which call printf."""
    if not lines or not run.report:
        return run
    kernels = [_without(kernel, name, lines) for kernel in run.report["kernels"]]
    return replace(run, report={**run.report, "kernels": kernels})


def _without(kernel: Mapping[str, Any], name: str, lines: Collection[int]) -> Mapping[str, Any]:
    kept = dict(kernel)
    for line in kernel["lines"]:
        if line["space"] == "local" and line["line"] in lines and Path(line["file"]).name == name:
            group = f"local_{line['op']}"
            kept[group] = {count: number - line.get(count, 0) for count, number in kept[group].items()}
    return kept
