"""Finds what is wrong with a run apart from its output: hazards, crashes, exceeded limits, errors of the CUDA runtime."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from .assignment import Assignment
from .facts import Facts
from .finding import OURS
from .running import Run

#: How many lines are named that were searched in the source because the model's message has none.
_MOST_LINES = 3
#: How much of a function's name is read.
_LONGEST_NAME = 1000

#: The help about two blocks that store to the same place by the same line. Atomic operations would hide the mistake.
_OVERLAP = "Look at the guard and the index of this line: each element has to belong to one block only."
#: The beginnings of the names of runtime calls that copy.
_COPIES = ("cudaMemcpy", "cudaGraph")
#: The model's report has an entry for each launch.
_MOST_LAUNCHES = 10_000

_WITHOUT_HELP = "Look at what the kernels and the host code read and write."


@dataclass(frozen=True)
class Complaint:
    """A fault of a run: what was seen, one sentence of help, and the places in the source in the form of a report."""

    seen: str
    help: str
    places: Sequence[Mapping] = ()


def complaint(run: Run, assignment: Assignment, facts: Facts) -> Complaint | None:
    """Return the most telling fault of a run, or None if the run has none. ``facts`` are those about its source."""
    report = run.report or {}
    if report.get("hazards"):
        # Threads that miss a barrier race with the threads that wait at it: the barrier is the cause.
        return _of_hazard(min(report["hazards"], key=lambda hazard: hazard["kind"] != "divergent_barrier"))
    if run.outcome == "broken":
        return _of_message(run.message, assignment, facts)
    if run.outcome == "memory":
        return _of_limit("memory", assignment)
    if run.calls.get("launches", 0) > _MOST_LAUNCHES:
        return Complaint(
            f"it launches kernels {run.calls['launches']:,} times, accepted: at most {_MOST_LAUNCHES:,}",
            "Let one launch do the work of many: a grid has as many blocks as the data need.",
            _places(facts.launches_of(), assignment),
        )
    if (run.judged.stopped_by or "").startswith("signal"):
        return Complaint(f"the counting model was ended by {run.judged.stopped_by}", OURS)
    if run.judged.returncode and not run.judged.stopped_by:
        reason = (run.judged.stderr.strip() or f"exit code {run.judged.returncode}").splitlines()[-1]
        return Complaint(f"the counting model failed: {reason.removeprefix('error: ')}", OURS)
    if stopped_by := run.judged.stopped_by or run.done.stopped_by:
        limit = _of_limit(stopped_by, assignment)
        is_host_loop = stopped_by == "time" and not run.judged.stopped_by
        return replace(limit, places=_places(facts.host_loops, assignment)) if is_host_loop else limit
    if report.get("errors"):
        return _of_error(report["errors"][0], assignment, facts)
    if run.outcome is None or run.report is None or run.outcome == "ended":
        return Complaint(
            f"the program ended before {assignment.function} returned (exit code {run.done.returncode})",
            "The function has to return to its caller: it must not end the program.",
        )
    if run.calls.get("refused"):
        return Complaint(
            f"it uses {run.calls['refused'][0]}, which is not there when a submission is graded",
            "Allocate with cudaMalloc, and let kernels do the work on it.",
        )
    if not run.finished:
        return _of_runtime(run.failure if run.outcome == "failed" else run.outcome, run.done.returncode)
    return _of_movement(run, assignment, facts)


def _of_movement(run: Run, assignment: Assignment, facts: Facts) -> Complaint | None:
    """Return the first limit on moved bytes that a run exceeds, with the lines of the calls that may have moved them."""
    copies, allowed = run.calls["copies"], assignment.movement
    moved = (
        (
            copies["to_host"]["bytes"],
            allowed.bytes_to_host,
            _COPIES,
            "copies {} bytes of device memory to the host",
            "Let kernels compute everything: a kernel finds the results of earlier kernels in device memory.",
        ),
        (
            copies["within_device"]["bytes"],
            allowed.bytes_within_device,
            _COPIES,
            "copies {} bytes within device memory",
            "Let a kernel load and store these bytes.",
        ),
        (
            copies["to_device"]["bytes"],
            allowed.bytes_to_device,
            _COPIES,
            "copies {} bytes from the host to device memory",
            "The data lie in device memory already: let kernels compute what they need of them.",
        ),
        (
            run.calls["fills"]["bytes"],
            allowed.bytes_set,
            ("cudaMemset",),
            "sets {} bytes of device memory",
            "Let a kernel store these bytes.",
        ),
        (
            run.calls["most_parameter_bytes"],
            allowed.parameter_bytes,
            (),
            "launches a kernel with {} bytes of arguments",
            "Pass pointers and sizes: the data lie in device memory.",
        ),
    )
    for bytes_moved, most, names, seen, help_ in moved:
        if bytes_moved > most:
            calls = facts.calls_of(*names) if names else []
            lines = [line for _, line in calls] if names else facts.launches_of()
            by = f" ({' or '.join(dict.fromkeys(name for name, _ in calls))})" if calls else ""
            said = f"it {seen.format(f'{bytes_moved:,}')}{by}, accepted: {f'at most {most:,}' if most else 'none'}"
            return Complaint(said, help_, _places(dict.fromkeys(lines), assignment, most=len(lines)))
    return None


def _of_hazard(hazard: Mapping) -> Complaint:
    kind = hazard["kind"].replace("_", " ")
    where = f"{hazard['kernel']}, block ({', '.join(map(str, hazard['block']))})" if hazard["kernel"] else "host code"
    first, last = hazard["lines"][:1], hazard["lines"][-1:]
    overlaps = hazard.get("code") == "race_between_blocks" and first == last and hazard["fields"].get("first") == "store"
    help_ = _OVERLAP if overlaps and hazard["fields"].get("second") == "store" else hazard["help"]
    return Complaint(f"{kind} in {where}: {hazard['message']}", help_, hazard["lines"])


def _of_limit(stopped_by: str, assignment: Assignment) -> Complaint:
    limits = assignment.limits
    words = {
        "time": (f"it ran for more than {limits.seconds:g} seconds", "Look for a loop whose condition never becomes false."),
        "memory": (
            f"it wanted more than {limits.memory_megabytes:,} megabytes of memory",
            "Allocate what the sizes ask for; if you do, look for a loop that never ends, whose accesses fill the memory.",
        ),
        "output": (f"it printed more than {limits.output_kilobytes:,} kilobytes", "Take out the printing: nobody reads it here."),
        "files": ("it wrote files", "Take out what writes files: the driver keeps the output."),
        "system call": (
            "it was ended by a system call that it may not make",
            "Take out what starts threads or processes or reaches the system: the function has its arguments and the device.",
        ),
        "signal 6": ("host code ended itself (abort)", "Look for a failed assert, an exception, or memory that is freed twice."),
        "signal 8": ("host code divides by zero", "Look at the divisions that make up the grid."),
        "signal 11": (
            "host code reads or writes memory that is not its own",
            "Check each index and each pointer that host code uses: what device memory holds is for kernels alone.",
        ),
    }
    seen, help_ = words.get(stopped_by, (f"it was ended by {stopped_by}", "The program must not end itself, nor be ended."))
    return Complaint(seen, help_)


def _of_error(error: Mapping, assignment: Assignment, facts: Facts) -> Complaint:
    """Return the model's error that stopped the program."""
    if error["code"] == "function_without_body":
        return _of_missing(error["fields"], assignment, facts)
    return _of_message(error, assignment, facts)


def _of_message(message: Mapping, assignment: Assignment, facts: Facts) -> Complaint:
    """Return a message of the model. Its place is the line in its fields, or else the lines of the source that fit."""
    help_ = message["help"] or _WITHOUT_HELP
    if not (places := _place_in(message["fields"])):
        return Complaint(message["message"], help_, _places(_lines_of(message, facts), assignment))
    [place] = places
    return Complaint(message["message"].removesuffix(f", {place['file']}:{place['line']}"), help_, places)


def _place_in(fields: Mapping) -> list[Mapping]:
    """Return the place in the fields of a message, if they have one. The submission's process may have sent any fields."""
    place = {name: fields.get(name) for name in ("file", "line")}
    return [place] if isinstance(place["file"], str) and isinstance(place["line"], int) else []


def _of_missing(fields: Mapping, assignment: Assignment, facts: Facts) -> Complaint:
    """Return the complaint about a function that a kernel calls and that has no body, with the line that declares it."""
    callee = str(fields.get("callee", ""))[:_LONGEST_NAME]
    words = re.split(r"\W+", callee)  # the linker writes scopes, types and parameters around the name
    name, line, head = next((each for each in facts.declarations if each[0] in words), (callee, 0, callee))
    return Complaint(
        f"`{head}` is called by kernel {fields.get('kernel')} and nowhere defined",
        "Define it in this file, with these parameters.",
        [*_places([line] if line else [], assignment), *_place_in(fields)],
    )


def _lines_of(message: Mapping, facts: Facts) -> Sequence[int]:
    """Return the lines that a message without a line is about."""
    if message["code"] == "host_fault":
        return facts.host_accesses
    if "error" not in message["fields"]:  # only a refused launch has this field
        return []
    arrays = facts.shared_arrays if message["code"] == "too_much_static_shared_memory" else []
    return [*arrays, *facts.launches_of(str(message["fields"].get("kernel", "")))]


def _places(lines: Iterable[int], assignment: Assignment, most: int = _MOST_LINES) -> list[Mapping]:
    return [{"file": assignment.source.name, "line": line} for line in list(lines)[:most]]


def _of_runtime(outcome: str, code: int) -> Complaint:
    reason = outcome.rpartition("failed: ")[2] if outcome != "finished" else f"exit code {code}"
    if "call is not configured" in reason:
        return Complaint(
            "a kernel is called without <<<grid, block>>>",
            "A kernel is called as a function: say how many blocks and threads run it, kernel<<<grid, block>>>(arguments).",
        )
    return Complaint(
        f"the CUDA runtime reports an error: {reason}",
        "Check the grid, the block and the sizes of allocations, and what each call of the runtime returns.",
    )
