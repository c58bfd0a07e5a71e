"""Tests of what all directives and roles share, and of values, claims and questions, by small books about an invented machine."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import synthetic

import directives


def text_of(html: str) -> str:
    """Return HTML without tags, entities undone, white space collapsed. A word that may be broken is one word."""
    import html as entities

    return " ".join(entities.unescape(re.sub(r"<[^>]+>", " ", html.replace("<wbr/>", ""))).split())


def replace_in(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


# ------------------------------------------------------------------------------------------ values


def test_a_value_stands_in_the_text_with_its_provenance(project):
    html = project.build_page("It moves :val:`copy.copy_plain.2048.gbps|.1f` GB/s.")
    assert re.search(r"It moves <span class=\"val\"[^>]*>1000.0<span class=\"val-tip\"", html)
    assert "Invented GPU 1, driver 1.2.3" in html
    described, tip = re.search(r'aria-describedby="([^"]+)".*?role="tooltip" id="([^"]+)"', html).groups()
    assert described == tip


def test_a_share_is_a_percentage_with_a_bar_of_its_length(project):
    html = project.build_page(":share:`copy.copy_plain.2048.gbps / 4000`")
    assert re.search(r'<span class="val share" style="--share: 25%"[^>]*>25\s%<span class="val-tip"', html)
    assert ":share: copy.copy_plain.2048.gbps is 1000.00; accepted: 0 to 1" in project.build_error(":share:`copy.copy_plain.2048.gbps`")


def test_two_values_have_two_tooltips(project):
    html = project.build_page(":val:`machine.gpu` :val:`machine.gpu`")
    ids = re.findall(r'role="tooltip" id="([^"]+)"', html)
    assert len(ids) == len(set(ids)) == 2


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("copy.copy_plain.2048.speed", "unknown metric 'speed'"),
        ("copy.copy_plain.64.gbps", "no size 64x64"),
        ("copy", "malformed"),
        ("copy.copy_plain.2048.gbps|.zz", "does not fit"),
    ],
)
def test_a_bad_key_fails_with_file_and_line(project, key, message):
    warnings = project.build_error(f"Text.\n\nMore :val:`{key}`.")
    assert message in warnings
    assert re.search(r"index\.rst:6: ERROR", warnings)


def test_a_role_inside_bold_text_is_warned_of_and_one_in_a_literal_is_not(project):
    assert re.search(r"index\.rst:\d+: WARNING: a role stands inside", project.build_error("**More :val:`machine.gpu`.**"))
    project.build_page("Write ``:val:`machine.gpu```.")


def test_a_stale_key_fails(project):
    replace_in(project.source("copy"), "output[i] = input[i]", "output[i] = input[i + 1]")
    warnings = project.build_error(":val:`copy.copy_plain.2048.gbps`")
    assert "stale: copy.copy_plain" in warnings


# ------------------------------------------------------------------------------------------ claims

TRUE = "copy.copy_plain.2048 faster than naive.transpose_naive_row_read.2048"


def test_a_true_claim_is_its_sentence(project):
    html = project.build_page(f":claim:`The copy is faster [{TRUE}]`.")
    assert '<span class="claim" id="claim-0">The copy is faster</span>.' in html
    assert "here" not in text_of(html)
    assert '<span class="pre">copy_plain</span></code> is faster' in project.build_page(f":claim:`Here copy_plain is faster [{TRUE}]`.")


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("It is not [copy.copy_plain.2048.gbps < 900]", "broken: claim: It is not: 1,000 < 900"),
        ("It is [copy.copy_plain.2048.gbps]", "not a comparison of two values"),
        ("It is", "not a sentence with a comparison"),
        ("It is slower [copy.copy_plain.2048 slower than copy.copy_shared.2048]", "slower: 1,000 slower than "),
        ("It is faster [copy.copy_plain.2048.gbps / copy.copy_shared.2048.gbps > 1]", "between two times: no faster than, no slower than"),
        ("It is as fast [copy.copy_plain.2048.gbps >= copy.copy_shared.2048.gbps]", "the sentence compares speeds, and"),
        ("It is [machine.gpu > 3]", "machine.gpu is not a number"),
        ("It is [copy.nothing.2048.gbps > 3]", "no kernel 'nothing'"),
    ],
)
def test_a_false_or_malformed_claim_fails_with_file_and_line(project, claim, message):
    warnings = project.build_error(f":claim:`{claim}`.")
    assert message in warnings
    assert re.search(r"index\.rst:4: ERROR", warnings)


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        (".. kernel-listing:: copy.nothing", r"no region [nothing]; it has: constants, copy_plain"),
        (".. kernel-listing:: nothing.copy_plain", "no such source file"),
        (".. kernel-listing:: copy", "'copy' is not slug.kernel"),
        (".. kernel-listing:: copy.constants\n   :counts:", "no kernel 'constants' in the counts"),
        (".. kernel-listing:: copy.copy_plain\n   :counts:\n   :size: 64", "no size 64x64 of copy_plain"),
        (".. kernel-diff:: copy.copy_plain copy.nothing", "no region [nothing]"),
        (".. counted-table:: nothing", "no such file"),
        (".. partition-table:: naive", "the model watches no partitions on sm_90"),
        (".. partition-table:: gt200:copy", "no such file"),
        (".. counted-table:: copy\n   :kernels: nothing", "no kernel 'nothing'"),
        (".. measured-table:: nothing", "no results of chapter nothing on invented"),
        (".. measured-table:: copy\n   :sizes: 64", "no size 64x64"),
        (".. measured-table:: copy\n   :columns: 3", 'unknown option: "columns"; accepted: "'),
        (".. sector-map:: copy.copy_plain read", "'read' is not an access; accepted: load, store"),
        (".. sector-map:: copy.copy_plain load\n   :match: nothing", "found: none"),
        (".. bandwidth-plot::\n   :size: 64", "no result at 64x64"),
        (".. full-source:: nothing", "no such source file"),
        (".. predict::\n\n   A question.", "exactly one answer inside; this one has 0"),
    ],
)
def test_a_directive_without_evidence_fails_with_file_and_line(project, directive, message):
    warnings = project.build_error(directive)
    assert message in warnings
    assert re.search(r"index\.rst:4: ERROR", warnings)


@pytest.mark.parametrize("directive", [".. measured-table:: copy", ".. bandwidth-plot::"])
def test_stale_results_fail_tables_and_plots(project, directive):
    replace_in(project.source("copy"), "output[i] = input[i]", "output[i] = input[i + 1]")
    assert "stale" in project.build_error(directive)


# --------------------------------------------------------------------------------------- questions


def test_an_answer_is_folded_without_script(project):
    html = project.build_page(".. predict::\n\n   What?\n\n   .. answer:: The end\n\n      *This.*")
    assert re.search(r'<details class="answer">\s*<summary>The end</summary>.*?<em>This\.</em>', html, re.DOTALL)
    assert "<details open" not in html


# ------------------------------------------------------------------------------------ dependencies


def test_nothing_is_read_again_when_nothing_changed(project):
    project.page(".. kernel-listing:: copy.copy_plain\n   :counts:\n\n.. measured-table:: naive\n\n.. bandwidth-plot::")
    project.build()
    read = []
    build = project.build
    from sphinx.environment import BuildEnvironment

    original = BuildEnvironment.prepare_settings

    def note(self, docname):
        read.append(docname)
        return original(self, docname)

    BuildEnvironment.prepare_settings = note
    try:
        build()
        assert read == []
        replace_in(project.source("copy"), "// a < b && c", "// another comment")
        assert "another comment" in build().html()
        assert read == ["index"]
    finally:
        BuildEnvironment.prepare_settings = original


@pytest.mark.parametrize("changed", ["counts", "results"])
def test_new_evidence_reaches_the_page(project, changed):
    page = ":val:`copy.copy_plain.2048.barriers` :val:`copy.copy_plain.2048.gbps`"
    project.build_page(page)
    if changed == "counts":
        path, number = project.counts / "copy.json", "777"
        data = json.loads(path.read_text())
        data["rows"][0]["counts"]["barriers"] = 777
    else:
        path, number = project.results / synthetic.MACHINE / "copy.json", "500"
        data = json.loads(path.read_text())
        for key in ("median_ms", "p10_ms", "p90_ms"):
            data["rows"][2]["time"]["cold"][key] *= 2
    path.write_text(json.dumps(data))
    build = project.build()
    assert build.warnings == ""
    assert f">{number}<" in build.html()


def test_other_builders_work(project):
    project.page(
        ":val:`copy.copy_plain.2048.gbps`\n\n.. kernel-listing:: copy.copy_plain\n\n.. bandwidth-plot::\n\n"
        ".. predict::\n\n   What?\n\n   .. answer::\n\n      This."
    )
    for builder in ("text", "gettext"):
        build = project.build(builder)
        assert build.warnings == ""
    assert "1,000" in (project.folder / "text" / "index.txt").read_text()


def test_a_missing_counts_folder_is_said_in_one_line(project):
    from sphinx.errors import ConfigError

    replace_in(project.book / "conf.py", "conflict_free_counts = '../counts'\n", "")
    project.page("Text.")
    with pytest.raises(ConfigError, match="conflict_free_counts is not set"):
        project.build()


# ---------------------------------------------------------------------------------- numbers to try

TRY = """.. predict::
   :numbers:
      Blocks: = copy.copy_shared.2048.blocks | 2048: Two dimensions.
      Half: = 0.5
      Third: = copy.copy_shared.2048.blocks / 3|,.1f

   How many?

   .. answer::

      Many.
"""


def test_a_reader_may_try_numbers(project):
    html = project.build_page(TRY)
    assert 'data-right="4096"' in html and "&#34;2048&#34;: &#34;Two dimensions.&#34;" in html and 'data-right="0.5"' in html
    assert 'data-right="1365.3"' in html, "as the role val writes it"
    assert "predict.js" in html and html.index('class="try"') < html.index('class="answer"')
    numbered = TRY.replace("Blocks:", "1. Blocks:").replace("Half:", "2. Half:").replace("How many?", "1. How many?\n   2. How much?")
    html = project.build_page(numbered)
    order = [html.index(part) for part in ("How many?", "<label>Blocks:", "How much?", "<label>Half:", 'class="answer"')]
    assert order == sorted(order), "each field stands below its question"
    html = project.build_page(numbered.replace("Third:", "2. Third:"))
    assert html.index("How much?") < html.index("<label>Half:") < html.index("<label>Third:"), "a question may ask for two numbers"
    project.page(TRY)
    assert "<input" not in (project.build("epub").output / "index.xhtml").read_text()
    assert "predict.js" not in project.build_page(".. predict::\n\n   What?\n\n   .. answer::\n\n      That.\n")


@pytest.mark.parametrize("line", ["Blocks", "Blocks: = 4 | 5", "Blocks: = 4 | 4: No.", "2. Half: = 0.5"])
def test_numbers_to_try_are_a_label_a_number_and_hints(project, line):
    page = TRY.replace("      Half: = 0.5\n", f"      {line}\n")
    assert "predict: " in project.build_error(page)


def test_a_page_with_an_error_fails_the_next_build_too(project):
    assert "predict: " in project.build_error(TRY.replace("Half: = 0.5", "2. Half: = 0.5"))
    assert "predict: " in project.build().wrong()


def test_a_book_without_a_dictionary_has_all_its_directives():
    """A reader's machine has no Enchant: only the spelling builder may ask for it."""
    code = (
        "import sys; from unittest.mock import MagicMock; sys.modules['enchant'] = None; import directives; directives.setup(MagicMock())"
    )
    folder = Path(directives.__file__).parents[1]
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}, check=True)


def test_a_page_links_to_the_repository_where_its_address_is_known(project):
    page = ".. repository-link:: The source"
    assert "The source" not in project.build_page(page)
    with (project.book / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write("conflict_free_repository = 'https://example.org/book'\n")
    assert re.search('<p><a [^>]*href="https://example.org/book">The source</a></p>', project.build_page(page))
