"""Interval hierarchies of numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError, OptionError, on_command_line
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.builders import format_fraction, parse_fraction

AGES = [17, 18, 23, 24, 25, 40, 65, 99]


def contains(name: str, place: Fraction) -> bool:
    """Whether an interval holds a number, from what its name says."""
    if name == "*":
        return True
    if match := re.fullmatch(r"\[(.+), (.+)\)", name):
        return Fraction(match[1]) <= place < Fraction(match[2])
    sign, end = name.split(" ")
    return place < Fraction(end) if sign == "<" else place >= Fraction(end)


def test_one_width() -> None:
    tree = Hierarchy.from_intervals([31, 20, 29, -1], width=10)
    assert tree.nodes == ("-1", "[-10, 0)", "20", "29", "[20, 30)", "31", "[30, 40)", "*")


def test_several_widths() -> None:
    tree = Hierarchy.from_intervals(["20", "25.5"], width=(5, 10, "20"), root="any")
    assert tree.path("25.5") == ("25.5", "[25, 30)", "[20, 30)", "[20, 40)", "any")


def test_cuts_are_open_outside() -> None:
    tree = Hierarchy.from_intervals(AGES, cuts=(65, 18))
    assert tree.children("*") == ("< 18", "[18, 65)", ">= 65")
    assert tree.children(">= 65") == ("65", "99")


def test_several_levels_of_cuts_and_what_they_share_is_one_node() -> None:
    tree = Hierarchy.from_intervals(AGES, cuts=[(18, 25, 65), (18, 65)])
    assert tree.path("24") == ("24", "[18, 25)", "[18, 65)", "*")
    assert tree.path("17") == ("17", "< 18", "*")
    assert Hierarchy.from_intervals(AGES, cuts=[[18]]) == Hierarchy.from_intervals(AGES, cuts=18)


def test_quantiles_have_as_many_values_each() -> None:
    tree = Hierarchy.from_intervals(AGES, quantiles=(4, 2))
    assert [tree.children(name) for name in tree.children("< 25")] == [("17", "18"), ("23", "24")]
    assert tree.children("*") == ("< 25", ">= 25")
    assert Hierarchy.from_intervals([1, 1, 1, 2, 3, 4], quantiles=2).children("*") == ("< 2", ">= 2")


def test_there_are_no_more_quantiles_than_numbers() -> None:
    """However many are asked for, and as soon as for a few."""
    assert Hierarchy.from_intervals(AGES, quantiles=10**15) == Hierarchy.from_intervals(AGES, quantiles=len(AGES))


def test_ties_leave_fewer_quantiles() -> None:
    assert Hierarchy.from_intervals([7, 7, 7, 7, 8], quantiles=4).nodes == ("7", "8", "*")
    assert Hierarchy.from_intervals([7, 7], quantiles=2).nodes == ("7", "*")


def test_fractions_are_exact() -> None:
    tree = Hierarchy.from_intervals(["0.3", "0.7", "0.29999999999999999"], width=0.1)
    assert tree.parent("0.3") == "[0.3, 0.4)"
    assert tree.parent("0.7") == "[0.7, 0.8)"
    assert tree.parent("0.29999999999999999") == "[0.2, 0.3)"


def test_leaves_are_the_texts_of_the_column() -> None:
    values = [np.int64(5), 5.0, "5.00", " 5 ", "+5", "5e0", np.float64(2.5)]
    tree = Hierarchy.from_intervals(values, width=1)
    assert set(tree.leaves) == {"5", "5.00", " 5 ", "+5", "5e0", "2.5"}
    assert len(tree.children("[5, 6)")) == 5


@pytest.mark.parametrize("options", [{"width": 10}, {"quantiles": 4}, {"cuts": [18]}])
def test_one_value(options: dict[str, Any]) -> None:
    tree = Hierarchy.from_intervals([20], **options)
    assert (tree.leaves, tree.root) == (("20",), "*")


@given(
    st.lists(st.decimals(-1000, 1000, places=2), min_size=1),
    st.one_of(
        st.tuples(st.just("width"), st.sampled_from([1, "0.25", (5, 10, 30), (0.1, 1)])),
        st.tuples(st.just("quantiles"), st.sampled_from([2, 5, (8, 4, 2), (6, 3)])),
        st.tuples(st.just("cuts"), st.sampled_from([0, (-10, 10.5), [(1, 2, 3), (1, 3), (3,)]])),
    ),
)
def test_every_node_holds_all_below_it(values: list[Any], option: tuple[str, Any]) -> None:
    tree = Hierarchy.from_intervals(values, **{option[0]: option[1]})
    assert {*tree.leaves} == {str(value) for value in values}
    for leaf in tree.leaves:
        assert all(contains(name, Fraction(leaf)) for name in tree.path(leaf)[1:])
    assert [Fraction(leaf) for leaf in tree.leaves] == sorted(Fraction(leaf) for leaf in tree.leaves)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3))
def test_numbers_are_written_in_plain_digits(value: Any) -> None:
    text = format_fraction(Fraction(value))
    assert re.fullmatch(r"-?\d+(\.\d*[1-9])?", text)
    assert Fraction(text) == Fraction(value)


@pytest.mark.parametrize(
    "text", ["", "x", "nan", "inf", "1_000", "٣", "1,5", "1e9999", "1e-9999", "9" * 500, "0x1", "--1"]
)
def test_what_is_no_number(text: str) -> None:
    assert parse_fraction(text) is None


def test_values_that_are_no_numbers_are_counted() -> None:
    with pytest.raises(HierarchyError, match="2 of 4 values are not finite numbers") as caught:
        Hierarchy.from_intervals([1, "secret", float("inf"), 2], width=1)
    assert "secret" not in str(caught.value)
    with pytest.raises(HierarchyError, match="2 of 3 values are empty"):
        Hierarchy.from_intervals([1, None, float("nan")], width=1)
    with pytest.raises(HierarchyError, match="no value"):
        Hierarchy.from_intervals([], width=1)
    for values in ("12", 12, None, [10**5000]):
        with pytest.raises(OptionError, match="'values'"):
            Hierarchy.from_intervals(values, width=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "width"),
        ({"width": 5, "cuts": [1]}, "width"),
        ({"width": 0}, "width"),
        ({"width": -5}, "width"),
        ({"width": "wide"}, "width"),
        ({"width": []}, "width"),
        ({"width": (5, 12)}, "width"),
        ({"width": (10, 5)}, "width"),
        ({"quantiles": 1}, "quantiles"),
        ({"quantiles": 2.5}, "quantiles"),
        ({"quantiles": (4, 3)}, "quantiles"),
        ({"quantiles": ()}, "quantiles"),
        ({"cuts": []}, "cuts"),
        ({"cuts": [[]]}, "cuts"),
        ({"cuts": ["low"]}, "cuts"),
        ({"cuts": [(1, 2), (1, 3)]}, "cuts"),
        ({"width": 5, "root": " "}, "root"),
    ],
)
def test_bad_options(options: dict[str, Any], name: str) -> None:
    with pytest.raises(OptionError, match=f"'{name}'"):
        Hierarchy.from_intervals(AGES, **options)


def test_the_hint_names_the_options_of_the_command_line() -> None:
    for options in ({}, {"width": 5, "cuts": [5]}):
        with pytest.raises(OptionError, match="give one of width, quantiles and cuts") as raised:
            Hierarchy.from_intervals([1, 2], **options)
        assert "(--width, --cuts, --quantiles)" in on_command_line(raised.value.sentence)
