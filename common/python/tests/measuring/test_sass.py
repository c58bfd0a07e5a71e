"""Instructions of a pair of points in what cuobjdump says of a program."""

import pytest

from conflict_free.measuring.sass import Loop, NoSass, find_cuobjdump, instructions_per_pair, is_of, pair_loops, parse_sass, read_sass

PAIR = ["FADD R5, -R5, R10", "FADD R4, -R4, R9", "FADD R6, -R6, R3", "FMUL R5, R5, R5", "FFMA R5, R4, R4, R5", "FFMA R5, R6, R6, R5"]


def listing(name: str, *instructions: str) -> str:
    """A function as cuobjdump prints it: 16 bytes an instruction, each on two lines."""
    lines = ["Fatbin elf code:", "================", "arch = sm_90", f"\t\tFunction : {name}", '\t.headerflags\t@"EF_CUDA_SM90"']
    for place, instruction in enumerate(instructions):
        lines.append(f"        /*{16 * place:04x}*/                   {instruction} ;   /* 0x000000ff0e00720c */")
        lines.append("                                                               /* 0x000fc80004705670 */")
    return "\n".join(lines) + "\n"


def two_loops(name: str = "_Z7nearestPiPKfi") -> str:
    """A loop of one pair with tests, one of two pairs without, both in an outer loop."""
    checked = ["LDS.128 R4, [UR6]", *PAIR, "ISETP.NE.AND P0, PT, R1, R2, PT", "@P0 FMNMX R7, R5, R7, PT", "@!P2 BRA 0x10"]
    lean = ["LDS.128 R4, [UR6]", *PAIR, *PAIR, "VIMNMX3 R7, R5, R6, R7, PT", "@!P2 BRA 0xb0"]
    return listing(name, "S2R R2, SR_TID.X", *checked, *lean, "BAR.SYNC.DEFER_BLOCKING 0x0", "@P1 BRA 0x10", "EXIT", "BRA 0x1e0")


def test_the_leanest_innermost_loop_counts():
    loops = [loop for function in parse_sass(two_loops()).values() for loop in pair_loops(function)]
    assert loops == [Loop(instructions=10, pairs=1), Loop(instructions=15, pairs=2)]
    assert instructions_per_pair(two_loops(), "nearest") == 7.5


def test_of_the_instances_of_a_template_the_leanest_counts():
    text = two_loops("_Z7nearestILi2EEvPiPKfi") + listing("_Z7nearestILi8EEvPiPKfi", *PAIR, "BRA 0x0")
    assert instructions_per_pair(text, "nearest") == 7
    assert instructions_per_pair(text, "nearer") is None


def test_a_loop_that_does_other_sums_has_no_pairs():
    text = listing("_Z7nearestv", *PAIR, "FADD R1, R2, R3", "BRA 0x0")
    assert instructions_per_pair(text, "nearest") is None
    assert instructions_per_pair(listing("_Z7nearestv", *PAIR[:-1], "BRA 0x0"), "nearest") is None
    assert instructions_per_pair(listing("_Z7nearestv", *PAIR, "EXIT", "BRA 0x70"), "nearest") is None


@pytest.mark.parametrize(
    "mangled, kernel, wanted",
    [
        ("_Z13nearest_splitILi8ELi128EEvPi", "nearest_split", True),
        ("_Z7nearestPi", "nearest", True),
        ("_Z13nearest_splitPi", "nearest", False),
        ("_Z12my_nearestPi", "nearest", False),
    ],
)
def test_mangled_names(mangled, kernel, wanted):
    assert is_of(mangled, kernel) is wanted


def test_cuobjdump_stands_beside_the_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert find_cuobjdump(tmp_path / "nvcc") is None
    tool = tmp_path / "cuobjdump"
    tool.write_text("#!/bin/sh\necho \"cuobjdump fatal : '$4' has no code\" >&2\nexit 255\n", encoding="utf-8")
    tool.chmod(0o755)
    assert find_cuobjdump(tmp_path / "nvcc") == str(tool)
    with pytest.raises(NoSass, match="exit code 255: cuobjdump fatal : 'program' has no code"):
        read_sass(str(tool), "program", "sm_90")
