"""Tests the maps of accesses."""

import xml.etree.ElementTree as xml

import pytest

from conflict_free.grading import pictures

LAUNCH = {"kernel": "turn", "banks": 32}


def bank_access(stride: int, lanes: int = 32) -> dict:
    """Return a load of 4 bytes a lane with a stride in words. Lanes whose banks collide are served one after another."""
    waves: list[list[list[int]]] = []
    for lane in range(lanes):
        word = lane * stride
        free = next((wave for wave in waves if all(word % 32 != other % 32 for _, other in wave)), None)
        if free is None:
            waves.append(free := [])
        free.append([lane, word])
    return {
        "space": "shared",
        "op": "load",
        "size": 4,
        "warp": 1,
        "lanes": [4 * lane * stride for lane in range(lanes)],
        "wavefronts": waves,
        "ideal_wavefronts": 1,
    }


def global_access(stride: int, size: int = 4) -> dict:
    return {"space": "global", "op": "store", "size": size, "warp": 0, "lanes": [stride * lane for lane in range(32)]}


# --- maps ----------------------------------------------------------------------------------------


def test_a_bank_map_has_a_row_for_each_wavefront():
    drawn = pictures.map_of(LAUNCH, [0, 1, 0], bank_access(16))
    text = drawn.to_text()
    assert "Shared load of 4 bytes a lane, warp 1 of block (0, 1, 0) of turn:\n16 wavefronts, ideal: 1." in text
    assert " wavefront 1  █···············█···············  lanes 0–1\n" in text
    assert text.count("█") == 32


def test_many_rows_are_told_and_not_drawn():
    text = pictures.map_of(LAUNCH, [0, 0, 0], bank_access(32)).to_text()
    assert text.endswith("…  20 more wavefronts") and text.count("\n") == 16
    assert "wavefront 12  █" in text and "wavefront 13" not in text


def test_a_broadcast_is_one_cell():
    access = {**bank_access(1, 2), "wavefronts": [[[0, 5], [1, 5]]]}
    drawn = pictures.map_of(LAUNCH, [0, 0, 0], access)
    assert drawn.rows[0].cells[5].label == "×2" and drawn.rows[0].lanes == [0, 1]


def test_a_sector_map_shows_what_moves_and_what_is_asked_for():
    text = pictures.map_of(LAUNCH, [0, 0, 0], global_access(512, 8)).to_text()
    assert "asked for by 32 lanes: 256 bytes; moved: 32 sectors of 32 bytes." in text
    assert " byte 512  ██······                             lane 1\n" in text
    whole = pictures.map_of(LAUNCH, [0, 0, 0], global_access(4)).to_text()
    assert whole.splitlines()[-1] == "byte 0  ████████ ████████ ████████ ████████  lanes 0–31"


@pytest.mark.parametrize(
    "access, excess",
    [
        (bank_access(1), 0),
        (bank_access(2), 1),
        (bank_access(32), 31),
        (global_access(4), 0),
        (global_access(8), 4),
        (global_access(32), 28),
        (global_access(0), 0),
    ],
)
def test_the_excess_is_what_is_above_the_ideal(access, excess):
    assert pictures.excess(access) == excess


def test_lanes_that_do_nothing_are_left_out():
    access = global_access(4)
    access["lanes"][1:] = [None] * 31
    assert pictures.map_of(LAUNCH, [0, 0, 0], access).to_text().endswith("byte 0  █·······                             lane 0")


@pytest.mark.parametrize("access", [bank_access(8), global_access(64)])
def test_the_drawing_is_whole_and_says_the_same(access):
    drawn = pictures.map_of(LAUNCH, [0, 0, 0], access)
    svg = xml.fromstring(drawn.to_svg())
    name = "{http://www.w3.org/2000/svg}"
    assert svg.findtext(f"{name}title") == " ".join(drawn.heading)
    busy = [box for box in svg.iter(f"{name}rect") if box.get("class") == "b"]
    assert len(busy) == sum(bool(cell and cell.lanes) for row in drawn.rows for cell in row.cells)
    assert all(float(box.get("x")) + float(box.get("width")) <= float(svg.get("width")) for box in busy)


def test_a_plain_terminal_gets_plain_characters():
    assert pictures.map_of(LAUNCH, [0, 0, 0], bank_access(32)).to_text().translate(pictures.PLAIN).isascii()
