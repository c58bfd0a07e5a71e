"""The comparison of a program's memory instructions in PTX with those in the machine code that ptxas makes of it.

The counting model executes PTX. Where ptxas joins neighboring accesses into wider ones, the model counts the wide access. Where
the machine code differs in another way, the kernel is marked as not exact. Standard library only.
"""

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conflict_free.whole_files import write_whole

from . import machine_code, packaged, ptx_accesses, sass_accesses
from .bound import COUNTED_AS_JOINED
from .machine_code import NoMachineCode, disassemble, find_ptxas, output_of
from .ptx_accesses import Access, Function
from .sass_accesses import MachineAccess, Section

CACHE = packaged.kept("exactness")
KEPT_TEXTS = 256
# Part of the names in the cache, so that results of an older comparison are not found.
_VERSION = hashlib.sha256(
    b"".join(Path(module.__file__).read_bytes() for module in (machine_code, ptx_accesses, sass_accesses, sys.modules[__name__]))
).hexdigest()


# Functions of the driver that kernels call, by their names in PTX. Their accesses are known only on a GPU.
_OF_THE_DRIVER = {
    "vprintf": "printf",
    "malloc": "malloc",
    "free": "free",
    "__cudaCDP2LaunchDeviceV2": "launch of kernels by kernels",
    "__cudaCDP2Malloc": "cudaMalloc in kernels",
    "__cudaCDP2Free": "cudaFree in kernels",
    "__cudaCDP2MemcpyAsync": "copy by kernels",
    "__cudaCDP2MemsetAsync": "cudaMemset by kernels",
}


def _entry(access: Access, sass: str, why: str) -> dict:
    return {"file": access.file, "line": access.source_line, "ptx": access.text, "sass": sass, "why": why}


@dataclass
class Comparison:
    """The result of comparing one function."""

    exact: bool = True
    # By line of the PTX: bytes that a lane is counted with; where they begin, from the address of that access on; and whether
    # one lane does it for all. 0 bytes: another access is counted in its place.
    counted: dict[int, tuple[int, int, bool]] = field(default_factory=dict)
    fused: list[dict] = field(default_factory=list)
    # Lines of the PTX with accesses that the machine code may not make.
    uncertain: set[int] = field(default_factory=set)
    # By line of the PTX: the branches at which diverging lanes of a warp make a launch inexact, and the reason.
    branches: dict[int, dict] = field(default_factory=dict)
    # Its section's memory instructions and barriers, in their order.
    machine_code: list[str] = field(default_factory=list)

    def note(self, access: Access, sass: str, why: str, exact: bool) -> None:
        entry = _entry(access, sass, why)
        self.exact &= exact
        if not exact:
            self.uncertain.add(access.line)
        if entry not in self.fused:
            self.fused.append(entry)


# --- the comparison ----------------------------------------------------------------------------


def _fits(access: Access, machine: MachineAccess) -> bool:
    if access.operation == "atomic" and machine.operation in ("atomic", "load", "store"):
        return True
    spaces = {access.space, machine.space}
    return access.operation == machine.operation and (len(spaces) == 1 or "generic" in spaces)


def _attribute(accesses: Sequence[Access], found: Sequence[MachineAccess]) -> tuple[dict[int, list[MachineAccess]], list[MachineAccess]]:
    """Return the machine accesses by line of the PTX, and those without a line.

    ptxas may note the line of an earlier instruction: the access then belongs to the nearest fitting access before that line.
    """
    by_line: dict[int, list[MachineAccess]] = defaultdict(list)
    rest = []
    known = {access.line: access for access in accesses}
    for machine in found:
        access = known.get(machine.line)
        if access is None or not _fits(access, machine):
            before = [a for a in accesses if a.line < machine.line and _fits(a, machine)]
            access = before[-1] if before and machine.space != "local" else None
        if access is None:
            rest.append(machine)
        else:
            by_line[access.line].append(machine)
    return by_line, rest


def _group(access: Access, wide: int, accesses: Sequence[Access], taken: set[int], has_own: set[int]) -> list[Access] | None:
    """Return the accesses of a basic block that form one access of `wide` bytes with `access`, in order; None without such accesses."""
    like = [
        a
        for a in accesses
        if (a.block, a.base, a.guard, a.operation, a.space) == (access.block, access.base, access.guard, access.operation, access.space)
        and a.vectorizable
        and a.line not in taken
        and (a is access or a.line not in has_own)
    ]
    by_offset: dict[int, Access] = {}
    for each in like:
        by_offset.setdefault(each.offset, each)
    by_offset[access.offset] = access
    starts = [access.offset, *(o for o in sorted(by_offset, reverse=True) if access.offset - wide < o < access.offset)]
    for start in starts:
        members, at = [], start
        while at < start + wide and at in by_offset:
            members.append(by_offset[at])
            at += max(by_offset[at].bytes, 1)
        if at == start + wide and access in members:
            return sorted(members, key=lambda a: a.line)
    return None


def _join(result: Comparison, accesses: Sequence[Access], by_line: dict[int, list[MachineAccess]]) -> set[int]:
    """Note the accesses that ptxas has joined; return the lines of those that are counted with another access."""
    joined: set[int] = set()
    has_own = set(by_line)
    for access in accesses:
        wider = {
            machine.bytes
            for machine in by_line.get(access.line, ())
            if machine.bytes > access.bytes > 0 and machine.operation == access.operation
        }
        if not wider or not access.vectorizable or access.line in joined:
            continue
        wide = max(wider)
        members = _group(access, wide, accesses, joined, has_own)
        copies = by_line[access.line]
        sass = next(machine.text for machine in copies if machine.bytes == wide)
        if members is None or len({machine.bytes for machine in copies}) > 1:
            result.note(access, sass, "ptxas replaces it with accesses of other widths, which differ from place to place", False)
            continue
        leader = members[0]
        start = min(member.offset for member in members)
        result.counted[leader.line] = (wide, start - leader.offset, False)
        for member in members[1:]:
            result.counted[member.line] = (0, 0, False)
        joined |= {member.line for member in members} - {access.line}
        result.note(leader, sass, f"ptxas joins {len(members)} neighboring accesses into one; {COUNTED_AS_JOINED}", True)
    return joined


def _share(total: Counter, number: int) -> Counter | None:
    """Return one of `number` equal shares of the counts; None if a count cannot be divided."""
    if any(count % number for count in total.values()):
        return None
    return Counter({loop: count // number for loop, count in total.items()})


def _compare_block(
    result: Comparison, accesses: Sequence[Access], by_line: dict[int, list[MachineAccess]], barriers: list[Counter], function: Function
) -> None:
    """Compare how often, and in which loops, the machine code has the accesses of a basic block.

    An unrolled loop has each of its accesses several times. Lines are uncertain, so accesses of a kind are compared together.
    ptxas may split a loop, for example into one of four rounds at a time and one for the rest. Lanes that leave the loop in different
    rounds then end in different loops, and a warp executes each of them.
    """
    counts = {access.line: Counter(machine.loop for machine in by_line.get(access.line, ())) for access in accesses}
    pools: dict[tuple, list[Access]] = defaultdict(list)
    for access in accesses:
        pools[access.operation, access.space].append(access)
    shares = [_share(sum((counts[access.line] for access in pool), Counter()), len(pool)) for pool in pools.values()]
    same = shares[0] is not None and all(share == shares[0] for share in [*shares, *barriers])
    if same and shares[0]:
        first = accesses[0]
        machine = by_line.get(first.line, ())
        if function.in_loop(first.line) and not barriers and len(accesses) == 1 and shares[0] == Counter({-1: 1}):
            result.note(first, machine[0].text, "ptxas moves it out of a loop", False)
        elif len(shares[0]) > 1:
            why = "ptxas splits the loop around it, and lanes of a warp have left the loop in different rounds"
            for line in function.ways_out(first.line):
                result.branches.setdefault(line, _entry(first, machine[0].text if machine else "", why))
        return
    patterns = [*barriers, *(pattern for pattern in counts.values() if pattern)]
    usual = (
        Counter(dict(Counter(frozenset(pattern.items()) for pattern in patterns).most_common(1)[0][0])) if patterns else Counter({-1: 1})
    )
    for access in accesses:
        number, wanted = counts[access.line].total(), usual.total()
        if counts[access.line] != usual:
            machine = by_line.get(access.line, ())
            why = (
                "ptxas leaves it out"
                if number == 0
                else "ptxas moves it to another place"
                if number == wanted
                else f"ptxas has it {number} times, and the accesses around it {wanted} times"
            )
            result.note(access, machine[0].text if machine else "", why, False)


def _note_moved(result: Comparison, accesses: Sequence[Access], by_line: dict[int, list[MachineAccess]], function: Function) -> None:
    """Note the accesses that ptxas has moved behind a branch of its own, which it has made of a later access with a guard.

    Lanes that do not make the later access do not make the moved one either, though the PTX has it without a condition.
    """
    guarded = {access.line: access.block for access in function.accesses if access.guard}
    for access in accesses:
        for machine in by_line.get(access.line, ()):
            if any(line > access.line and guarded.get(line) == access.block for line in machine.behind):
                result.note(access, machine.text, "ptxas moves it behind a branch that it makes of a later access", False)


def _same_width(access: Access, machine: MachineAccess) -> bool:
    return access.operation == "atomic" or access.bytes in (0, machine.bytes)


def compare(function: Function, section: Section) -> Comparison:
    """Compare a function of PTX with its machine code in a section."""
    result = Comparison()
    within = range(function.first_line, function.last_line + 1)
    found = [machine for machine in section.accesses if machine.line in within]
    by_line, rest = _attribute(function.accesses, found)
    for machine in rest:
        spilled = "ptxas keeps registers in local memory" if machine.space == "local" else "ptxas adds this access"
        result.exact = False
        entry = {"file": "", "line": 0, "ptx": "", "sass": machine.text, "why": spilled}
        if entry not in result.fused:
            result.fused.append(entry)
    for access in function.accesses:
        if access.operation != "atomic":
            continue
        found_here = by_line.get(access.line, ())
        if access.line in section.elected and found_here and all(machine.operation == "atomic" for machine in found_here):
            result.counted[access.line] = (access.bytes, 0, True)
            result.note(access, found_here[0].text, "ptxas lets one lane act for all active lanes; one access is counted", True)
        if any(machine.operation != "atomic" for machine in found_here):
            result.note(
                access, "", "ptxas replaces it with a loop of loads and compare-and-swaps, whose rounds depend on other warps", False
            )
    joined = _join(result, function.accesses, by_line)
    left = [access for access in function.accesses if access.line not in joined and access.operation != "atomic"]
    for access in left:
        wrong = [machine for machine in by_line.get(access.line, ()) if not _same_width(access, machine)]
        if (
            wrong
            and access.line not in result.counted
            and not any(access.text == entry["ptx"] and access.source_line == entry["line"] for entry in result.fused)
        ):
            result.note(access, wrong[0].text, "ptxas changes its width", False)
    _note_moved(result, left, by_line, function)
    barriers: dict[int, dict[int, Counter]] = defaultdict(lambda: defaultdict(Counter))
    for line, loop in section.barriers:
        if line in function.barriers:
            barriers[function.barriers[line]][line][loop] += 1
    blocks: dict[int, list[Access]] = defaultdict(list)
    for access in left:
        blocks[access.block].append(access)
    for block, accesses in blocks.items():
        _compare_block(result, accesses, by_line, list(barriers[block].values()), function)
    for name in sorted(function.calls & _OF_THE_DRIVER.keys()):
        result.exact = False
        result.fused.append(
            {
                "file": "",
                "line": 0,
                "ptx": f"call {name}",
                "sass": "",
                "why": f"the driver's {_OF_THE_DRIVER[name]} makes accesses of its own, which are not counted",
            }
        )
    return result


def _called(function: Function, functions: dict[str, Function]) -> set[str]:
    seen, waiting = set(), [function.name]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in functions:
            continue
        seen.add(name)
        waiting += functions[name].calls
    return seen


def compare_text(ptx: str, disassembly: str) -> dict[str, Comparison]:
    """Compare each function of a text of PTX with its machine code."""
    functions = {function.name: function for function in ptx_accesses.read(ptx)}
    results: dict[str, Comparison] = {}
    for section in sass_accesses.read(disassembly):
        if section.name not in functions:
            continue
        for name in _called(functions[section.name], functions):
            function = functions[name]
            if name != section.name and not any(function.first_line <= line <= function.last_line for line in section.lines):
                continue
            found = compare(function, section)
            found.machine_code = section.order
            known = results.setdefault(name, found)
            if known is not found:
                known.exact &= found.exact and known.counted == found.counted
                known.fused += [entry for entry in found.fused if entry not in known.fused]
                known.uncertain |= found.uncertain
                known.branches = found.branches | known.branches
    return results


# --- programs -------------------------------------------------------------------------------------


def _changed_at(path: Path) -> float:
    """Return when a file was written; long ago for a file that another process has just removed."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _kept(ptx: Path, nvcc: Path, machine: str, options: Sequence[str], make: Callable[[], dict]) -> dict:
    """Return what ``make`` finds in one text of PTX, from the cache if possible."""
    text = ptx.read_bytes()
    ptxas = find_ptxas(nvcc, text.decode("utf-8", "replace"))
    key = hashlib.sha256(text + json.dumps([_VERSION, str(ptxas), machine, *options]).encode()).hexdigest()[:24]
    kept = CACHE / f"{key}.json"
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(kept.read_text(encoding="utf-8"))
        os.utime(kept)
        return found
    found = make()
    packaged.make_kept(CACHE.name)
    write_whole(kept, json.dumps(found))
    for old in sorted(CACHE.glob("*.json"), key=_changed_at)[:-KEPT_TEXTS]:
        old.unlink(missing_ok=True)
    return found


def _comparison_of(ptx: Path, nvcc: Path, options: Sequence[str]) -> dict[str, dict]:
    """Return the comparison of one text of PTX as JSON. Raises NoMachineCode."""
    code = disassemble(ptx, nvcc, options)
    compared = compare_text(ptx.read_text(encoding="utf-8", errors="replace"), code.text)
    return {
        name: {
            "exact": result.exact,
            "fused": result.fused,
            "counted": {str(line): list(how) for line, how in sorted(result.counted.items())},
            "uncertain": sorted(result.uncertain),
            "branches": {str(line): why for line, why in sorted(result.branches.items())},
            "machine_code": result.machine_code,
            **({"resources": list(code.resources[name])} if name in code.resources else {}),
        }
        for name, result in compared.items()
    }


def _compared(ptx: Path, nvcc: Path, options: Sequence[str]) -> dict[str, dict]:
    return _kept(ptx, nvcc, machine_code.ARCHITECTURE, options, lambda: _comparison_of(ptx, nvcc, options))


def _put_resources(functions: dict[str, dict], machine: str, ptx: Path, nvcc: Path, options: Sequence[str]) -> None:
    """Replace what functions take by what they take of another machine; by nothing and NoMachineCode if it cannot have them."""
    for function in functions.values():
        function.pop("resources", None)
    taken = _kept(ptx, nvcc, machine, options, lambda: machine_code.resources_on(machine, ptx, nvcc, options))
    for name in functions.keys() & taken.keys():
        functions[name]["resources"] = taken[name]


def write(program: Path, reader: Path, nvcc: Path, output: Path, options: Sequence[str] = ()) -> None:
    """Write the facts on a program's machine code that the counting model reads (SIMT_EXACTNESS).

    `reader` is the model's program that takes the PTX out of a program. Raises NoMachineCode.
    """
    texts = {}
    with tempfile.TemporaryDirectory() as folder:
        output_of([reader, program, folder])
        for ptx in sorted(Path(folder).glob("*.ptx")):
            texts[ptx.stem] = _compared(ptx, nvcc, options)
    _put(output, {"texts": texts})


def write_for(machine: str, known: Path, program: Path, reader: Path, nvcc: Path, output: Path, options: Sequence[str] = ()) -> str:
    """Write the facts of the file ``known`` on a program, with what its functions take of another machine.

    Returns why functions of a text are without, or nothing. Raises NoMachineCode.
    """
    found = json.loads(known.read_text(encoding="utf-8"))
    why = ""
    with tempfile.TemporaryDirectory() as folder:
        output_of([reader, program, folder])
        for ptx in sorted(Path(folder).glob("*.ptx")):
            try:
                if functions := found["texts"].get(ptx.stem):
                    _put_resources(functions, machine, ptx, nvcc, options)
            except NoMachineCode as error:
                why = why or str(error)
    _put(output, {**found, "machine": machine})
    return why


def write_text(ptx: Path, nvcc: Path, machine: str, output: Path) -> None:
    """Write the facts on the machine code of one text, whose file has its fingerprint for a name. Raises NoMachineCode."""
    functions = _compared(ptx, nvcc, ())
    if machine_code.is_other(machine):
        with contextlib.suppress(NoMachineCode):
            _put_resources(functions, machine, ptx, nvcc, ())
    _put(output, {"texts": {ptx.stem: functions}})


def write_unknown(output: Path, why: str) -> None:
    """Write the reason why the machine code is unknown: no kernel of the program then counts as exact."""
    _put(output, {"texts": {}, "unknown": f"not compared with machine code: {why}"})


def _put(output: Path, found: dict) -> None:
    write_whole(output, json.dumps(found, indent=1) + "\n")


def main(program: str, reader: str, nvcc: str, output: str) -> None:
    """Compare a program for a build. Without a disassembler the build goes on with a message."""
    try:
        write(Path(program), Path(reader), Path(nvcc), Path(output))
    except NoMachineCode as why:
        write_unknown(Path(output), str(why))
        print(f"{Path(program).name}: its PTX was not compared with machine code: {why}")


if __name__ == "__main__":
    main(*sys.argv[1:])
