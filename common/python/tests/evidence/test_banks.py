"""Which bank holds a word, and how the sentences of a picture say it."""

import pytest

from conflict_free.evidence.banks import bank_of, fullest_bank, lanes_by_bank, words_of
from conflict_free.evidence.sentences import plural, ranges


def test_words_go_round_the_banks_of_the_machine():
    assert [bank_of(word, 32) for word in (0, 31, 32, 65)] == [0, 31, 0, 1]
    assert [bank_of(word, 16) for word in (0, 31, 32, 65)] == [0, 15, 0, 1]


def test_a_bank_serves_the_lanes_of_its_words():
    assert list(lanes_by_bank([[0, 33], [1, 0], [2, 33]], 32).items()) == [(0, [1]), (1, [0, 2])]


@pytest.mark.parametrize(("words", "most"), [([], 0), ([5], 1), ([0, 1, 2], 1), ([0, 32, 64, 1], 3)])
def test_the_fullest_bank_has_most_of_the_words(words, most):
    assert fullest_bank(words, 32) == most


def test_a_word_of_several_lanes_or_wavefronts_is_one():
    assert words_of({"wavefronts": [[[0, 7], [1, 7]], [[2, 39], [3, 7]]]}) == {7, 39}


def test_numbers_are_for_readers():
    assert ranges([0, 4, 5, 6, 9]) == "0, 4–6, 9"
    assert (plural(1, "lane"), plural(0, "lane")) == ("1 lane", "0 lanes")
