"""Coverage of a column by a hierarchy."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.coverage import coverage

PLACES = Hierarchy.from_edges(
    [
        ("North-Bay", "Coast"),
        ("South Bay", "Coast"),
        ("Coast", "*"),
        ("Hills", "*"),
        ("HILLS", "*"),
        ("Straße", "Hills"),
    ]
)


def test_all_values_are_there() -> None:
    result = coverage(PLACES, {"North-Bay": 20, "Coast": 1_200})
    assert result
    assert result.ok
    assert result.text() == result.text(values=True) == "2 values in 1,220 records: all are in the hierarchy"
    assert (result.nodes, result.value_nodes, result.inner_values) == (7, 2, 1)
    assert result.missing == ()


COUNTS = {"Coast": 10, "north bay": 3, "SOUTH_bay ": 4, "hills": 2, "Nroth-Bay": 5, "Moon": 5}


def test_some_are_not() -> None:
    result = coverage(PLACES, COUNTS, close=True)
    assert not result
    assert result.missing == ("Moon", "Nroth-Bay", "SOUTH_bay ", "north bay", "hills")
    assert (result.values, result.records, result.missing_values, result.missing_records) == (6, 29, 5, 19)
    assert result.mappings == {"SOUTH_bay ": "South Bay", "north bay": "North-Bay"}
    assert result.suggestions == {"Nroth-Bay": ("North-Bay",), "hills": ("Hills", "HILLS")}
    assert result.text() == (
        "5 of 6 values (19 of 29 records) are not in the hierarchy; 2 of them differ only in case, spaces or hyphens"
    )
    assert result.text(values=True).splitlines()[1:] == [
        "  'Moon' (5 records)",
        "  'Nroth-Bay' (5 records), close to 'North-Bay'",
        "  'SOUTH_bay ' (4 records) -> 'South Bay'",
        "  'north bay' (3 records) -> 'North-Bay'",
        "  'hills' (2 records), close to 'Hills', 'HILLS'",
    ]
    assert coverage(PLACES, {"Moon": 1}).text() == "1 of 1 value (1 of 1 record) is not in the hierarchy"


def test_close_spellings_only_when_asked_for() -> None:
    assert not coverage(PLACES, COUNTS).suggestions


def test_values_are_shown_on_request_only() -> None:
    result = coverage(PLACES, COUNTS, close=True)
    for text in (repr(result), result.text(), str(result.to_dict())):
        assert not any(word in text.lower() for word in ("bay", "moon", "hills"))
    plain = result.to_dict(values=True)
    assert plain["missing"]["Moon"] == 5
    assert plain["mappings"]["north bay"] == "North-Bay"
    assert plain["suggestions"]["hills"] == ["Hills", "HILLS"]
    assert result.to_dict() == {key: plain[key] for key in result.to_dict()}
    assert result.to_dict()["mappable_values"] == 2


@pytest.mark.parametrize("value", ["STRASSE", "ｓｔｒａｓｓｅ", " strasse "])
def test_forms_of_letters_do_not_matter(value: str) -> None:
    assert coverage(PLACES, {value: 1}).mappings == {value: "Straße"}


def test_a_column_or_its_counts() -> None:
    column = ["Coast", "Coast", "Moon", None, float("nan"), 7]
    result = PLACES.coverage(column)
    assert (result.values, result.records, result.missing) == (3, 4, ("7", "Moon"))
    assert result.text().endswith("; 2 records have no value")
    assert result.to_dict()["records_without_value"] == 2
    counts = {"Coast": 2, "Moon": 1, 7: 1, "Hills": 0}
    assert PLACES.coverage(counts) == replace(result, empty_records=0)
    assert coverage(PLACES, counts, records=5).text().endswith("; 1 record has no value")
    assert "no value" not in PLACES.coverage(counts).text()
    for wrong in ("Coast", 7, [["Coast"]], {"Coast": 1.5}, {"Coast": None}):
        with pytest.raises(OptionError, match="'values'"):
            PLACES.coverage(wrong)


def test_only_so_many_close_spellings_are_sought() -> None:
    result = coverage(PLACES, {f"South Bay{number}": 1 for number in range(300)}, close=True)
    assert len(result.suggestions) == 200


def test_mapped_values_are_leaves_below_their_nodes() -> None:
    result = PLACES.coverage(COUNTS)
    wider = PLACES.with_values({**result.mappings, "Moon": "*"})
    assert wider.parent("north bay") == "North-Bay"
    assert wider.children("*") == ("Coast", "Hills", "HILLS", "Moon")
    assert wider.lcs("north bay", "North-Bay") == "North-Bay"
    assert wider.coverage(COUNTS).missing == ("Nroth-Bay", "hills")
    # what is there stays as it is, and so does its order
    assert [node for node in wider if node in PLACES] == list(PLACES)
    assert wider.with_values(result.mappings) == wider
    assert PLACES.with_values({}) == PLACES


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"Moon": "Sky"}, "no node of that name"),
        ({"Moon": ["*"]}, "no node of that name"),
        ({"Coast": "Hills"}, "two parents"),
        ({"Coast": "Coast"}, "cycle"),
        ({"*": "Coast"}, "cycle"),
        ({" ": "Coast"}, "no name"),
    ],
)
def test_mappings_that_fit_no_tree(mapping: dict[str, str], message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        PLACES.with_values(mapping)


@given(st.dictionaries(st.text(max_size=6), st.integers(0, 9)))
def test_any_text_and_any_count(counts: dict[str, int]) -> None:
    result = coverage(PLACES, counts, close=True)
    assert result.records == sum(counts.values())
    assert result.ok == (result.missing_records == 0)
    assert set(result.mappings) | set(result.suggestions) <= set(result.missing)
    assert not set(result.mappings) & set(result.suggestions)


@pytest.mark.parametrize("wrong", [None, [("Moon", "*")], "Moon"])
def test_what_is_no_mapping(wrong: object) -> None:
    with pytest.raises(OptionError, match="'mapping'"):
        PLACES.with_values(wrong)  # type: ignore[arg-type]


def test_one_value_that_is_there() -> None:
    assert coverage(PLACES, {"Coast": 2}).text() == "1 value in 2 records: it is in the hierarchy"
