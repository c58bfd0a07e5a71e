"""The observations of a run under the model, and whether they are the expected ones."""

import dataclasses

from catalog import COUNTS

_SHARED = ("shared_load", "shared_store")
_GLOBAL = ("global_load", "global_store")
# Observations that any harmful mutant may have in addition to the expected ones.
_ALWAYS_ALLOWED = {*COUNTS, "wrong result"}


@dataclasses.dataclass(frozen=True)
class Observation:
    """One run: the kinds of hazards reported, the counts over all launches, and how the program ended.

    `messages` are for people: the hazards, the model's errors and the program's own output.
    """

    hazards: frozenset[str]
    counts: dict[str, int]
    right: bool
    kernel_errors: int
    messages: tuple[str, ...]


def observe(report, exit_code, output):
    """Return the observation from a report of the model (its JSON) and the output of the program."""
    counts = {kind + ".conflicts": sum(launch[kind]["conflicts"] for launch in report["kernels"]) for kind in _SHARED}
    counts |= {kind + ".sectors": sum(launch[kind]["sectors"] for launch in report["kernels"]) for kind in _GLOBAL}
    messages = (
        [_hazard_line(hazard) for hazard in report["hazards"]]
        + [error["message"] for error in report["errors"]]
        + output.strip().splitlines()
    )
    hazards = frozenset(hazard["kind"] for hazard in report["hazards"])
    return Observation(hazards, counts, exit_code == 0, len(report["errors"]), tuple(messages))


def no_report(message):
    """Return the observation of a run without a report, which no mutant expects."""
    return Observation(frozenset({"no report"}), {}, False, 0, (message,))


def _hazard_line(hazard):
    places = " and ".join(f"line {place['line']}" for place in hazard["lines"])
    return f"{hazard['kind']} at {places}: {hazard['message']}"


def detectors(observation, original):
    """Return all differences between the run and a clean run of the unchanged subject, `original`."""
    found = set(observation.hazards)
    if not observation.right:
        found.add("wrong result")
    if observation.kernel_errors:
        found.add("kernel error")
    for count, value in observation.counts.items():
        if value > original.counts.get(count, value):
            found.add(count.split(".")[1])
    return found


def complaint_about_subject(observation):
    """Return what is wrong with a run of a correct subject, or an empty text."""
    if observation.hazards:
        return "false alarm: " + ", ".join(sorted(observation.hazards))
    if observation.kernel_errors or not observation.right:
        return "wrong result"
    return ""


def complaint_about_mutant(mutant, found):
    """Return how the findings differ from those that the mutant expects, or an empty text."""
    if mutant.harmless:
        return f"harmless ({mutant.harmless}), but seen: {', '.join(sorted(found))}" if found else ""
    missing = [each for each in mutant.expect if each not in found]
    if missing:
        return f"not caught by {', '.join(missing)}; seen: {', '.join(sorted(found)) or 'nothing'}"
    strange = sorted(found - set(mutant.expect) - set(mutant.also) - _ALWAYS_ALLOWED)
    return f"unexpected: {', '.join(strange)}; expected: {', '.join(mutant.expect)}" if strange else ""
