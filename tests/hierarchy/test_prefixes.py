"""Prefix hierarchies of codes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy import Hierarchy


def test_postcodes_are_masked_from_the_right() -> None:
    tree = Hierarchy.from_prefixes(["08034", "08901", "28001"])
    assert tree.path("08034") == ("08034", "0803*", "080**", "08***", "0****", "*")
    assert tree.lcs("08034", "08901") == "08***"
    assert tree.lcs("08034", "28001") == "*"


def test_some_lengths_only() -> None:
    tree = Hierarchy.from_prefixes(["J45.1", "J45.9", "J46"], lengths=(1, 3), mask="")
    assert tree.path("J45.1") == ("J45.1", "J45", "J", "*")
    assert tree.path("J46") == ("J46", "J", "*")
    assert Hierarchy.from_prefixes(["A01.11", "A01.2"], lengths=3).children("*") == ("A01***",)


def test_without_a_mask_a_shorter_code_is_an_inner_node() -> None:
    tree = Hierarchy.from_prefixes(["2111", "2", "21", "2112", "3"], mask="", root="all")
    assert tree.path("2111") == ("2111", "211", "21", "2", "all")
    assert tree.leaves == ("2111", "2112", "3")


def test_codes_of_different_lengths_meet_in_what_they_share() -> None:
    tree = Hierarchy.from_prefixes(["J45.1", "J45"])
    assert tree.path("J45") == ("J45", "J45**", "J4***", "J****", "*")
    assert tree.lcs("J45", "J45.1") == "J45**"


def test_a_value_that_is_masked_already_is_that_node() -> None:
    tree = Hierarchy.from_prefixes(["08034", "08***", "*", "0803*"])
    assert tree.leaves == ("08034",)
    assert tree.path("08***") == ("08***", "0****", "*")


def test_cuts_at_separators() -> None:
    tree = Hierarchy.from_prefixes(["1.10.2", "1.9.1", "1.10", "2"], separators=".")
    assert tree.path("1.10.2") == ("1.10.2", "1.10.*", "1.*", "*")
    assert tree.path("1.10") == ("1.10", "1.10.*", "1.*", "*")
    assert tree.path("2") == ("2", "*")
    plain = Hierarchy.from_prefixes(["1.10-2", "1.9", "1.10"], separators=".-", mask="")
    assert plain.path("1.10-2") == ("1.10-2", "1.10", "1", "*")


def test_spaces_around_a_code_belong_to_its_name() -> None:
    tree = Hierarchy.from_prefixes([" 12", "12", "SW1 A"], mask="")
    assert tree.path(" 12") == (" 12", "12", "1", "*")
    assert tree.path("SW1 A") == ("SW1 A", "SW1", "SW", "S", "*")


def test_numbers_and_other_alphabets() -> None:
    assert Hierarchy.from_prefixes([12, 13]).children("1*") == ("12", "13")
    assert Hierarchy.from_prefixes(["東京都", "東京"]).path("東京") == ("東京", "東京*", "東**", "*")


@pytest.mark.parametrize("options", [{}, {"mask": ""}, {"lengths": 1}, {"separators": "."}])
@pytest.mark.parametrize("value", ["7", "1.2"])
def test_one_value(options: dict[str, Any], value: str) -> None:
    tree = Hierarchy.from_prefixes([value], **options)
    assert (tree.leaves, tree.root) == ((value,), "*")


@given(
    st.lists(st.text("01.* ", min_size=1, max_size=5).filter(str.strip), min_size=1),
    st.sampled_from([{}, {"lengths": (1, 3)}, {"separators": "."}]),
    st.sampled_from(["*", "", "x"]),
)
def test_any_codes_are_a_tree_with_all_of_them(values: list[str], options: dict[str, Any], mask: str) -> None:
    if set(values) == {"*"}:
        return
    tree = Hierarchy.from_prefixes(values, mask=mask, **options)
    assert set(values) <= set(tree)
    for value in set(values) - {"*"}:
        for name in tree.path(value)[1:-1]:
            beginning = name.rstrip(mask).rstrip(".") if mask else name
            assert value.strip().startswith(beginning)


def test_bad_values_and_options() -> None:
    with pytest.raises(HierarchyError, match="no value"):
        Hierarchy.from_prefixes([])
    with pytest.raises(HierarchyError, match="1 of 2 values is empty"):
        Hierarchy.from_prefixes(["1", " "])
    with pytest.raises(HierarchyError, match="one node only"):
        Hierarchy.from_prefixes(["*"])
    for options in ({"mask": "**"}, {"mask": None}, {"lengths": 0}, {"lengths": []}, {"lengths": ("1",)}):
        with pytest.raises(OptionError, match=f"'{next(iter(options))}'"):
            Hierarchy.from_prefixes(["1"], **options)  # type: ignore[arg-type]
    for separators in ("", "*", 5):
        with pytest.raises(OptionError, match="'separators'"):
            Hierarchy.from_prefixes(["1"], separators=separators)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="either lengths or separators"):
        Hierarchy.from_prefixes(["1"], separators=".", lengths=1)


def test_a_mask_that_is_part_of_a_code() -> None:
    for separators in (None, "."):
        with pytest.raises(OptionError, match="give one character that no code has"):
            Hierarchy.from_prefixes(["08000", "09.12"], mask="0", separators=separators)
    assert Hierarchy.from_prefixes(["08*", "083"]).path("083") == ("083", "08*", "0**", "*")
    assert Hierarchy.from_prefixes(["081", "083"], mask="#").parent("083") == "08#"
