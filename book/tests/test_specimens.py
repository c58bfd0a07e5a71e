"""Programs that show errors, with the model's findings."""

import re

import pytest
import synthetic
from test_directives import replace_in, text_of

RACE = {
    "kind": "race",
    "kernel": "broken",
    "lines": [{"file": "broken.cu", "line": 4}, {"file": "broken.cu", "line": 2}],
    "message": "two threads touch the same bytes",
}


def test_a_specimen_shows_its_kernel_and_its_counts(project):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    html = text_of(project.build_page(".. specimen:: broken"))
    assert "chapters/errata/broken.cu, lines 2–5" in html
    assert "The program finds no fault in its output. The model says: no hazard" in html
    assert "shared load: 1 instruction, 4 wavefronts, 3 conflicts" in html
    assert "shared store" not in html


def test_a_specimen_shows_its_hazards_and_not_its_counts(project):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report(hazards=(RACE,), exit_code=1))
    html = text_of(project.build_page(".. specimen:: broken"))
    assert "The program finds its output wrong." in html
    assert "race at lines 2 and 4: two threads touch the same bytes" in html
    assert "no hazard" not in html and "conflicts" not in html


def test_launches_that_count_the_same_are_shown_once(project):
    report = synthetic.specimen_report()
    report["kernels"] += [*report["kernels"], *synthetic.specimen_report(conflicts=7)["kernels"]]
    synthetic.write_specimen(project.chapters, project.counts, report)
    html = text_of(project.build_page(".. specimen:: broken"))
    assert html.count("3 conflicts") == 1 and html.count("7 conflicts") == 1


def test_a_specimen_that_is_counted_on_an_older_machine_shows_both(project):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    synthetic.write_json(project.counts / "errata" / "broken.gt200.json", synthetic.specimen_report(conflicts=0))
    html = text_of(project.build_page(".. specimen:: broken"))
    assert "3 conflicts Of the same program on gt200 it says: no hazard shared load: 1 instruction, 1 wavefront, 0 conflicts" in html


def test_a_specimen_shows_what_was_measured_where_it_was(project):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    assert "measured" not in text_of(project.build_page(".. specimen:: broken"))
    synthetic.write_figures(project.results, {"cycles": 6.9})
    synthetic.write_figures(project.results, {"cycles": 7.7}, "local")
    html = text_of(project.build_page(".. specimen:: broken"))
    assert re.search(r"What broken measured. Invented GPU 1, .*? cycles 6.90 .*? cycles 7.70", html)


def test_a_figure_of_a_specimen_is_a_value(project):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    synthetic.write_figures(project.results, {"cycles": 6.9})
    html = project.build_page("It takes :val:`errata.broken.cycles` cycles. :claim:`Few [errata.broken.cycles < 7]`.")
    assert re.search(r'<span class="val"[^>]*>6.90<', html) and "cycles of broken: Invented GPU 1" in html


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("errata.broken.wavefronts", "no figure 'errata.broken.wavefronts' on invented; broken has: cycles"),
        ("errata.nothing.cycles", "no figure 'errata.nothing.cycles' on invented; nothing has: none"),
        ("errata.broken", "malformed; accepted: errata.SPECIMEN.FIGURE"),
    ],
)
def test_a_figure_that_is_not_there_fails(project, key, message):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    synthetic.write_figures(project.results, {"cycles": 6.9})
    assert message in project.build_error(f":val:`{key}`")


@pytest.mark.parametrize("page", [".. specimen:: broken", ":val:`errata.broken.cycles`"])
def test_a_figure_of_a_specimen_that_has_changed_since_fails(project, page):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    synthetic.write_figures(project.results, {"cycles": 6.9})
    replace_in(project.chapters / "errata" / "broken.cu", "= 1;", "= 2;")
    assert "stale: errata.broken" in project.build_error(page)


@pytest.mark.parametrize(("name", "message"), [("nothing", "nothing.cu"), ("broken", "there is no report")])
def test_a_specimen_without_its_program_or_report_fails(project, name, message):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    (project.counts / "errata" / "broken.json").unlink()
    assert message in project.build_error(f".. specimen:: {name}")
