"""The parts of an assignment: limits, cases, thresholds, and answers with their outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .result import COUNTS, GATES

#: In the place of the first failed check: ``by_kernels`` or a threshold, whichever comes first. Which one it is depends on the task.
LIMITS = "limits"


@dataclass(frozen=True)
class Limits:
    """The resources that one case of a submission may use."""

    seconds: float = 10.0
    memory_megabytes: int = 1024
    output_kilobytes: int = 64


@dataclass(frozen=True)
class Movement:
    """How many bytes may move in one case without a kernel's accesses to memory.

    ``bytes_to_host``, ``bytes_to_device`` and ``bytes_within_device`` limit copies, ``bytes_set`` limits cudaMemset, and
    ``parameter_bytes`` limits the arguments of one launch.
    """

    bytes_to_host: int = 0
    bytes_to_device: int = 1024
    bytes_within_device: int = 0
    bytes_set: int = 1024
    parameter_bytes: int = 256


#: Without another limit, warps may execute so many instructions for each access to memory, and so many more. An H200 issues 24 in the time in
#: which its memory serves a full warp; right answers take up to 31 where the data fill its blocks.
INSTRUCTIONS, MORE_INSTRUCTIONS = 40, 50_000


@dataclass(frozen=True)
class KernelWork:
    """The work that kernels have to do themselves, as expressions of a case's parameters and, for limits, of the run's other counts.

    ``loads`` says by the input's name how many of its bytes kernels have to load; an input that it does not name is loaded whole.
    ``accesses`` is the largest number of warp-level accesses to memory: a program with more of them lets few lanes take part in each.
    An access to shared memory counts as the wavefronts that it takes without conflicts, so that wide accesses weigh as many narrow
    ones. ``shared_accesses`` limits those to shared memory alone, where answers without the lesson need many others, and
    ``read_accesses`` the loads and copies from global memory, where answers need different numbers of all others. ``atomics`` is
    the largest number of atomic operations among them. ``busiest_accesses`` is the largest number of accesses of one multiprocessor,
    if the blocks of all launches are spread evenly: a program with more of them leaves multiprocessors without work. ``narrow`` is
    the largest number of accesses to shared memory that one block makes with at most half of a warp: a program with more of them lets
    lanes take turns. ``narrow_stores`` is the same of its stores alone, where right answers read with few lanes. ``narrow_global`` is the
    same of loads and stores in global memory, for all blocks together. ``loaded`` is the largest number of bytes of the data that one
    block loads, and ``stored`` of those that it writes to global memory, where the largest blocks of several launches add up: a program
    with more of them leaves its other blocks without work. ``launches`` is the largest number of launches in a case, which come one after
    another. ``slots`` is the largest number of accesses that the warps of all blocks could make while each block's busiest warp, between
    one barrier and the next, makes its own: a program with more of them lets warps take turns or leaves them idle. ``global_slots`` is the
    same of accesses to global memory in which more than half of a warp takes part, so that no other accesses make room for such turns.
    ``instructions`` is the largest number of instructions of warps, in which the call of a printf by a lane is a hundred. ``numbers`` are
    those that the limits and the brief have in common.
    """

    numbers: Mapping[str, float] = field(default_factory=dict)
    loads: Mapping[str, str] = field(default_factory=dict)
    accesses: str | None = None
    shared_accesses: str | None = None
    read_accesses: str | None = None
    busiest_accesses: str | None = None
    narrow: str | None = None
    narrow_stores: str | None = None
    narrow_global: str | None = None
    loaded: str | None = None
    stored: str | None = None
    slots: str | None = None
    global_slots: str | None = None
    atomics: str = "64"
    launches: str = "4"
    instructions: str = f"{INSTRUCTIONS} * (traffic.requests + shared.ideal_wavefronts) + {MORE_INSTRUCTIONS}"


@dataclass(frozen=True)
class Range:
    """The whole numbers from which one is drawn: ``first``, ``first + step`` and so on, none above ``last``."""

    first: int
    last: int
    step: int = 1


@dataclass(frozen=True)
class Case:
    """The sizes of one run. Students see the sizes of a visible case, and only the number of the hidden ones."""

    name: str
    parameters: Mapping[str, int | Range]
    visible: bool = False


@dataclass(frozen=True)
class Threshold:
    """The largest (``is_upper``) or smallest value of ``count`` that passes, in every case. Both sides are expressions.

    ``after`` is the check of an earlier threshold, or None. Where that check fails, this one is not made. ``numbers`` are those that
    the limit and the brief have in common.
    """

    name: str
    count: str
    limit: str
    is_upper: bool
    points: int
    help: str
    after: str | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)

    @property
    def check(self) -> str:
        """Name of its check."""
        return COUNTS + self.name


@dataclass(frozen=True)
class Outcome:
    """The expected score of a submission: its points, its first failed check or "", and words that this check's message must contain."""

    points: int
    fails: str
    says: str = ""

    def has(self, first_failed: str) -> bool:
        """Return whether ``first_failed`` is the first failed check that is expected."""
        if self.fails == LIMITS:
            return first_failed == GATES[-1] or first_failed.startswith(COUNTS)
        return first_failed == self.fails


@dataclass(frozen=True)
class Answer:
    """A submission whose outcome is known: a file of the assignment, a change in answers.toml, or a text."""

    name: str
    #: None for a file and for a change.
    text: str | None
    expected: Outcome
