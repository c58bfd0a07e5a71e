"""Tests of the parts of the mutation test, without the model: wrong data is refused, and no wrong mutant passes."""

import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import building
import catalog
import figures
import judging

KIND = "remove a barrier"
FIND = "barrier();"


def entry(find=FIND, replace="", **rest):
    """The row of a mutant, which races unless its outcome is given."""
    return [find, replace, rest if "harmless" in rest else {"expect": ["race"], **rest}]


def make_folder(tmp_path, row, source="barrier();\nbarrier();\nload();\n", kind=KIND, id="m"):
    """A folder with one subject and one mutant."""
    *texts, rest = row
    keys = ", ".join(f"{key} = {value!r}" for key, value in rest.items())
    table = f'sizes = ["1"]\n[{json.dumps(kind)}]\n{json.dumps(id)} = [{"".join(f"{text!r}, " for text in texts)}{{{keys}}}]\n'
    for folder, name, text in (("subjects", "s.cu", source), ("mutants", "s.toml", table)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text)
    return tmp_path


def mutant(**changes):
    return catalog._read_mutant("s", KIND, "m", entry(**changes))


def seen(hazards=(), conflicts=0, right=True, errors=0):
    counts = {"shared_load.conflicts": conflicts, "global_load.sectors": 8}
    return judging.Observation(frozenset(hazards), counts, right, errors, ())


def test_the_real_data_is_sound_and_large_enough():
    subjects = catalog.load(pathlib.Path(__file__).parent)
    mutants = [each for subject in subjects for each in subject.mutants]
    assert len(mutants) >= 100
    assert {each.kind for each in mutants} == set(catalog.KINDS)


def test_an_occurrence_is_replaced_and_no_other(tmp_path):
    (subject,) = catalog.load(make_folder(tmp_path, entry(occurrence=2)))
    assert subject.mutants[0].apply(subject.source) == "barrier();\n\nload();\n"


@pytest.mark.parametrize(
    "row, message",
    [
        (entry(), "occurs 2 times"),
        (entry("gone();"), r"no text 'gone\(\);'"),
        (entry(occurrence=3), "occurrence 3 given"),
        (entry("load();", "load();"), "changes nothing"),
        (entry(expect=["rain"]), "rain given"),
        (entry(expect=[]), "may not be empty"),
        ([FIND, "", {"expect": ["race"], "harmless": "both"}], "either 'expect' or 'harmless'"),
        (entry(findd="x"), r"unknown keys \['findd'\]"),
        ([FIND, {"expect": ["race"]}], "a text, its replacement and a table"),
    ],
)
def test_wrong_data_is_refused(tmp_path, row, message):
    with pytest.raises(catalog.CatalogError, match=message):
        catalog.load(make_folder(tmp_path, row))


@pytest.mark.parametrize("name, message", [({"kind": "magic"}, "magic, sizes given"), ({"id": "a b"}, "letters, digits")])
def test_wrong_names_are_refused(tmp_path, name, message):
    with pytest.raises(catalog.CatalogError, match=message):
        catalog.load(make_folder(tmp_path, entry(occurrence=1), **name))


def test_a_subject_without_mutants_is_refused(tmp_path):
    folder = make_folder(tmp_path, entry(occurrence=1))
    (folder / "subjects" / "alone.cu").write_text("")
    with pytest.raises(catalog.CatalogError, match="alone"):
        catalog.load(folder)


def test_a_correct_subject_may_show_nothing():
    assert judging.complaint_about_subject(seen()) == ""
    assert "race" in judging.complaint_about_subject(seen(["race"]))
    assert judging.complaint_about_subject(seen(right=False)) == "wrong result"
    assert judging.complaint_about_subject(seen(errors=1)) == "wrong result"
    assert judging.complaint_about_subject(judging.no_report("it crashed"))


def complaint(which, observation):
    return judging.complaint_about_mutant(which, judging.detectors(observation, seen()))


def test_a_mutant_has_to_be_caught_as_expected():
    assert complaint(mutant(), seen(["race"], right=False)) == ""
    assert complaint(mutant(), seen(right=False)) == "not caught by race; seen: wrong result"
    assert "unexpected: deadlock" in complaint(mutant(), seen(["race", "deadlock"]))
    assert complaint(mutant(also=["deadlock"]), seen(["race", "deadlock"])) == ""
    assert complaint(mutant(expect=["race", "uninitialized"]), seen(["race"])) == "not caught by uninitialized; seen: race"
    assert complaint(mutant(expect=["conflicts"]), seen(conflicts=1)) == ""
    assert complaint(mutant(expect=["conflicts"]), seen()) == "not caught by conflicts; seen: nothing"
    assert complaint(mutant(), judging.no_report("it crashed"))


def test_a_harmless_mutant_may_show_nothing():
    assert complaint(mutant(harmless="it is idle"), seen()) == ""
    for observation in (seen(["race"]), seen(conflicts=1), seen(right=False), seen(errors=1)):
        assert "harmless (it is idle), but seen" in complaint(mutant(harmless="it is idle"), observation)


def test_variants_share_their_includes():
    text = building.combine({"a": '#include "x.hpp"\nint main() {}', "b": '#include "x.hpp"\nint main() {}'})
    assert text.count('#include "x.hpp"') == 1
    assert "namespace a {" in text and "b::main(argc - 1" in text


def test_the_section_is_replaced_where_it_is(tmp_path):
    subjects = catalog.load(make_folder(tmp_path, entry(occurrence=1)))
    page = tmp_path / "model.md"
    page.write_text("# Model\n")
    assert not figures.is_current(page, subjects)
    figures.write(page, subjects)
    page.write_text(page.read_text().replace("1 mutants", "2 mutants") + "\n## More\n")
    assert not figures.is_current(page, subjects)
    figures.write(page, subjects)
    assert figures.is_current(page, subjects)
    assert page.read_text().startswith("# Model\n") and page.read_text().endswith("## More\n")
    assert page.read_text().count(figures.BEGIN) == 1
