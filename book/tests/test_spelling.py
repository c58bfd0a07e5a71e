"""The spelling builder finds misspelled words; the list of words holds only used ones, in order."""

import pickle
import re
from pathlib import Path

import pytest

BOOK = Path(__file__).resolve().parents[1]
WORDS = (BOOK / "words.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def misspelled(project):
    """Return the messages of the builder about a page, with the book's own settings."""

    def build(text: str) -> str:
        with open(project.book / "conf.py", "a", encoding="utf-8") as conf:
            conf.write(
                "extensions.append('sphinxcontrib.spelling')\n"
                "spelling_lang = 'en_US'\n"
                f"spelling_word_list_filename = {str(BOOK / 'words.txt')!r}\n"
                "spelling_filters = ['directives.spelling.Identifiers']\n"
                "spelling_warning = True\n"
                "spelling_ignore_contributor_names = False\n"
            )
        project.page(text)
        return re.sub(r"\x1b\[[\d;]*m", "", project.build("spelling").warnings)

    return build


@pytest.mark.parametrize("word", ["wavefornt", "neighbour", "modelled", "recieve"])
def test_a_misspelled_word_is_found(misspelled, word):
    assert f"Spell check: {word}" in misspelled(f"A {word} of a warp.")


def test_a_page_that_the_spelling_builder_reads_keeps_its_quotation_marks(misspelled, project):
    assert misspelled('A "warp" of lanes.') == ""
    [read] = (project.folder / "doctrees-spelling").glob("index.doctree")
    assert "“warp”" in pickle.loads(read.read_bytes()).astext()


def test_words_of_the_book_and_names_of_code_are_known(misspelled, monkeypatch):
    monkeypatch.setenv("GIT_DIR", "/nowhere")  # git, which refuses folders of other users, is not asked who wrote the page
    assert misspelled("The wavefronts of ``wavefornt`` and cudaSuccess, in GiB, with neighbors.") == ""


def test_the_list_is_sorted_and_used():
    assert WORDS == sorted(set(WORDS), key=lambda word: (word.lower(), word))
    sources = [
        *BOOK.glob("*.rst"),
        *BOOK.glob("assignments/*.rst"),
        *(BOOK.parent / "chapters").glob("*/assignment/brief.rst"),
        BOOK.parent / "common" / "python" / "conflict_free" / "grading" / "refusals.py",
        *(BOOK.parent / "common" / "harness" / "include").rglob("*.hpp"),
        *BOOK.rglob("_ext/**/*.py"),
    ]
    text = "Subclassed by, which Breathe writes.\n" + "\n".join(path.read_text(encoding="utf-8") for path in sources)
    assert [word for word in WORDS if word not in text] == []
