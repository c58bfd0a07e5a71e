"""Grades a submission by one check after another. A check that fails stops the later ones that mean nothing without it."""

import contextlib
import functools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from conflict_free.console import USAGE, Stop

from . import building, counting_checks, data_checks, facts, printing, running, safety, sources, timing
from .assignment import Assignment
from .building import Built, Toolchain
from .cases import DrawnCase, draw, draw_all, in_order, seed_of
from .comparing import difference
from .compiler_messages import Message
from .facts import Facts
from .finding import Finding, guarded, passed
from .result import FAST, GATES, Check, Place, Result
from .running import Run
from .scratch import scratch_folder
from .sources import Source

#: How many cases of many draws one process serves.
_CASES_OF_A_PROCESS = 60
#: How many lines of variables that outlive a call are named.
_MOST_LINES = 3


@dataclass
class _Made:
    """Finished runs by `DrawnCase.key`: of several cases in one process, and of one case alone in a process.

    If `is_all` is set, no more cases are run together.
    """

    together: dict[tuple, Run] = field(default_factory=dict)
    alone: dict[tuple, Run] = field(default_factory=dict)
    is_all: bool = False


@dataclass
class _Submission:
    """A submission on its way through the checks, with its program and its runs so far."""

    assignment: Assignment
    source: Source
    tools: Toolchain
    confined: bool
    folder: Path
    cases: Sequence[DrawnCase]
    progress: Callable[[str], None]
    #: None before the submission is compiled.
    built: Built | None = None
    facts: Facts | None = None
    made: _Made = field(default_factory=_Made)
    #: The end of the real time for all runs, in the time of ``time.monotonic()``; None before the first.
    deadline: float | None = None
    #: The runs that the checks judge, in the order of task.toml.
    runs: list[Run] = field(default_factory=list)

    def place(self, line: int) -> Place:
        """Return a line of the submission with its text."""
        return Place(self.source.name, line, self.source.line(line))

    def places(self, found: Iterable[Mapping]) -> tuple[Place, ...]:
        """Return the places of a report that lie in the submission, each once."""
        lines = dict.fromkeys(each["line"] for each in found if Path(each["file"]).name == self.assignment.source.name and each["line"] > 0)
        return tuple(map(self.place, lines))

    def run(self, what: str, cases: Sequence[DrawnCase], *, traced: bool = False) -> list[Run]:
        """Run one process on some cases. ``what`` names the work in the line of progress."""
        self.progress(what)
        if self.deadline is None:
            self.deadline = time.monotonic() + running.allowed_seconds(self.assignment, self.cases or cases)
        runs = running.run_all(
            self.tools,
            self.built,
            self.assignment,
            cases,
            self.folder / "run",
            confined=self.confined,
            deadline=self.deadline,
            traced=traced,
        )
        lines = {line for _, line in self.facts.calls_of("printf")}
        return [printing.without_printing(run, self.assignment.source.name, lines) for run in runs]

    def run_together(self) -> None:
        """Run one process on all cases that have not been run together before."""
        cases = [case for case in self.cases if case.key not in self.made.together]
        if cases and not self.made.is_all:
            what = f"{len(cases)} calls with {len({case.name for case in cases})} cases"
            runs = self.run(what, cases)
            self.made.together |= {found.case.key: found for found in runs}
            self.made.alone[runs[0].case.key] = runs[0]  # no call was before it

    def run_alone(self, case: DrawnCase) -> Run:
        """Run one process on one case, and return the same run when called again."""
        if case.key not in self.made.alone:
            [self.made.alone[case.key]] = self.run(f"case {case.name}", [case])
        return self.made.alone[case.key]

    def complaint(self, found: Run) -> safety.Complaint | None:
        """Return what is wrong with a run apart from its output."""
        return safety.complaint(found, self.assignment, self.facts)

    def difference(self, found: Run) -> Finding | None:
        """Return what is wrong with a run's output."""
        return difference(found.case, found.outputs, self.assignment.reference.TOLERANCE)

    def again(self, finding: Finding) -> Finding:
        """Return the finding about a case that fails after other calls and passes in a process of its own."""
        function = self.assignment.function
        return replace(
            finding,
            seen=f"{finding.seen.removesuffix(')')}; {function} was called before with other data, and is right when called once)",
            help=f"{function} has to do the same in every call: look at what it keeps between calls, in static or __device__ variables.",
            lines=tuple(map(self.place, self.facts.kept_variables[:_MOST_LINES])) or finding.lines,
        )

    def traced(self, case: DrawnCase) -> Sequence[Mapping]:
        """Return the launches of a case with each of their accesses."""
        return self.run(f"case {case.name}, for the picture", [case], traced=True)[0].trace


class Grading:
    """One submission, which is compiled once and can be graded under several seeds.

    It is a context manager: its temporary folder is removed at the end. ``progress`` is called with a few words at each step. ``built``,
    ``facts`` and ``runs`` are those of the last verdict.
    """

    def __init__(
        self,
        assignment: Assignment,
        handed_in: Path | Source,
        *,
        tools: Toolchain,
        confined: bool = True,
        gpu: timing.Gpu | None = None,
        progress: Callable[[str], None] = lambda what: None,
        built: Built | None = None,
        facts: Facts | None = None,
    ) -> None:
        """``built`` is the submission's program if it has been compiled, and ``facts`` are those about its text if it has been read.

        Raises Stop if a ``gpu`` is given and no time is asked for.
        """
        if gpu and not assignment.gpu_case:
            raise Stop(f"--gpu: assignment {assignment.name} has nothing to time", USAGE)
        self.assignment, self.tools, self.confined, self.gpu, self.progress = assignment, tools, confined, gpu, progress
        self.source = handed_in if isinstance(handed_in, Source) else sources.read(handed_in)
        self.runs: list[Run] = []
        self._kept = contextlib.ExitStack()
        self._folder = self._kept.enter_context(scratch_folder("conflict_free_"))
        self.built, self.facts = built, facts
        self._made = _Made()
        self._drawn: dict[str, Sequence[DrawnCase]] = {}

    def __enter__(self) -> "Grading":
        return self

    def __exit__(self, *error: object) -> None:
        self._kept.close()

    def run_draws(self, seeds: Sequence[str]) -> None:
        """Run the cases of many seeds, many of them in one process. ``grade`` under these seeds then runs nothing more.

        A case's result in a shared process counts as its result alone. The first case of each process is repeated later in it, and
        the repetition counts. After a case that is not safe, the later cases of its seed are skipped, because no verdict needs them.
        """
        submission = self._submission(())
        if not _compiles(submission).passed or submission.facts.refusals:
            return
        self.built, self.facts, self._made.is_all = submission.built, submission.facts, True
        self._drawn = {seed: draw_all(self.assignment, seed) for seed in seeds}
        left = [list(in_order(self.assignment, cases)) for cases in self._drawn.values()]
        while left := [cases for cases in left if cases]:
            first = {cases[0].key: cases[0] for cases in left if cases[0].key not in self._made.together}
            while batch := list(first.values())[:_CASES_OF_A_PROCESS]:
                submission.deadline = None
                for found in submission.run(f"{len(batch)} cases", [batch[-1], *batch]):
                    self._made.together[found.case.key] = self._made.alone[found.case.key] = found
                    first.pop(found.case.key, None)
            left = [cases[1:] for cases in left if not submission.complaint(self._made.together[cases[0].key])]

    def _submission(self, cases: Sequence[DrawnCase]) -> _Submission:
        return _Submission(
            self.assignment,
            self.source,
            self.tools,
            self.confined,
            self._folder,
            cases,
            self.progress,
            built=self.built,
            facts=self.facts,
            made=self._made,
        )

    def grade(self, seed: str, student: str | None = None) -> Result:
        """Return the verdict under a seed. Raises Stop if a part of the grader does not work."""
        submission = self._submission(self._drawn.get(seed) or draw_all(self.assignment, seed))
        try:
            findings = _gates(submission)
            self.built, self.facts, self.runs = submission.built, submission.facts, submission.runs
            if all(findings.get(name, passed()).passed for name in GATES):
                findings |= counting_checks.findings(self.assignment, submission.runs, submission)
                if self.gpu:
                    findings[FAST] = guarded(lambda: self._fast(submission, seed))
        except OSError as error:
            raise Stop(f"{self.source.name} cannot be graded on this machine: {error}") from error
        return Result(
            self.assignment.name,
            self.assignment.title,
            student,
            self.source.name,
            self.source.sha256,
            seed,
            self.assignment.machine,
            tuple(_checks(self.assignment, findings, timed=self.gpu is not None)),
        )

    def _fast(self, submission: _Submission, seed: str) -> Finding:
        case = draw(self.assignment, self.assignment.gpu_case, seed)
        return timing.fast(
            self.assignment, self.source.text, case, self.gpu, submission.folder, confined=self.confined, progress=self.progress
        )


def grade(
    assignment: Assignment,
    handed_in: Path | Source,
    *,
    tools: Toolchain,
    student: str | None = None,
    secret: str = "",
    confined: bool = True,
    gpu: timing.Gpu | None = None,
    progress: Callable[[str], None] = lambda what: None,
    built: Built | None = None,
    facts: Facts | None = None,
) -> Result:
    """Grade a file, or the ``Source`` that ``sources.read`` returned for it; see ``Grading``.

    The same file, student and secret give the same result, bit for bit. With a ``gpu`` the submission is timed too. Raises Stop if
    the assignment asks for no time, or if a part of the grader does not work.
    """
    with Grading(assignment, handed_in, tools=tools, confined=confined, gpu=gpu, progress=progress, built=built, facts=facts) as grading:
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
    """Make the checks that stop all later ones. If one of them fails, it is the last of the returned findings."""
    findings = {}
    for name, look in zip(GATES, (_exists, _compiles, _safe, _correct, _by_kernels)):
        findings[name] = guarded(functools.partial(look, submission))
        if not findings[name].passed:
            break
    return findings


def _exists(submission: _Submission) -> Finding:
    source = submission.source
    return Finding(False, source.wrong, sources.WANTED, source.help) if source.wrong else passed(f"{len(source.text.splitlines()):,} lines")


def _compiles(submission: _Submission) -> Finding:
    assignment, text = submission.assignment, submission.source.text
    if submission.built is None:
        submission.progress("compiling")
        submission.built = building.build(submission.tools, assignment, text, submission.folder, confined=submission.confined)
    if submission.facts is None:
        submission.facts = facts.read(text, submission.built.failed, assignment, submission.folder / "text", confined=submission.confined)
    wanted = f"a file that compiles and defines {assignment.declaration}"
    if submission.facts.messages and submission.facts.refusals:
        return _refused(submission, wanted)
    if submission.facts.messages:
        return _not_compiled(submission, submission.facts.messages, wanted)
    return passed()


def _not_compiled(submission: _Submission, messages: Sequence[Message], wanted: str) -> Finding:
    lines = tuple(submission.place(message.line) for message in messages if message.line)[:3]
    more = f" (and {len(messages) - 1} more)" if len(messages) > 1 else ""
    return Finding(
        False, messages[0].text + more, wanted, messages[0].help or "Fix the first error first; others often follow from it.", lines
    )


def _refused(submission: _Submission, wanted: str) -> Finding:
    refusal = submission.facts.refusals[0]
    return Finding(False, refusal.text, wanted, refusal.help, (submission.place(refusal.line),))


def _safe(submission: _Submission) -> Finding:
    wanted = "no hazard, and an end within the limits, in every case"
    if submission.facts.refusals:
        return _refused(submission, "nothing but kernels and the host code that launches them")
    submission.run_together()
    first = submission.made.alone.get(submission.cases[0].key)
    # A call that takes all its time needs no other: each would take as long.
    cases = [first.case] if first and first.is_out_of_time else in_order(submission.assignment, submission.cases)
    for case in cases:
        found = submission.made.together.get(case.key)
        complaint = submission.complaint(found) if found else None
        # A case that failed or was never begun is run alone, without the calls before it.
        if not found or complaint or submission.difference(found):
            alone = submission.run_alone(case)
            if by_itself := submission.complaint(alone):
                return _unsafe(submission, case, by_itself, wanted)
            if complaint:
                return submission.again(_unsafe(submission, case, complaint, wanted))
            found = found or alone
        submission.runs.append(found)
    return passed(f"{len(submission.assignment.cases)} cases without a hazard")


def _unsafe(submission: _Submission, case: DrawnCase, complaint: safety.Complaint, wanted: str) -> Finding:
    return Finding(False, complaint.seen, wanted, complaint.help, submission.places(complaint.places)).in_case(case)


def _correct(submission: _Submission) -> Finding:
    for found in submission.runs:
        if not (wrong := submission.difference(found)):
            continue
        by_itself = submission.difference(submission.run_alone(found.case))
        return by_itself.in_case(found.case) if by_itself else submission.again(wrong.in_case(found.case))
    return passed(f"{len(submission.assignment.cases)} cases with the right output")


def _by_kernels(submission: _Submission) -> Finding:
    for found in submission.runs:
        if wrong := data_checks.complaint(found, submission.assignment, submission):
            return wrong.in_case(found.case)
    return passed(f"kernels load all inputs and write all outputs{data_checks.closest(submission.runs, submission.assignment)}")
