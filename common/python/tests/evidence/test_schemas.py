"""Tests the parts of a value that a schema does not accept."""

import datetime

from conflict_free.schemas import Misfit, Schema

TIME = {"type": "object", "required": ["median"], "properties": {"median": {"type": "number", "minimum": 0}}}
ROWS = Schema(
    {
        "type": "object",
        "required": ["rows"],
        "properties": {"rows": {"type": "array", "items": {"properties": {"time": {"oneOf": [{"type": "null"}, TIME]}}}}},
    }
)


def test_nothing_is_wrong():
    assert ROWS.misfits({"rows": [{"time": None}, {"time": {"median": 1.5}}, {}]}) == []


def test_what_is_nearest_to_the_top_comes_first():
    found = ROWS.misfits({"rows": [{"time": {"median": -1}}, {"time": {"median": "x"}}, {"time": {}}]})
    assert found == [
        Misfit(("rows", "0", "time", "median"), "-1 is less than the minimum of 0"),
        Misfit(("rows", "1", "time", "median"), '"x" is not of type "number"'),
        Misfit(("rows", "2", "time"), '"median" is a required property'),
    ]
    assert ROWS.misfits({}) == [Misfit((), '"rows" is a required property')]


def test_of_alternatives_the_one_that_comes_furthest_speaks():
    [found] = ROWS.misfits({"rows": [{"time": {"wrong": 1}}]})
    assert found.text == '"median" is a required property'


def test_a_value_that_json_does_not_have():
    [found] = ROWS.misfits({"rows": [datetime.date(2026, 1, 1)]})
    assert found == Misfit((), "Unsupported type: 'date'")


def test_of_a_long_message_the_ends_remain():
    [found] = Schema({"const": "x", "type": "integer"}).misfits("y" * 1000)[:1]
    assert len(found.text) <= 300
