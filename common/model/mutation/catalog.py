"""The subjects of the mutation test and the bugs that are planted in them.

A subject is a correct CUDA program, `subjects/NAME.cu`. Its mutants are in `mutants/NAME.toml`:

    sizes = ["33x31", "100x7"]         # the problems that every run solves
    ["remove a barrier"]               # one of KINDS, with its mutants by names that are unique in the file, and stable
    remove_barrier = ["__syncthreads();", "", {expect = ["race"], also = ["uninitialized"]}]

The first text is exact text in the subject, and the second replaces it. If the first occurs more than once, `occurrence` says which
one is replaced, counted from 1. `expect` names the DETECTORS that must all catch the mutant. `also` names hazards that may be reported
besides. `harmless` replaces `expect` and says in one sentence why nothing is there to catch.
"""

import dataclasses
import pathlib
import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KINDS = (
    "remove a barrier",
    "barrier under a condition",
    "change warp synchronization",
    "drop or change padding",
    "shift an index",
    "swap indices",
    "wrong stride",
    "widen or drop a guard",
    "change a loop bound",
    "shrink a buffer",
    "wrong launch",
    "missing initialization",
    "plain for atomic",
    "misaligned or freed memory",
)

HAZARDS = (
    "race",
    "uninitialized",
    "out_of_bounds",
    "misaligned",
    "use_after_free",
    "divergent_barrier",
    "inactive_lane",
    "unordered_product",
    "deadlock",
)
COUNTS = ("conflicts", "sectors")
DETECTORS = (*HAZARDS, *COUNTS, "wrong result", "kernel error")

_KEYS = {"occurrence", "expect", "also", "harmless"}


class CatalogError(Exception):
    """The data files are wrong. The message names the file and the mutant."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change to one subject. `name` is SUBJECT.ID; `expect` is empty if `harmless` says why."""

    subject: str
    id: str
    kind: str
    find: str
    replace: str
    occurrence: int | None
    expect: tuple[str, ...]
    also: tuple[str, ...]
    harmless: str

    @property
    def name(self):
        return f"{self.subject}.{self.id}"

    def apply(self, source):
        """Return the subject's source with the bug. Raises CatalogError unless the text to replace is there exactly once."""
        count = source.count(self.find)
        if count == 0:
            raise CatalogError(f"{self.name}: the subject has no text {self.find!r}")
        if self.occurrence is None and count > 1:
            raise CatalogError(f"{self.name}: {self.find!r} occurs {count} times; say which one with 'occurrence'")
        if (self.occurrence or 1) > count:
            raise CatalogError(f"{self.name}: occurrence {self.occurrence} given, {self.find!r} occurs {count} times")
        at = -1
        for _ in range(self.occurrence or 1):
            at = source.index(self.find, at + 1)
        return source[:at] + self.replace + source[at + len(self.find) :]


@dataclasses.dataclass(frozen=True)
class Subject:
    """A correct program, the sizes it is run with, and its mutants."""

    name: str
    source: str
    sizes: tuple[str, ...]
    mutants: tuple[Mutant, ...]


def load(folder):
    """Return all subjects below `folder`, by name. Raises CatalogError if a data file is missing or wrong."""
    folder = pathlib.Path(folder)
    sources = {path.stem: path for path in sorted((folder / "subjects").glob("*.cu"))}
    tables = {path.stem: path for path in sorted((folder / "mutants").glob("*.toml"))}
    if sources.keys() != tables.keys():
        raise CatalogError(f"not both subjects/NAME.cu and mutants/NAME.toml: {', '.join(sorted(sources.keys() ^ tables.keys()))}")
    return [_load_subject(name, path, tables[name]) for name, path in sources.items()]


def _load_subject(name, source_path, table_path):
    source = source_path.read_text()
    try:
        table = tomllib.loads(table_path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(f"{table_path.name}: {error}") from error
    strange = table.keys() - {"sizes", *KINDS}
    if strange or "sizes" not in table:
        raise CatalogError(f"{table_path.name}: {', '.join(sorted(table))} given, 'sizes' and some of {', '.join(KINDS)} are accepted")
    mutants = tuple(_read_mutant(name, kind, *entry) for kind in KINDS for entry in table.get(kind, {}).items())
    ids = [mutant.id for mutant in mutants]
    twice = sorted({each for each in ids if ids.count(each) > 1})
    if twice:
        raise CatalogError(f"{table_path.name}: not unique: {', '.join(twice)}")
    for mutant in mutants:
        if mutant.apply(source) == source:
            raise CatalogError(f"{mutant.name}: changes nothing")
    return Subject(name, source, tuple(table["sizes"]), mutants)


def _read_mutant(subject, kind, id, entry):
    name = f"{subject}.{id}"
    if [type(part) for part in entry] != [str, str, dict]:
        raise CatalogError(f"{name}: {entry} given, a text, its replacement and a table of {sorted(_KEYS)} are accepted")
    find, replace, rest = entry
    if unknown := rest.keys() - _KEYS:
        raise CatalogError(f"{name}: unknown keys {sorted(unknown)}, accepted: {sorted(_KEYS)}")
    if not id.isidentifier():
        raise CatalogError(f"{name}: an id consists of letters, digits and _")
    if ("expect" in rest) == ("harmless" in rest):
        raise CatalogError(f"{name}: either 'expect' or 'harmless' is needed")
    expect, also, harmless = tuple(rest.get("expect", ())), tuple(rest.get("also", ())), rest.get("harmless", "")
    if not harmless and not expect:
        raise CatalogError(f"{name}: 'expect' and 'harmless' may not be empty")
    strange = [each for each in expect if each not in DETECTORS] + [each for each in also if each not in HAZARDS]
    if strange:
        raise CatalogError(f"{name}: {', '.join(strange)} given, 'expect' takes {', '.join(DETECTORS)}, 'also' hazards only")
    return Mutant(subject, id, kind, find, replace, rest.get("occurrence"), expect, also, harmless)
