"""--fail-if: conditions on the counts of a launch under which the command fails."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conflict_free.console import USAGE, Stop
from conflict_free.counts import GROUPS, NUMBERS, Group

from . import expressions
from .bound import NAMES, bound_of
from .shown_names import shown_name

_SHOWN_LAUNCHES = 5


def _group(group: Group, kernel: Mapping[str, Any]) -> dict[str, float]:
    """Return the counts of a group, 0 where a launch has none, and the mean cost of one instruction."""
    measure = group.measure
    found: dict[str, float] = {key: group.of(kernel).get(key, 0) for key in measure.keys}
    return {**found, measure.per: measure.each(found)}


def names_of(kernel: Mapping[str, Any], machine: str) -> dict[str, Any]:
    """Return the names that an expression may use for a launch of a report on `machine`, with their values.

    Where there is no bound, ``cycles_at_least`` is 0 and ``limited_by`` empty; where the registers are unknown, ``occupancy`` is 0.
    """
    bound = bound_of(kernel, machine)
    resources = kernel.get("resources", {})
    return {
        "name": kernel.get("name", ""),
        "cycles_at_least": bound.cycles_at_least if bound else 0,
        "limited_by": bound.limited_by if bound else "",
        **{name: kernel.get(name, 0) for name in (*NUMBERS, "shared_bytes", "launch")},
        **{name: _group(group, kernel) for name, group in GROUPS.items()},
        "registers": resources.get("registers", 0),
        "spilled_bytes": resources.get("spilled_store_bytes", 0) + resources.get("spilled_load_bytes", 0),
        "occupancy": resources["warps"] / resources["most_warps"] if resources else 0,
    }


def _check_resources(condition: str) -> None:
    """Raise Stop for a comparison of ``limited_by`` with a text that is no resource: it would never hold."""
    for node in ast.walk(ast.parse(condition.strip(), mode="eval")):
        if isinstance(node, ast.Compare) and any(isinstance(part, ast.Name) and part.id == "limited_by" for part in ast.walk(node)):
            texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            if unknown := next((text for text in texts if text and text not in NAMES), None):
                raise Stop(f"argument --fail-if: limited_by is never {unknown!r}; it is one of {', '.join(NAMES)}", USAGE)


def check(conditions: Sequence[str]) -> None:
    """Raise Stop with exit code 2 for a text that is no expression over the counts of a launch."""
    for condition in conditions:
        try:
            expressions.value_of(condition, names_of({}, ""))
        except expressions.ExpressionError as error:
            # Without any access every ratio of counts divides by 0.
            if not isinstance(error.__cause__, ZeroDivisionError):
                raise Stop(f"argument --fail-if: {error}", USAGE) from error
        _check_resources(condition)


def _counts_in(condition: str, names: Mapping[str, Any]) -> str:
    """Return the counts that an expression names, such as ``shared_load.conflicts is 992``."""
    shown = []
    for word in dict.fromkeys(re.findall(r"[a-z_]+(?:\.[a-z_]+)*", condition)):
        value: Any = names
        for part in word.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if isinstance(value, str) and value:
            shown.append(f"{word} is {value}")
        elif isinstance(value, (int, float)):
            shown.append(f"{word} is {value:,.10g}" if isinstance(value, float) else f"{word} is {value:,}")
    return ", ".join(shown)


def _failures(condition: str, data: Mapping[str, Any]) -> Iterator[str]:
    for kernel in data["kernels"]:
        names = names_of(kernel, data["machine"])
        where = f"{shown_name(kernel.get('name', ''))}, launch {kernel.get('launch', 0)}"
        try:
            if expressions.value_of(condition, names):
                yield f"failed: {condition} in {where}: {_counts_in(condition, names)}"
        except expressions.ExpressionError as error:
            yield f"failed: {error} in {where}"


def failures(conditions: Sequence[str], data: Mapping[str, Any]) -> list[str]:
    """Return a line for each condition and each launch that it holds for; without any counted launch, one line that says so."""
    if conditions and not data["kernels"]:
        return ["failed: no launch was counted, and --fail-if needs one"]
    lines = []
    for condition in conditions:
        found = list(_failures(condition, data))
        lines += found[:_SHOWN_LAUNCHES]
        if len(found) > _SHOWN_LAUNCHES:
            lines.append(f"failed: {condition} in {len(found) - _SHOWN_LAUNCHES:,} more launches")
    return lines
