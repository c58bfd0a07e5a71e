"""Bank maps, tile flows, partition maps and arrays: what they draw, what they say, and what they refuse."""

import html as html_text
import json
import re
import xml.etree.ElementTree

import pytest
from conftest import BOOK
from test_directives import text_of

from conflict_free.evidence.banks import bank_of
from conflict_free.evidence.names import ResultError
from directives.pictures import block_orders, tile_orders
from directives.pictures.banks import describe_schedule, layout, served_cells
from directives.pictures.flow import CELL, follow, grid_of, shape
from directives.pictures.partitions import describe_step
from directives.pictures.rounds import CYCLE, ROW, Round, mark_dearer, strip_of
from directives.pictures.traces import SYSTEM_BYTES, Panel


def traced(space: str, op: str, words: list[int], line: int, **more) -> dict:
    """Return a traced access of one word a lane."""
    numbers = dict.fromkeys(("instruction", "warp", "occurrence", "interval"), 0)
    return {"file": "copy.cu", "line": line, "space": space, "op": op, **numbers, "size": 4, "lanes": [4 * word for word in words], **more}


def access(op: str, words: list[int], line: int, banks: int = 32, **more) -> dict:
    """Return a traced shared access of one word a lane, served bank by bank."""
    wavefronts: list[list[list[int]]] = []
    for lane, word in enumerate(words):
        free = next((w for w in wavefronts if all(o == word or bank_of(o, banks) != bank_of(word, banks) for _, o in w)), None)
        if free is None:
            wavefronts.append(free := [])
        free.append([lane, word])
    return traced("shared", op, words, line, wavefronts=wavefronts, ideal_wavefronts=1, **more)


def moved(op: str, indices: list[int], warp: int, allocation: int) -> dict:
    """Return a traced global access of one float a lane."""
    return traced("global", op, indices, 1 if op == "load" else 2, warp=warp, allocation=allocation)


def transposed_block(pitch: int = 5, width: int = 16) -> dict:
    """Return the trace of a block that transposes 4 x 4 elements: four warps of four lanes."""
    accesses = []
    for warp in range(4):
        accesses.append(moved("load", [warp * width + lane for lane in range(4)], warp, 0))
        accesses.append(access("store", [warp * pitch + lane for lane in range(4)], 3, warp=warp))
    for warp in range(4):
        accesses.append(access("load", [lane * pitch + warp for lane in range(4)], 4, warp=warp))
        accesses.append(moved("store", [warp * width + lane for lane in range(4)], warp, 1))
    return {"block": [1, 0, 0], "accesses": accesses}


def line_of(project, text: str) -> int:
    """Return the number of the last line of chapter copy with a text."""
    return max(i for i, line in enumerate(project.source("copy").read_text().splitlines(), 1) if text in line)


def behind_the_system(one: dict) -> dict:
    """Return an access as the model traces it: shared memory of a block begins behind 1,024 bytes of the system."""
    if one["space"] != "shared":
        return one
    served = [[[lane, word + 256] for lane, word in wavefront] for wavefront in one["wavefronts"]]
    return {**one, "lanes": [offset + 1024 for offset in one["lanes"]], "wavefronts": served}


def write_trace(project, blocks: list[dict], name: str = "copy", kernel: str = "copy_shared", machine: str = "sm_90", banks: int = 32):
    """Write the trace of one launch, whose shared addresses count from the block's first byte here."""
    path = project.counts.parent / "traces" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    blocks = [{**block, "accesses": [behind_the_system(one) for one in block["accesses"]]} for block in blocks]
    path.write_text(
        json.dumps([{"kernel": kernel, "machine": machine, "banks": banks, "request_lanes": 32, "block": [256, 1, 1], "blocks": blocks}])
    )


def a_column(project, **more) -> dict:
    """Return a load of a column of 32 words in chapter copy."""
    return access("load", [32 * lane for lane in range(32)], line_of(project, "= tile["), **more)


# --------------------------------------------------------------------------------------- bank maps


def test_a_panel_says_which_access_it_wants():
    panel = Panel.parse("gt200:a.b load match='x = y[i]' instruction=1 warp=2 occurrence=3 | Step 1")
    assert (panel.slug, panel.kernel, panel.op, panel.label) == ("gt200:a", "b", "load", "Step 1")
    assert panel.choices == {"match": "x = y[i]", "instruction": "1", "warp": "2", "occurrence": "3"}
    for wrong in ("", "a load", "a.b", "a.b move", "a.b load warp=x", "a.b load wrap=1", "a.b load 'x"):
        with pytest.raises(ResultError):
            Panel.parse(wrong)


def test_cells_are_the_banks_of_the_words_that_are_served():
    two = {"wavefronts": [[[0, 0], [1, 0], [2, 33]], [[3, 32]]]}
    assert [[(cell.bank, cell.label) for cell in cells] for cells in served_cells(two, 32)] == [[(0, "×2"), (1, "2")], [(0, "3")]]
    assert [[cell.bank for cell in cells] for cells in served_cells(two, 16)] == [[0, 1], [0]]


def test_a_bank_map_says_what_it_shows():
    column = access("load", [32 * lane for lane in range(32)], 1)
    assert describe_schedule(column, 32, "load") == (
        "One shared load of a warp: 32 lanes, 32 words of 4 bytes, 32 banks, 32 wavefronts, ideal: 1. "
        "Wavefronts 1–32 each use bank 0, for lanes 0–31."
    )
    row = access("store", list(range(32)), 1)
    assert describe_schedule(row, 32, "store").endswith("32 banks, 1 wavefront. Wavefront 1 uses banks 0–31, for lanes 0–31.")
    same = access("load", [7] * 32, 1)
    assert "32 lanes, 1 word of 4 bytes, 32 banks, 1 wavefront. Wavefront 1 uses bank 7" in describe_schedule(same, 32, "load")


def test_idle_banks_are_a_line_of_text_on_a_phone():
    cells = served_cells(access("load", [32 * lane for lane in range(32)], 1), 32)
    blocks = layout(cells, 32, 16)["blocks"]
    assert [block["idle"] for block in blocks] == [False, True]
    assert not layout(cells, 32, 32)["blocks"][0]["idle"]


def test_a_bank_map_draws_each_lane_of_the_trace_and_names_its_line(project):
    write_trace(project, [{"block": [0, 0, 0], "accesses": [a_column(project)]}])
    html = project.build_page(".. bank-map:: copy.copy_shared load | A column")
    wide = re.search(r'<svg class="wide".*?</svg>', html, re.DOTALL)[0]
    assert wide.count("<rect") == 32 and 'aria-label="One shared load of a warp: 32 lanes' in wide
    assert '<g class="busy excess"' in wide
    said = html_text.unescape(re.sub(r"<[^>]+>", "", html))
    assert "A column 32 wavefronts, ideal: 1" in said and "output[i] = tile[threadIdx.x];" in said
    assert "run of copy_shared, line" in said


def test_a_bank_map_takes_the_occurrence_and_the_machine_that_are_asked_for(project):
    free = access("load", list(range(16)), line_of(project, "= tile["), occurrence=1, warp=2, banks=16)
    write_trace(project, [{"block": [0, 0, 0], "accesses": [a_column(project, banks=16), free]}], "copy.gt200", machine="gt200", banks=16)
    html = project.build_page(
        ".. bank-map::\n   :small:\n\n   gt200:copy.copy_shared load warp=2 occurrence=1 | Free\n   gt200:copy.copy_shared load | Not"
    )
    labels = re.findall(r'<svg.*?aria-label="([^"]+)"', html)
    assert ["16 banks, 1 wavefront." in label for label in labels] == [True, False]
    assert 'class="busy"' in html and 'class="busy excess"' in html
    assert "run for gt200 of copy_shared" in text_of(html)


def test_a_small_bank_map_names_the_lanes_of_banks_that_serve_the_same(project):
    broadcast = a_column(project) | {"wavefronts": [[[lane, word] for lane in (0, 1, 2) for word in range(4)]]}
    write_trace(project, [{"block": [0, 0, 0], "accesses": [broadcast]}])
    html = project.build_page(".. bank-map::\n   :small:\n   :lanes:\n\n   copy.copy_shared load | Four words")
    svg = re.search(r"<svg.*?</svg>", html, re.DOTALL)[0]
    assert re.findall(r"<text[^>]*>([^<]*)<", svg) == ["0–2"] and svg.count("<rect") == 1
    assert "the numbers in a cell are the lanes that give the addresses" in html


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("copy.copy_shared load\n   :lanes:", ":lanes: goes with :small:"),
        ("copy.copy_shared load\n   :small:\n   :lanes:", ":lanes: wants 4 banks or more side by side"),
        ("copy.copy_plain load", "no kernel 'copy_plain' in the trace of copy; it has: copy_shared"),
        ("copy.copy_shared store", "wants one line of copy.copy_shared with a shared store; found: none"),
        ("copy.copy_shared load occurrence=9", "with instruction 0, warp 0, occurrence 9 in the trace"),
        ("naive.transpose_naive_row_read load", "naive.json"),
        ("copy.copy_shared walk", "does not begin with SLUG.KERNEL and load or store"),
    ],
)
def test_a_bank_map_of_what_is_not_there_fails_the_build(project, argument, message):
    write_trace(project, [{"block": [0, 0, 0], "accesses": [a_column(project)]}])
    assert message in project.build_error(f".. bank-map:: {argument}")


@pytest.mark.parametrize("builder", ["text", "gettext"])
def test_other_builders_have_the_description(project, builder):
    write_trace(project, [{"block": [0, 0, 0], "accesses": [a_column(project)]}])
    project.page(".. bank-map:: copy.copy_shared load")
    build = project.build(builder)
    assert build.warnings == ""
    if builder == "text":
        assert "32 wavefronts, ideal: 1" in " ".join((build.output / "index.txt").read_text().split())
    else:
        assert "wavefronts" not in (build.output / "index.pot").read_text(), "what is generated is not for translators"


def test_a_page_is_read_again_when_its_trace_changes(project):
    write_trace(project, [{"block": [0, 0, 0], "accesses": [a_column(project)]}])
    assert "32 wavefronts, ideal: 1" in project.build_page(".. bank-map:: copy.copy_shared load")
    free = access("load", list(range(32)), line_of(project, "= tile["))
    write_trace(project, [{"block": [0, 0, 0], "accesses": [free]}])
    assert "32 banks, 1 wavefront." in project.build().html()


# ------------------------------------------------------------------------------- interactive bank map


def write_machines(project) -> None:
    """Write rules of two machines."""
    path = project.counts.parent / "traces" / "machines.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"sm_90": {"banks": 32}, "gt200": {"banks": 16}, "fermi": {"banks": 32}}))


def test_the_explorer_has_its_machines_its_controls_and_its_fallback(project):
    write_machines(project)
    write_trace(project, [{"block": [0, 0, 0], "accesses": [a_column(project)]}])
    html = project.build_page(".. bank-explorer:: copy.copy_shared load\n   :padding: 2")
    machines = json.loads(html_text.unescape(re.search(r'data-machines="([^"]+)"', html)[1]))
    assert machines == {"sm_90": {"banks": 32}, "gt200": {"banks": 16}}
    assert re.search(r'data-control="padding" min="0" max="32" value="2"', html)
    assert html.index('<div class="fallback">') < html.index('<figure class="picture bank-map">') < html.index('class="live"')
    assert 0 < html.index("explorer_parts.js") < html.index("bank_rule.js") < html.index("bank_explorer.js")
    assert "is not offered; accepted: 0 to 32" in project.build_error(".. bank-explorer:: copy.copy_shared load\n   :padding: 70")


def test_in_an_ebook_the_explorer_is_its_fallback(project):
    write_machines(project)
    write_trace(project, [{"block": [0, 0, 0], "accesses": [a_column(project)]}])
    project.page(".. bank-explorer:: copy.copy_shared load")
    text = (project.build("epub").output / "index.xhtml").read_text()
    assert 'class="picture bank-map"' in text and "<select" not in text and "bank_explorer.js" not in text
    xml.etree.ElementTree.fromstring(text.replace("&nbsp;", " "))


# ----------------------------------------------------------------------------- interactive sector map


def test_the_sector_explorer_has_its_controls_and_its_fallback(project):
    html = project.build_page(".. sector-explorer:: copy.copy_plain load\n   :stride: 3\n   :bytes: 8")
    assert re.search(r'data-control="stride" min="0" max="65536" value="3"', html)
    assert re.search(r'data-control="bytes" min="1" max="32" value="8"', html)
    assert html.index('<div class="fallback">') < html.index("One global load of a warp") < html.index('class="live"')
    assert 0 < html.index("explorer_parts.js") < html.index("sector_rule.js") < html.index("sector_explorer.js")
    assert "bank_rule.js" not in html


def test_in_an_ebook_the_sector_explorer_is_its_fallback(project):
    project.page(".. sector-explorer:: copy.copy_plain load")
    text = (project.build("epub").output / "index.xhtml").read_text()
    assert 'figure class="sector-map"' in text and "<input" not in text and "sector_explorer.js" not in text


# -------------------------------------------------------------------------------------- tile flows


def test_elements_are_followed_through_the_tile():
    elements = follow(transposed_block(), 4)
    assert len(elements) == 16
    positions = grid_of({element.source for element in elements})
    targets = grid_of({element.target for element in elements})
    assert all(positions[e.source] == targets[e.target][::-1] for e in elements)
    assert all((e.word // 5, e.word % 5) == positions[e.source] for e in elements)
    assert all(e.loaded_by == positions[e.source][0] and e.stored_by == targets[e.target][0] for e in elements)


def test_shapes_have_words():
    assert shape({(2, 0), (2, 1)}) == "row 2" and shape({(0, 3), (1, 3)}) == "column 3"
    assert shape({(row, column) for row in (0, 1) for column in range(5)}) == "rows 0–1"
    assert shape({(0, 0), (1, 1)}) == "2 elements"


IN = [("in", "lane 0"), ("in", "3")]


def test_a_tile_flow_shows_a_row_on_its_way_in_and_a_column_on_its_way_out(project):
    write_trace(project, [{"block": [0, 0, 0], "accesses": []}, transposed_block()])
    html = project.build_page(".. tile-flow:: copy.copy_shared")
    description = html_text.unescape(re.search(r'<figure class="picture tile-flow"[^>]*aria-label="([^"]+)"', html)[1])
    assert description == (
        "Blue (■): warp 0 loads row 0 of the input, and stores it in row 0 of the tile. Orange (☒): after the barrier it reads column 0 of "
        "the tile, which 4 warps stored there, and stores it in row 0 of the output. The cell with both marks belongs to both."
    )
    assert "<code>blockIdx</code> (1, 0, 0)" in html
    source, tile, target = html.split('<g class="grid-of"')[1:]
    assert ['class="busy"' in one for one in (source, tile, target)] == [True, True, False]
    assert ['class="struck"' in one for one in (source, tile, target)] == [False, True, True]
    assert 'class="unused"' in tile and html.count('class="unused"') == 1, "the unpadded words are 4 of each 5"
    assert html.count('class="way in"') == html.count('class="way out"') == 1
    lanes = [re.findall(r'<text class="end (in|out)[^>]*>([^<]+)', one) for one in (source, tile, target)]
    assert lanes == [IN, [*IN, ("out", "0"), ("out", "3")], [("out", "lane 0"), ("out", "3")]], "lanes at the ends of what is marked"
    assert html.count('class="stop"') == 1


def test_the_arrows_of_a_tile_flow_join_what_they_move(project):
    write_trace(project, [transposed_block()])
    html = project.build_page(".. tile-flow:: copy.copy_shared")
    lefts = [float(x) for x in re.findall(r'class="grid-of" transform="translate\(([\d.]+) 0\)', html)]
    into, out_of = (
        [float(number) for number in re.search(rf'class="way {way}"[^>]* d="M([\d.]+) ([\d.]+)', html).groups()] for way in ("in", "out")
    )
    assert lefts[0] + 4 * CELL < into[0] < lefts[1] and into[1] == CELL / 2, "from the end of row 0 of the input"
    assert out_of[0] == lefts[1] + CELL / 2 and out_of[1] > 4 * CELL, "from the end of column 0 of the tile"


def test_a_picture_refuses_rows_that_the_array_does_not_have(project):
    below = transposed_block()
    for one in below["accesses"]:
        if one["space"] == "shared":
            one["lanes"] = [offset + 4096 for offset in one["lanes"]]
    write_trace(project, [below])
    wrong = project.build_error(".. tile-flow:: copy.copy_shared")
    assert "a picture of copy.copy_shared has 209 rows of 20 bytes, and the kernel declares 4096 bytes of shared memory" in wrong
    far = access("load", [1024 + lane for lane in range(32)], line_of(project, "= tile["))
    write_trace(project, [{"block": [0, 0, 0], "accesses": [far]}])
    assert "has 33 rows of 128 bytes" in project.build_error(".. tile-banks:: copy.copy_shared load")


def test_a_column_takes_the_wavefronts_of_its_fullest_bank_in_rows_of_each_width(project):
    line = line_of(project, "= tile[")
    column = access("load", [32 * lane + 5 for lane in range(20)], line)
    write_trace(project, [{"block": [0, 0, 0], "accesses": [column]}])
    said = text_of(project.build_page(".. tile-banks:: copy.copy_shared load\n   :row: 32\n   :widths: 32 33 34\n"))
    for told in ("32 words all 20 words in bank 5: 20 wavefronts", "33 words 1 of 20 words in bank 5: 1 wavefront ", "5: 2 wavefronts"):
        assert told in said
    assert "Drawn: a part of the columns." in said and "which has rows of 32 words" in said
    last = access("load", [32 * lane + 31 for lane in range(20)], line)
    write_trace(project, [{"block": [0, 0, 0], "accesses": [last]}])
    html = project.build_page(".. tile-banks:: copy.copy_shared load\n   :row: 32\n   :widths: 32 33 34\n")
    unused = [svg.count('class="unused') for svg in re.findall(r'<svg class="wide".*?</svg>', html, re.DOTALL)]
    assert unused == [0, 20, 40], "the words that lengthen a row are drawn, a column or two in each of 20 rows"
    colored = [svg.count('class="same') for svg in re.findall(r'<svg class="wide".*?</svg>', html, re.DOTALL)]
    assert colored == [20, 0, 2], "of the words that are read, those that share a bank"
    html = project.build_page(".. tile-banks:: copy.copy_shared load\n   :row: 32\n   :columns: 32\n")
    narrow = re.findall(r'<svg class="narrow".*?</svg>', html, re.DOTALL)
    assert [svg.count("<rect") for svg in narrow] == [20 * 16] * 2, "a phone has room for half of a row"
    two = access("load", [32 * (lane % 16) + lane // 16 for lane in range(32)], line)
    write_trace(project, [{"block": [0, 0, 0], "accesses": [two]}])
    said = text_of(project.build_page(".. tile-banks:: copy.copy_shared load\n   :row: 32\n   :widths: 32 33 34\n"))
    for told in (
        "16 of 32 words in bank 0: 16 wavefronts",
        "2 of 32 words in bank 1: 2 wavefronts",
        "1 of 32 words in bank 0: 1 wavefront ",
    ):
        assert told in said, "two columns at once: the fullest bank need not be that of the first word"
    assert "Colored: those that share the bank that the title names." in said
    html = project.build_page(".. tile-banks:: copy.copy_shared load\n   :row: 32\n   :widths: 32 33 34\n   :meeting:\n")
    colored = [svg.count('class="same') for svg in re.findall(r'<svg class="wide".*?</svg>', html, re.DOTALL)]
    assert colored == [32, 30, 0], "all words that meet, in whatever bank"
    assert "Colored: those that share a bank with another." in text_of(html)
    write_trace(project, [{"block": [0, 0, 0], "accesses": [{**column, "size": 8}]}])
    assert "8 bytes a lane is served in parts" in project.build_error(".. tile-banks:: copy.copy_shared load")


def test_the_end_of_the_rows_is_drawn_behind_a_gap(project):
    column = access("load", [32 * lane for lane in range(20)], line_of(project, "= tile["))
    write_trace(project, [{"block": [0, 0, 0], "accesses": [column]}])
    html = project.build_page(".. tile-banks:: copy.copy_shared load\n   :row: 32\n   :widths: 32 33 34\n   :rows: 2\n   :end: 4\n")
    wide, narrow = (
        [rows_drawn(svg) for svg in re.findall(rf'<svg class="{size}".*?</svg>', html, re.DOTALL)] for size in ("wide", "narrow")
    )
    assert wide[1] == [[0, 1, 2, 3, 4, 5, "…", 30, 31, 0], [1, 2, 3, 4, 5, 6, "…", 31, 0, 1]]
    assert wide[0][0][-2:] == [30, 31] and wide[2][1][-4:] == [0, 1, 2, 3]
    assert [one[0] for one in narrow] == [[0, "…", 31], [0, "…", 31, 0], [0, "…", 31, 0, 1]]


def rows_drawn(svg: str) -> list[list]:
    """Return the banks in each row of a panel, and … where columns are left out."""
    texts = [(float(x), float(y), words) for x, y, words in re.findall(r'<text[^>]* x="([\d.]+)" y="([\d.]+)">([^<]+)', svg)]
    gaps = [x for x, _, words in texts if words == "…"]
    rows = []
    for level in sorted({y for _, y, words in texts if words != "…"}):
        cells = [(x, int(words)) for x, y, words in texts if y == level and words != "…"]
        rows.append([one for _, one in sorted([*cells, *((x, "…") for x in gaps)], key=lambda cell: cell[0])])
    return rows


def test_the_model_places_a_blocks_first_variable_where_pictures_count_from():
    program = BOOK.parent / "common" / "model" / "src" / "interpreter" / "decode" / "program.cpp"
    assert f"shared_begin = {SYSTEM_BYTES};" in program.read_text(encoding="utf-8")


def test_a_tile_flow_refuses_a_kernel_that_is_not_of_its_kind(project):
    block = transposed_block()
    block["accesses"] = [one for one in block["accesses"] if (one["space"], one["op"]) != ("shared", "load")]
    write_trace(project, [block])
    assert "a tile-flow wants a kernel with one shared load; this one has 0" in project.build_error(".. tile-flow:: copy.copy_shared")


# ------------------------------------------------------------------------------------ orders of loops


def test_two_loops_visit_the_tiles_in_their_orders(project):
    html = project.build_page(".. loop-orders:: 3 2")
    assert "Loop around the launch: 2 other tiles between two uses of tile 0" in html
    assert "Loop inside the kernel: tile 0 is used again at once" in html
    around, inside = (re.findall(r'class="lane"[^>]*>(\d)<', svg) for svg in re.findall(r"<svg.*?</svg>", html, re.DOTALL)[-2:])
    assert (around, inside) == (list("012012"), list("001122"))


# ------------------------------------------------------------------------------------ sectors of several warps


def test_warps_share_a_sector_a_word_each(project):
    down = [moved("store", [64 * lane + warp for lane in range(32)], warp, 1) for warp in range(8)]
    write_trace(project, [{"block": [0, 0, 0], "accesses": down}])
    html = project.build_page(".. sector-warps:: copy.copy_shared store")
    assert re.findall(r">lane (\d+): byte ([\d,]+)<", html) == [("0", "0"), ("1", "256"), ("2", "512"), ("31", "7,936")]
    assert re.findall(r'class="lane"[^>]*>(\d)<', html) == list("01234567") * 4
    assert "The stores of lane N of warps 0 to 7 go to one sector." in html
    along = [moved("store", [64 * warp + lane for lane in range(32)], warp, 1) for warp in range(8)]
    write_trace(project, [{"block": [0, 0, 0], "accesses": along}])
    assert "lane 0 of all warps accesses do not lie in one sector" in project.build_error(".. sector-warps:: copy.copy_shared store")
    assert "wants one global load of 2 to 8 warps in copy.copy_shared; found: 0" in project.build_error(
        ".. sector-warps:: copy.copy_shared load"
    )


# ------------------------------------------------------------------------------------ orders of blocks


def test_the_first_blocks_write_a_column_of_tiles_or_a_row(project):
    source = project.source("copy")
    source.write_text(source.read_text().replace("int i = blockIdx.x", "int x = blockIdx.x", 1))
    html = project.build_page(".. block-orders:: copy.copy_plain\n   :tiles: 3\n   :at-once: 3")
    numbers = re.findall(r'class="block" x="([\d.]+)" y="([\d.]+)">(\d)<', html)
    read, written = ([number for *_, number in side] for side in (numbers[:3], numbers[3:]))
    assert read == written == ["0", "1", "2"]
    assert len({y for _, y, _ in numbers[:3]}) == len({x for x, _, _ in numbers[3:]}) == 1, "a row is read, a column written"
    assert "copy_plain: blocks numbered along the rows; blocks 0 to 2 store in many ranges." in html
    source.write_text(source.read_text().replace("int x = blockIdx.x", "int x = blockIdx.y", 1))
    html = project.build_page(".. block-orders:: copy.copy_plain\n   :tiles: 3\n   :at-once: 3")
    assert "copy_plain: blocks numbered down the columns; blocks 0 to 2 store in one range." in html
    assert "blocks that run first" in html
    places = project.build_page(".. block-orders:: copy.copy_plain\n   :tiles: 3\n   :at-once: 9")
    assert "The number is that of the block that reads or writes the tile." in places and "run first" not in places
    assert "is its memory" in html and "is its memory" not in places


def test_tiles_lie_in_memory_in_one_range_or_in_one_for_each_row():
    row, column = {(1, 0), (1, 1), (1, 2)}, {(0, 1), (1, 1), (2, 1)}
    assert block_orders.ranges_of(row, 3, 3) == [(block_orders.CELL, block_orders.CELL)]
    ranges = block_orders.ranges_of(column, 3, 3)
    assert len(ranges) == 3 * block_orders.ROWS and len({length for _, length in ranges}) == 1
    assert [begin for begin, _ in ranges] == sorted(begin for begin, _ in ranges) and ranges[0][0] > 0


@pytest.mark.parametrize("down, loads, stores", [(False, 4, 16), (True, 8, 1)], ids=["along", "down"])
def test_ranges_of_a_matrix_that_is_not_square_are_those_of_its_rows(down, loads, stores):
    # Four blocks have half of the upper row of 8 × 2 tiles, or two of its columns.
    panel = block_orders.panel_of("kernel", 8, 2, 4, down)
    loaded, stored = panel["sides"]
    assert panel["ranges"] == ("one range" if down else "many ranges")
    assert [len(loaded["ranges"]), len(stored["ranges"])] == [loads, stores]
    assert len(loaded["cells"]) == len(stored["cells"]) == 16
    assert sum(length for _, length in loaded["ranges"]) == sum(length for _, length in stored["ranges"]) == 8 * block_orders.CELL / 4


def test_blocks_in_the_middle_of_a_launch_have_pieces_before_and_behind_their_whole_row(project):
    # Blocks 2 to 7 of 4 × 4 tiles: half of the upper row, and the second. All rows but one of the half row have a gap behind them.
    panel = block_orders.panel_of("kernel", 4, 4, 6, True, first=2)
    assert panel["ranges"] == f"{block_orders.ROWS} ranges"
    source = project.source("copy")
    source.write_text(source.read_text().replace("int i = blockIdx.x", "int x = blockIdx.y", 1))
    html = project.build_page(".. block-orders:: copy.copy_plain\n   :tiles: 4\n   :at-once: 6\n   :first: 2")
    assert "blocks 2 to 7 store in 4 ranges." in html and "in the middle of the launch" in html


# ------------------------------------------------------------------------------------ orders of tiles


@pytest.mark.parametrize(
    "order, needs", [("RowByRow", "3 row tiles of A, 2 column tiles of B"), ("InGroups<4>", "4 row tiles of A, 2 column tiles of B")]
)
def test_tiles_that_are_computed_at_once_share_rows_and_columns(project, order, needs):
    source = project.source("copy")
    source.write_text(source.read_text().replace("int i = blockIdx.x", f"use<{order}>(); int i = blockIdx.x", 1))
    html = project.build_page(".. tile-orders:: copy.copy_plain\n   :down: 6\n   :across: 2\n   :at-once: 5")
    assert f"copy_plain: the first 5 tiles need {needs}." in html


def test_groups_of_tiles_cover_all_once_and_the_last_is_smaller():
    places = [tile_orders.tile_of(turn, 6, 3, 4) for turn in range(18)]
    assert len(set(places)) == 18
    assert places[:5] == [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1)] and places[12:15] == [(4, 0), (5, 0), (4, 1)]


def test_results_of_a_thread_share_operands(project):
    html = project.build_page(".. tile-operands:: 1x1 2x8")
    assert (
        "1 × 1 results take 2 operands, 1 multiplication: 0.5 for each operand. 2 × 8 results take 10 operands, 16 multiplications: 1.6 for each operand."
        in html
    )
    assert html.count('class="now"') == 1 + 2 + 16 + 10


def test_a_tile_stands_in_the_tile_of_the_line_before(project):
    html = project.build_page(".. tile-nest:: 1024x1024\n\n   A block's tile | 128x128 | the L2\n   A warp's tile | 64x32 | shared memory")
    said = html_text.unescape(html)
    assert (
        "A block's tile, 128 × 128: 64 for each operand from the L2. A warp's tile, 64 × 32: 21.3 for each operand from shared memory."
    ) in said
    lines = re.findall(r'<path class="parts"[^>]* d="([^"]+)"', html)
    assert [(one.count("h80"), one.count("v80")) for one in lines] == [(7, 7), (1, 3)], "the lines between 8 × 8 tiles, and between 2 × 4"
    assert re.findall(r'class="edge[^>]*>([\d,]+)<', html) == ["1,024", "1,024", "128", "128"]


def test_a_tile_stands_in_a_part_of_the_tile_before(project):
    html = project.build_page(".. tile-nest:: 8192x8192\n\n   All | 512x8192 | DRAM\n   A block's tile | 128x128 | the L2 | 512x1024")
    lines = re.findall(r'<path class="parts"[^>]* d="([^"]+)"', html)
    assert [(one.count("h80"), one.count("v40")) for one in lines] == [(15, 0), (3, 7)]
    assert re.findall(r'class="edge[^>]*>([\d,]+)<', html) == ["8,192", "8,192", "1,024", "512"]
    assert "enlarges the filled tile before it, or a part of that." in html


def test_the_squares_of_a_thread_lie_in_the_bands_of_its_warp(project):
    html = project.build_page(".. tile-squares:: 128 4")
    assert html.count('class="now"') == 4 + 2 + 2 and html.count('class="band"') == 2
    assert "lane 21 of warp 1" in html and "rows 12 and 76, columns 20 and 84" in html
    assert "128 does not have two halves of" in project.build_error(".. tile-squares:: 128 3")


# --------------------------------------------------------------------------------- partition maps


def test_a_partition_map_shows_the_first_step(project):
    html = project.build_page(".. partition-map:: gt200:naive store\n   :kernels: transpose_naive_row_read")
    assert (
        'aria-label="The first store of the 90 concurrent blocks of transpose_naive_row_read: '
        '90 requests to 2 of 8 partitions, 30 to 60 each."' in html
    )
    heights = [float(height) for height in re.findall(r'<rect [^>]*height="([0-9.]+)"', html)]
    assert heights == [84.0, 0.0, 42.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert '<span class="cost excess">2 of 8 partitions busy</span>' in html
    assert (
        describe_step("k", "load", [5, 5], 9) == "The first load of the 9 concurrent blocks of k: 10 requests to 2 of 2 partitions, 5 each."
    )


# ------------------------------------------------------------------------------------ arrays, round by round


def halving(project, words_of_lane, rounds: int = 2) -> dict:
    """Return the trace of a block whose lanes add word ``b`` to word ``a`` in each round; ``words_of_lane`` says which, by round and warp."""
    line = line_of(project, "= tile[")
    accesses = []
    for number in range(rounds):
        for warp, pairs in words_of_lane(number).items():
            for op, words in (("load", [a for a, _ in pairs]), ("load", [b for _, b in pairs]), ("store", [a for a, _ in pairs])):
                accesses.append({**access(op, words, line, instruction=3 * number, warp=warp), "interval": number + 1})
    return {"block": [0, 0, 0], "accesses": accesses}


def strided(number: int) -> dict[int, list[tuple[int, int]]]:
    """Return the pairs of 256 numbers whose distance doubles, all added by warp 0: 32 of them, then 16."""
    s = 4 << number
    return {0: [(2 * s * lane, 2 * s * lane + s) for lane in range(128 // s)]}


def test_an_array_shows_the_words_of_each_round(project):
    write_trace(project, [halving(project, strided)])
    html = project.build_page(".. array-rounds::\n   :first: 2\n\n   copy.copy_shared load match='= tile['")
    rounds = html.split('<div class="round')[1:]
    assert len(rounds) == 2 and rounds[1].startswith(" chosen") and not rounds[0].startswith(" chosen")
    assert re.findall(r'<input type="radio"[^>]*checked', html) and html.count('type="radio"') == 2
    assert "1 warp × 2 loads × 8 wavefronts = 16 wavefronts" in rounds[0]
    said = html_text.unescape(re.search(r'aria-label="(Round 1\.[^"]+)"', rounds[0])[1])
    assert said == (
        "Round 1. copy_shared: 32 sums, 64 words in banks 0, 4, 8, 12, 16, 20, 24, 28. "
        "1 warp × 2 loads × 8 wavefronts = 16 wavefronts of loads; a load has at most 8 words in one bank."
    )
    # Word 40 is the sum of lane 5 in round 1: row 1, bank 8.
    assert re.search(r'<rect class="warp-0 sum"[^>]* x="206" y="32"[^>]*/><text class="lane sum"[^>]*>5<', rounds[0])
    for size in ("wide", "narrow"):
        drawn = "".join(re.findall(rf'<svg class="{size}".*?</svg>', rounds[1], re.DOTALL))
        assert drawn.count('class="warp-0 sum"') == 16


def test_the_warps_of_a_round_have_colors_of_their_own(project):
    spread = {warp: [(32 * warp + 8 * lane, 32 * warp + 8 * lane + 4) for lane in range(4)] for warp in range(8)}
    write_trace(project, [halving(project, lambda number: spread, rounds=1)])
    html = project.build_page(".. array-rounds::\n\n   copy.copy_shared load match='= tile['")
    assert "8 warps × 2 loads × 1 wavefront = 16 wavefronts" in html
    drawn = "".join(re.findall(r'<svg class="wide".*?</svg>', html, re.DOTALL))
    assert [drawn.count(f'class="warp-{warp} sum"') for warp in range(8)] == [4] * 8
    assert "warp 7" in html


def test_what_takes_more_than_another_panel_is_marked():
    panels = [{"total": total} for total in (24, 45, 24)]
    mark_dearer(panels)
    assert [panel["excess"] for panel in panels] == [False, True, False]


def test_a_round_says_what_keeps_shared_memory_busy():
    two, one = {"warp": 0, "wavefronts": [[(0, 0)], [(1, 32)]]}, {"warp": 0, "wavefronts": [[(0, 0)]]}
    assert Round([two, two], [one]).busy_cycles(3) == [(0, "load")] * 4 + [(0, "store")] + [(1, "idle")] * 3 + [(2, "idle")] * 3
    assert Round([one, one], [one]).busy_cycles(1) == [(0, "load")] * 2 + [(0, "store")]


def test_busy_cycles_are_cells_in_rows(project):
    cells = strip_of([(0, "load"), (0, "store"), (3, "idle")], 2)["cycles"]
    assert [(one["x"], one["y"], one["kind"]) for one in cells] == [(0, 0, "load"), (CYCLE, 0, "store"), (0, ROW + 2, "idle")]
    write_trace(project, [halving(project, lambda number: {0: [(8 * lane, 8 * lane + 4) for lane in range(32)]}, rounds=1)])
    html = project.build_page(".. array-rounds::\n   :busy:\n\n   copy.copy_shared load match='= tile['")
    drawn = re.search(r'<svg class="wide".*?</svg>', html, re.DOTALL)[0]
    wavefronts, idle = map(int, re.search(r">(\d+) wavefronts \+ (\d+) idle accesses = ", html).groups())
    assert (drawn.count("warp-0"), drawn.count("cycle idle")) == (wavefronts, idle) and idle > 0


def test_arrays_are_refused_whose_rounds_cannot_stand_beside_each_other(project):
    path = project.counts.parent / "traces" / "copy.json"
    blocks = {"copy_shared": halving(project, strided, rounds=2), "copy_plain": halving(project, strided, rounds=1)}
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        json.dumps([{"kernel": kernel, "machine": "sm_90", "banks": 32, "blocks": [block]} for kernel, block in blocks.items()])
    )
    directive, body = ".. array-rounds::\n   :first: {}\n\n   ", "copy.copy_shared load match='= tile['"
    refused = project.build_error(f"{directive.format(1)}{body}\n   copy.copy_plain load match='= tile['")
    assert "array-rounds have different numbers of rounds: 1, 2" in refused
    assert ":first: 3 is beyond the 2 rounds" in project.build_error(directive.format(3) + body)
    nowhere = project.build_error(directive.format(1) + "copy.copy_shared load match=nowhere")
    assert "wants one line of copy.copy_shared with shared accesses; found: none" in nowhere
    blocks["copy_shared"]["accesses"][0]["warp"] = 8
    write_trace(project, [blocks["copy_shared"]])
    assert "loads with more than 8 warps" in project.build_error(directive.format(1) + body)
