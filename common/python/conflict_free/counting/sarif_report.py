"""A report as SARIF 2.1.0, which editors and CI systems show beside the source."""

from collections.abc import Sequence
from pathlib import Path

from conflict_free.counts import HAZARDS, MEASURES

from .bound import bound_of, with_largest_bound
from .launches import Launches, accesses_of, fold, own_place
from .mending import what_to_mend
from .next_step import next_step
from .shown_names import shown_name

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HAZARDS = {name: sentence.removesuffix(".") for name, sentence in HAZARDS.items()}
#: The rule for errors that ended the program early.
_STOPPED = "stopped"
_ERRORS = {_STOPPED: "The program ended early, or a part of it was refused"}
_LIMIT = "cycles_at_least"
_LIMITS = {_LIMIT: "The fewest cycles that a launch takes, and what limits it"}
#: Memory spaces whose costs get a warning: the rule and its description.
_COSTS = {
    "shared": ("bank_conflict", "An access to shared memory takes more wavefronts than it would without bank conflicts"),
    "global": ("scattered_access", "An access to global memory moves more sectors than its bytes fill"),
}


def _uri(file: str, sources: Sequence[Path]) -> str:
    """Return the URI of a file, relative to the working folder of the command if possible."""
    for source in sources:
        if source.name == file:
            resolved = source.resolve()
            here = Path.cwd()
            return resolved.relative_to(here).as_posix() if resolved.is_relative_to(here) else resolved.as_uri()
    return file


def _location(place: dict, sources: Sequence[Path]) -> dict:
    region = {"region": {"startLine": place["line"]}} if place["line"] > 0 else {}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(place["file"], sources)}, **region}}


def _hazard(hazard: dict, sources: Sequence[Path]) -> dict:
    own = {source.name for source in sources}
    places = [_location(own_place(place, own), sources) for place in hazard["lines"] if place["file"]]
    text = f"{hazard['message']} {hazard['help']}".strip()
    result = {"ruleId": hazard["kind"], "level": "error", "message": {"text": text}, "locations": places[:1]}
    return {**result, "relatedLocations": places[1:]} if places[1:] else result


def _error(error: dict, sources: Sequence[Path]) -> dict:
    fields = error["fields"]
    place = {"file": fields["file"], "line": fields["line"]} if "line" in fields else None
    text = f"{error['message']} {error['help']}".strip()
    result = {"ruleId": _STOPPED, "level": "error", "message": {"text": text}}
    return {**result, "locations": [_location(place, sources)]} if place else result


def _cost(kernel: dict, line: dict, sources: Sequence[Path]) -> dict | None:
    """Return a result for an access that costs more than the least possible."""
    measure = MEASURES[line["space"]]
    if line["space"] not in _COSTS or measure.is_ideal(line) or not line["file"]:
        return None
    rule, _ = _COSTS[line["space"]]
    text = (
        f"{shown_name(kernel['name'])}: {line['space']} {line['op'].replace('_', ' ')}: {line[measure.cost]:,} {measure.cost}, "
        f"{line[measure.ideal]:,} at best"
    )
    return {"ruleId": rule, "level": "warning", "message": {"text": text}, "locations": [_location(line, sources)]}


def _bound(launches: Launches, machine: str, sources: Sequence[Path]) -> dict | None:
    """Return a note on the launch with the highest bound, placed at the access to mend first."""
    kernel = with_largest_bound(launches.each, machine)
    bound = bound_of(kernel, machine)
    if not bound or not bound.cycles:
        return None
    own = {source.name for source in sources}
    first = next(iter(what_to_mend(kernel, machine, own)), None)
    step = next_step(kernel, machine, own)
    text = f"{shown_name(launches.counts['name'])}: {bound.cycles_at_least:,} cycles at least. {step}"
    if first and first.cycles:
        text += f" With the {first.access} at {first.place} at its best, {first.cycles_without:,}."
    result = {"ruleId": _LIMIT, "level": "note", "message": {"text": text}}
    return {**result, "locations": [_location(first.location, sources)]} if first else result


def log(data: dict, sources: Sequence[Path]) -> dict:
    """Return the report as SARIF.

    Hazards and errors of the program are errors; accesses that cost more than the least possible are warnings; what limits a launch is a
    note.
    """
    errors = data.get("errors", ())
    results = [_hazard(hazard, sources) for hazard in data["hazards"]] + [_error(error, sources) for error in errors]
    own = {source.name for source in sources}
    for launches in fold(data["kernels"]):
        results += [bound] if (bound := _bound(launches, data["machine"], sources)) else []
        lines = accesses_of(launches.counts["lines"], own)
        results += [cost for line in lines if (cost := _cost(launches.counts, line, sources))]
    described = {**_HAZARDS, **_ERRORS, **dict(_COSTS.values()), **_LIMITS}
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in described.items()]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "conflict-free", "rules": rules}}, "results": results}],
    }
