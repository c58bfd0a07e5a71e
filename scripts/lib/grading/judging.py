# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Grades a submission: the checks in order, each of which stops those after it that it makes meaningless."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from console import USAGE, Stop

from . import building, counting_checks, data_checks, safety, sources, text_admission, timing
from .assignment import Assignment
from .building import Built, Message, Toolchain
from .cases import DrawnCase, draw, draw_all, seed_of
from .comparing import difference
from .finding import Finding, passed
from .result import FAST, GATES, Check, Place, Result
from .running import Run, run
from .sources import Source


@dataclass
class _Submission:
    """A submission on its way through the checks, and what has been made of it so far."""

    assignment: Assignment
    source: Source
    tools: Toolchain
    confined: bool
    folder: Path
    cases: Sequence[DrawnCase]
    progress: Callable[[str], None]
    #: None before it is built.
    built: Built | None = None
    #: Runs that were made before, by case and sizes: on those does a verdict depend.
    made: dict[tuple, Run] = field(default_factory=dict)
    refusals: Sequence[text_admission.Refusal] = ()
    runs: list[Run] = field(default_factory=list)

    def place(self, line: int) -> Place:
        """A line of the submission, with its text."""
        return Place(self.source.name, line, self.source.line(line))

    def places(self, found: Iterable[Mapping]) -> tuple[Place, ...]:
        """Those of the places in a report that lie in the submission, each once."""
        lines = dict.fromkeys(each["line"] for each in found if Path(each["file"]).name == self.assignment.source.name and each["line"] > 0)
        return tuple(map(self.place, lines))

    def run(self, case: DrawnCase) -> Run:
        """One process on one case, unless the same sizes have been run before."""
        key = case.name, *case.parameters.items()
        if key not in self.made:
            self.progress(f"case {case.name}")
            self.made[key] = run(self.tools, self.built.program, self.assignment, case, self.folder / "run", confined=self.confined)
        return self.made[key]

    def traced(self, case: DrawnCase) -> Sequence[Mapping]:
        """The launches of a case, with their accesses one by one."""
        self.progress(f"case {case.name}, for the picture")
        return run(self.tools, self.built.program, self.assignment, case, self.folder / "run", confined=self.confined, traced=True).trace


class Grading:
    """One submission on its way to a verdict. It is compiled once, and can be graded under several seeds.

    Used as a context, for whose time it keeps a folder. ``progress`` is told what is being done. ``runs`` are those of the
    last verdict.
    """

    def __init__(self, assignment: Assignment, handed_in: Path | Source, *, tools: Toolchain, confined: bool = True, gpu: timing.Gpu | None = None,
                 progress: Callable[[str], None] = lambda what: None) -> None:
        """Raises Stop if it is to be timed, and the assignment has nothing to time."""
        if gpu and not assignment.gpu_case:
            raise Stop(f"--gpu: assignment {assignment.name} has nothing to time", USAGE)
        self.assignment, self.tools, self.confined, self.gpu, self.progress = assignment, tools, confined, gpu, progress
        self.source = handed_in if isinstance(handed_in, Source) else sources.read(handed_in)
        self.runs: list[Run] = []
        self._scratch = tempfile.TemporaryDirectory(prefix="conflict_free_")
        self._built: Built | None = None
        self._made: dict[tuple, Run] = {}

    def __enter__(self) -> Grading:
        return self

    def __exit__(self, *error: object) -> None:
        self._scratch.cleanup()

    def grade(self, seed: str, student: str | None = None) -> Result:
        """Return the verdict under a seed. Raises AssignmentError or Stop if our own part does not work."""
        submission = _Submission(self.assignment, self.source, self.tools, self.confined, Path(self._scratch.name).resolve(),
                                 draw_all(self.assignment, seed), self.progress, built=self._built, made=self._made)
        findings = _gates(submission)
        self._built, self.runs = submission.built, submission.runs
        if all(findings.get(name, passed()).passed for name in GATES):
            findings |= counting_checks.findings(self.assignment, submission.runs, submission)
            if self.gpu:
                findings[FAST] = timing.fast(self.assignment, self.source.text, draw(self.assignment, self.assignment.gpu_case, seed), self.gpu,
                                             submission.folder, confined=self.confined, progress=self.progress)
        return Result(self.assignment.name, self.assignment.title, student, self.source.name, self.source.sha256, seed, self.assignment.machine,
                      tuple(_checks(self.assignment, findings, timed=self.gpu is not None)))


def grade(assignment: Assignment, handed_in: Path | Source, *, tools: Toolchain, student: str | None = None, secret: str = "",
          confined: bool = True, gpu: timing.Gpu | None = None, progress: Callable[[str], None] = lambda what: None) -> Result:
    """Grade a file, or what ``sources.read`` has read of one.

    The same file, student and secret give the same result, bit for bit. With a ``gpu`` it is timed too; an assignment that
    has nothing to time is refused. Raises AssignmentError or Stop if our own part does not work.
    """
    with Grading(assignment, handed_in, tools=tools, confined=confined, gpu=gpu, progress=progress) as grading:
        return grading.grade(seed_of(assignment.name, student, secret), student)


def _checks(assignment: Assignment, findings: Mapping[str, Finding], *, timed: bool) -> Iterable[Check]:
    maximum = {name: assignment.points[name] for name in GATES}
    maximum |= {threshold.check: threshold.points for threshold in assignment.thresholds}
    if timed:
        maximum[FAST] = assignment.points[FAST]
    for name, points in maximum.items():
        finding = findings.get(name)
        if finding is None:
            yield Check(name, None, 0, points)
        else:
            yield Check(name, finding.passed, points if finding.passed else 0, points, **finding.words())


def _gates(submission: _Submission) -> dict[str, Finding]:
    """The checks that stop all those after them; the last one found is the one that failed, if any did."""
    findings = {}
    for name, look in zip(GATES, (_exists, _compiles, _safe, _correct, _by_kernels)):
        findings[name] = look(submission)
        if not findings[name].passed:
            break
    return findings


def _exists(submission: _Submission) -> Finding:
    source = submission.source
    return Finding(False, source.wrong, sources.WANTED, source.help) if source.wrong else passed(f"{len(source.text.splitlines()):,} lines")


def _compiles(submission: _Submission) -> Finding:
    assignment = submission.assignment
    submission.refusals = text_admission.examine_text(submission.source.text)
    if submission.built is None:
        submission.progress("compiling")
        submission.built = building.build(submission.tools, assignment, submission.source.text, submission.folder, confined=submission.confined)
    wanted = f"a file that compiles and defines {assignment.declaration}"
    if submission.built.messages and submission.refusals:
        return _refused(submission, submission.refusals[0], wanted)
    if submission.built.messages:
        return _not_compiled(submission, submission.built.messages, wanted)
    return passed()


def _not_compiled(submission: _Submission, messages: Sequence[Message], wanted: str) -> Finding:
    lines = tuple(submission.place(message.line) for message in messages if message.line)[:3]
    more = f" (and {len(messages) - 1} more)" if len(messages) > 1 else ""
    return Finding(False, messages[0].text + more, wanted,
                   messages[0].help or "Mend the first error first; others often follow from it.",
                   lines)


def _refused(submission: _Submission, refusal: text_admission.Refusal, wanted: str) -> Finding:
    return Finding(False, f"{refusal.kind}: {refusal.message}", wanted, refusal.help, (submission.place(refusal.line),))


def _safe(submission: _Submission) -> Finding:
    wanted = "no hazard, and an end within the limits, in every case"
    if submission.refusals:
        return _refused(submission, submission.refusals[0], "nothing but kernels and the host code that launches them")
    for case in submission.cases:
        found = submission.run(case)
        complaint = safety.complaint(found, submission.assignment, submission.source.text)
        if complaint:
            return Finding(False, f"{complaint.seen} (case {case.name}: {case.sizes})", wanted, complaint.help,
                           submission.places(complaint.places), case.name)
        submission.runs.append(found)
    return passed(f"{len(submission.runs)} cases without a hazard")


def _correct(submission: _Submission) -> Finding:
    tolerance = submission.assignment.reference().TOLERANCE
    for found in submission.runs:
        wrong = difference(found.case, found.outputs, tolerance)
        if wrong:
            return Finding(False, f"{wrong.seen} (case {found.case.name}: {found.case.sizes})", wrong.wanted, wrong.help, case=found.case.name)
    return passed(f"{len(submission.runs)} cases with the right output")


def _by_kernels(submission: _Submission) -> Finding:
    for found in submission.runs:
        wrong = data_checks.complaint(found, submission.assignment)
        if wrong:
            return Finding(False, f"{wrong.seen} (case {found.case.name}: {found.case.sizes})", wrong.wanted, wrong.help, case=found.case.name)
    return passed("kernels load all inputs and write all outputs")
