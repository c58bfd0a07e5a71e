"""conflict-free diff OLD NEW: the effect of a change on the counts, kernel by kernel and line by line."""

from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path

from conflict_free.console import FAILED, OneLineParser, say
from conflict_free.counts import GROUPS, KEYS, NUMBERS, OPERATIONS, SPACES

from . import saved_report
from .bound import NAMES as RESOURCES
from .bound import bound_of
from .launches import accesses_of, fold
from .mending import all_to_mend
from .shown_names import shown_name

# The ideal counts follow from the accesses, so they differ only where another count differs.
_COUNTS = tuple(key for key in KEYS if not key.startswith("ideal_"))

_EXCESS = "excess"
_CYCLES = "cycles of the bound"


def _kernels(data: dict) -> dict[str, list[dict]]:
    """Return the counts of each kernel: a list with its configurations in the order of their first launch."""
    found: dict[str, list[dict]] = {}
    for launches in fold(data["kernels"]):
        # Launches that differ have only sums, and a bound belongs to one launch.
        counts = {key: value for key, value in launches.counts.items() if key != "work" or not launches.differ}
        found.setdefault(counts["name"], []).append(counts)
    return found


def _change(old: dict, new: dict) -> str:
    """Return the difference of two counts, such as "wavefronts 1,024 -> 32"; empty if nothing differs."""
    changes = [
        f"{name} {old.get(name, 0):,} -> {new.get(name, 0):,}" for name in (*_COUNTS, _CYCLES) if old.get(name, 0) != new.get(name, 0)
    ]
    return ", ".join(changes)


def _accesses(kernel: dict, machine: str, own: Container[str]) -> dict[tuple, dict]:
    """Return the counts by file, line, and kind of access, where a library's stand at the reader's line that calls it.

    An access that costs more than it must also has its excess, and its cycles of the bound.
    """
    found: dict[tuple, dict] = {}
    for line in accesses_of(kernel["lines"], own):
        sums = found.setdefault((line["file"], line["line"], line["space"], line["op"]), {})
        for name in _COUNTS:
            if name in line:
                sums[name] = sums.get(name, 0) + line[name]
    for each in all_to_mend(kernel, machine, own):
        sums = found[each.location["file"], each.location["line"], each.space, each.operation]
        sums[_EXCESS] = sums.get(_EXCESS, 0) + each.excess
        sums[_CYCLES] = sums.get(_CYCLES, 0) + (each.cycles or 0)
    return found


def _pairs(before: Iterable[tuple], after: Iterable[tuple]) -> Iterator[tuple[tuple | None, tuple | None]]:
    """Yield the keys of each access in both reports. Where a file has equally many accesses of a kind in both, they are matched by their
    order, since lines move; elsewhere by their lines."""
    kinds: dict[tuple, tuple[list, list]] = {}
    for side, keys in enumerate((before, after)):
        for file, line, *kind in sorted(keys):
            kinds.setdefault((file, *kind), ([], []))[side].append((file, line, *kind))
    for old, new in kinds.values():
        if len(old) == len(new):
            yield from zip(old, new)
        else:
            yield from ((key if key in old else None, key if key in new else None) for key in sorted({*old, *new}))


def _mended(old: dict, new: dict) -> str:
    """Return the change of an access's excess, as the beginning of a line; empty if there is no excess, or less or more than before."""
    before, after = old.get(_EXCESS, 0), new.get(_EXCESS, 0)
    if before > after == 0:
        return "fixed: " if new else "gone: "
    return "new: " if after > before == 0 else ""


def _in_renamed_file(old: dict[tuple, dict], new: dict[tuple, dict]) -> dict[tuple, dict]:
    """Return the old accesses. Where each report has one file that the other does not have, they stand in the new one."""
    before, after = ({file for file, *_ in accesses} for accesses in (old, new))
    if len(before - after) != 1 or len(after - before) != 1:
        return old
    (gone,), (added,) = before - after, after - before
    return {(added if file == gone else file, *rest): counts for (file, *rest), counts in old.items()}


def _access_changes(old: dict[tuple, dict], new: dict[tuple, dict]) -> list[str]:
    """Return the accesses whose counts differ, as lines of text: those with the largest part of a bound, old or new, first."""
    found = []
    old = _in_renamed_file(old, new)
    for before, after in _pairs(old, new):
        counts = old.get(before, {}), new.get(after, {})
        if change := _change(*counts):
            file, line, space, operation = before or after
            moved = f" -> {after[1]}" if before and after and before[1] != after[1] else ""
            text = f"    {_mended(*counts)}{file}:{line}{moved} {space} {operation.replace('_', ' ')}: {change}"
            cost = max(each.get(_CYCLES, 0) for each in counts)
            found.append(((-cost, file, line, SPACES.index(space), OPERATIONS.index(operation)), text))
    return [text for _, text in sorted(found)]


def _bound_change(old: tuple[dict, str], new: tuple[dict, str]) -> str:
    """Return the difference of two bounds; empty if nothing differs, or if one of them is not known."""
    before, after = bound_of(*old), bound_of(*new)
    if not before or not after or before == after:
        return ""
    limits = [RESOURCES.get(bound.limited_by, "nothing") for bound in (before, after)]
    limited = f" ({limits[0]} -> {limits[1]})" if limits[0] != limits[1] else ""
    cycles = before.cycles_at_least, after.cycles_at_least
    return f"cycles at least {cycles[0]:,} -> {cycles[1]:,}{limited}" if cycles[0] != cycles[1] or limited else ""


def _kernel_changes(old: dict, new: dict, machines: tuple[str, str], own: Container[str]) -> list[str]:
    """Return the differences between two counts of one kernel, as lines of text."""
    changes = [f"  {change}"] if (change := _bound_change((old, machines[0]), (new, machines[1]))) else []
    changes += [
        f"  {name.replace('_', ' ')}: {change}" for name, group in GROUPS.items() if (change := _change(group.of(old), group.of(new)))
    ]
    for name in NUMBERS:
        if old.get(name, 0) != new.get(name, 0):
            changes.append(f"  {name.replace('_', ' ')} {old.get(name, 0):,} -> {new.get(name, 0):,}")
    return changes + _access_changes(_accesses(old, machines[0], own), _accesses(new, machines[1], own))


def _hazards(data: dict) -> set[str]:
    return {f"{hazard['kind'].replace('_', ' ')} in {shown_name(hazard['kernel'])}: {hazard['message']}" for hazard in data["hazards"]}


def _links(data: dict) -> dict[tuple[int, int], dict]:
    return {(link["from"], link["to"]): link for link in data.get("links", ())}


def _link_changes(old: dict, new: dict) -> Iterable[str]:
    before, after = _links(old), _links(new)
    for link in sorted(before.keys() | after.keys()):
        if change := _change(before.get(link, {}), after.get(link, {})):
            yield f"link from device {link[0]} to {link[1]}: {change}"


def differences(old: dict, new: dict) -> Iterable[str]:
    """Return the differences between two reports, as lines of text; an empty list if there are none."""
    before, after = _kernels(old), _kernels(new)
    own = {path.name for data in (old, new) for path in saved_report.sources_of(data)}
    for name in dict.fromkeys([*before, *after]):
        one, other = before.get(name, []), after.get(name, [])
        if not one or not other:
            yield f"{shown_name(name)}: only in the {'new' if other else 'old'} report"
            continue
        if len(one) != len(other):
            yield f"{shown_name(name)}: {len(one)} configurations -> {len(other)}"
        for first, second in zip(one, other):
            if changes := _kernel_changes(first, second, (old["machine"], new["machine"]), own):
                yield f"{shown_name(name)}, grid {first['grid']} block {first['block']}:"
                yield from changes
    yield from _link_changes(old, new)
    for text in sorted(_hazards(new) - _hazards(old)):
        yield f"new hazard: {text}"
    for text in sorted(_hazards(old) - _hazards(new)):
        yield f"gone: {text}"


def main(words: Sequence[str]) -> int:
    parser = OneLineParser(
        prog="conflict-free diff",
        usage="conflict-free diff OLD NEW",
        description="Shows the differences between two reports that --json has written. Exit code: 1 if there are any.",
    )
    for name, what in (("old", "the report before a change"), ("new", "the report after it")):
        parser.add_argument(name, metavar=name.upper(), type=Path, help=what)
    options = parser.parse_args(words)
    found = list(differences(saved_report.read(options.old), saved_report.read(options.new)))
    for line in found or ["no difference"]:
        say(line)
    return FAILED if found else 0
