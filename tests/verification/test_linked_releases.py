"""Joint classes of two releases, compared with naive counting, for every way of linking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive import linked_releases as naive
from shoal.verification import linked_releases

WORDS = st.sampled_from(["flu", "gout", "burn", None])
FEW = st.integers(0, 2)


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Two small tables, some persons in both; `age` is a quasi-identifier of both, `job` only of the second."""
    persons = draw(
        st.lists(
            st.fixed_dictionaries({"visits": FEW, "ill": WORDS, "cost": st.integers(0, draw(st.sampled_from([1, 9])))}),
            min_size=1,
            max_size=9,
        )
    )
    extra = draw(st.booleans())

    def table(*, mine: bool) -> list[dict[str, Any]]:
        chosen = draw(st.permutations(persons))[: draw(st.integers(1, len(persons)))]
        own = {"job": FEW} if not mine else {"note": WORDS} if extra else {}
        return [{"age": draw(FEW), **{name: draw(values) for name, values in own.items()}, **row} for row in chosen]

    return table(mine=True), table(mine=False)


def counted(side: Any) -> dict[str, Any]:
    return {
        **{name: getattr(side, name) for name in ("linked", "absent", "violations", "unique_records", "undecided")},
        "told": {told.column: (told.records, told.undecided) for told in side.inferences},
    }


def frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    types = {"age": pl.Int64, "job": pl.Int64, "visits": pl.Int64, "cost": pl.Int64, "ill": pl.String}
    types["note"] = pl.String
    return pl.DataFrame(rows, schema={name: types[name] for name in rows[0]})


@given(releases(), st.integers(2, 4), st.booleans())
def test_what_is_counted_is_what_a_slow_count_finds(tables: Any, k: int, ordered: bool) -> None:
    rows, others = tables
    ordered = ordered and len(rows) == len(others)
    arguments = {"sensitive": ["ill", *(["note"] if "note" in rows[0] else [])]}
    expected = naive.together(
        rows, others, k=k, known=["age"], other_known=["age", "job"], ordered=ordered, **arguments
    )
    result = shoal.verify(
        frame(rows),
        k=k,
        quasi_identifiers="age",
        against=frame(others),
        against_quasi_identifiers=["age", "job"],
        order="kept" if ordered else "unknown",
        **arguments,
    ).together
    assert (counted(result.release), counted(result.other)) == expected
    lost = [side["violations"] + side["undecided"] + sum(map(sum, side["told"].values())) for side in expected]
    assert result.ok is (sum(lost) == 0)


@given(releases(), st.integers(2, 4), st.integers(0, 12))
def test_values_that_are_not_followed_make_nothing_safe_and_nothing_sure(tables: Any, k: int, pairs: int) -> None:
    rows, others = tables
    exact = naive.together(rows, others, k=k, known=["age"], other_known=["age"], sensitive=["ill"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linked_releases, "_MAX_PAIRS", pairs)
        patch.setattr(linked_releases, "_BATCH_SIZE", 2)
        arguments = {
            "against": frame(others),
            "against_quasi_identifiers": "age",
            "order": "unknown",
            "sensitive": "ill",
        }
        result = shoal.verify(frame(rows), k=k, quasi_identifiers="age", **arguments).together
    for side, known in zip((result.release, result.other), exact, strict=True):
        assert side.violations <= known["violations"]
        assert side.violations + side.undecided >= known["violations"] + known["undecided"]
        (told,) = side.inferences
        assert told.records <= known["told"]["ill"][0]
        assert told.records + told.undecided >= sum(known["told"]["ill"])


PEOPLE = pl.DataFrame(
    {
        "birth": [1964, 1964, 1965, 1965, 1965, 1965, 1967, 1967],
        "sex": ["f", "m", "m", "f", "f", "m", "f", "m"],
        "ill": ["obesity", "fever", "fever", "cough", "angina", "angina", "cough", "obesity"],
        "bill": [110, 120, 130, 140, 150, 160, 170, 180],
    }
)
BY_BIRTH = PEOPLE.with_columns(birth=pl.Series([1964, 1964, 1965, 1965, 1965, 1965, 1967, 1967])).with_columns(sex=None)
BY_SEX = PEOPLE.with_columns(birth=None)


def test_two_releases_that_are_two_anonymous_give_away_together_whom_each_hides() -> None:
    arguments = {"k": 2, "quasi_identifiers": ["birth", "sex"]}
    assert shoal.verify(BY_BIRTH, **arguments)
    assert shoal.verify(BY_SEX, **arguments)
    for order in (None, "kept", "unknown"):
        result = shoal.verify(BY_BIRTH, **arguments, against=BY_SEX, order=order)
        assert not result
        pairs = result.together
        assert pairs.linked_by == ("columns" if order == "unknown" else "order")
        assert (pairs.n_classes, pairs.min_class, pairs.release.violations, pairs.release.unique_records) == (
            6,
            1,
            4,
            4,
        )
        assert result.verdict == "Together not k-anonymous: 4 of 8 records are in joint classes below k = 2"


def test_a_value_that_is_left_over_is_told_though_no_class_gives_it_away() -> None:
    """Intersection: each class has two illnesses, and both classes of a person have one in common."""
    one = pl.DataFrame({"age": [1, 1, 2, 2], "ill": ["flu", "gout", "flu", "gout"]})
    other = pl.DataFrame({"age": [1, 1, 2, 2], "ill": ["flu", "burn", "gout", "rash"]})
    arguments = {"k": 2, "quasi_identifiers": "age", "against": other, "models": {"ill": "distinct-l(2)"}}
    result = shoal.verify(one, **arguments)
    assert not result
    assert result.violations == 0
    assert result.models[0].ok
    assert result.together.release.inferences[0].records == 4
    assert result.together.other.absent == 2


def test_releases_that_share_no_person_and_releases_that_are_the_same_hold() -> None:
    strangers = PEOPLE.with_columns(pl.col("bill") + 1000, birth=None)
    arguments = {"k": 2, "quasi_identifiers": ["birth", "sex"]}
    result = shoal.verify(BY_BIRTH, **arguments, against=strangers)
    assert result
    assert (result.together.linked_by, result.together.release.absent, result.together.min_class) == (
        "columns",
        8,
        None,
    )
    for order in ("kept", "unknown", None):
        same = shoal.verify(BY_BIRTH, **arguments, against=BY_BIRTH, order=order)
        assert same
        assert (same.together.n_classes, same.together.min_class) == (3, 2)


def test_nothing_in_common_leaves_every_class_whole() -> None:
    arguments = {"k": 2, "quasi_identifiers": ["birth", "sex"], "order": "unknown"}
    result = shoal.verify(BY_BIRTH.drop("bill"), **arguments, against=BY_SEX.drop("ill", "bill"), sensitive="ill")
    assert result
    assert result.together.linked_by == "nothing"
    arguments["order"] = None
    ordered = shoal.verify(BY_BIRTH.drop("ill", "bill"), **arguments, against=BY_SEX.drop("bill"))
    assert (ordered.together.linked_by, ordered.ok) == ("order", False), (
        "as many records, and nothing speaks against an order"
    )


KNOWN = ["age", "sex", "region", "income"]
REST = {"person_id", "name", "birth_date", "postcode", "marital_status", "education", "occupation"}
REST |= {"household_size", "height_cm", "weight_kg", "admission_date"}


def released(method: str, **options: Any) -> Any:
    return shoal.anonymize(
        shoal.example_register(rows=300, seed=2),
        k=4,
        quasi_identifiers=KNOWN,
        identifiers=sorted(REST),
        sensitive="diagnosis",
        method=method,
        refine=False,
        **options,
    )


def test_two_methods_on_one_table_fail_and_one_partition_recoded_twice_holds() -> None:
    first, second = released("mdav"), released("mondrian")
    recoded = released("mdav", recode={"age": "interval", "income": "median"})
    assert (first.partition.labels == recoded.partition.labels).all()
    arguments = {"k": 4, "quasi_identifiers": KNOWN}
    mixed = second.table.sample(fraction=1.0, shuffle=True, seed=1)
    for other in (second.table, mixed):
        assert shoal.verify(other, **arguments)
        assert not shoal.verify(first.table, **arguments, against=other)
    for other in (recoded.table, recoded.table.sample(fraction=1.0, shuffle=True, seed=1)):
        assert shoal.verify(first.table, **arguments, against=other)


DAYS = ["2024-01-01", "2024-02-01", "2024-03-01", None]
HELD = {
    "decimal": (pl.Series([5, 6, 7, None]), pl.Series(["5.00", "6.00", "7.00", None]).cast(pl.Decimal(9, 2))),
    "float": (pl.Series([5, 6, 7, None]), pl.Series([5.0, 6.0, 7.0, float("nan")])),
    "short float": (pl.Series([0.1, 0.2, 0.3, None]), pl.Series([0.1, 0.2, 0.3, None], dtype=pl.Float32)),
    "long whole": (pl.Series([2**60 + i for i in range(4)]), pl.Series([2**60 + i for i in range(4)], dtype=pl.UInt64)),
    "day": (pl.Series(DAYS).str.to_date(), pl.Series(DAYS).str.to_datetime("%Y-%m-%d")),
    "day with its time": (pl.Series(DAYS).str.to_date(), pl.Series([day and f"{day}T00:00:00" for day in DAYS])),
    "day and word": (pl.Series(["2024-01-01", "b", "c", None]), pl.Series(["2024-01-01", "b", "c", None])),
    "category": (pl.Series(["a", "b", "c", None]), pl.Series(["a", "b", "c", None], dtype=pl.Categorical)),
    "word and number": (pl.Series(["5", "6", "7", "x"]), pl.Series(["5", "6", "7", "x"])),
}


@pytest.mark.parametrize("held", HELD)
def test_values_are_the_same_whatever_holds_them(tmp_path: Path, held: str) -> None:
    import pandas as pd

    one = pl.DataFrame({"q": [1, 1, 2, 2], "link": HELD[held][0]})
    other = pl.DataFrame({"q": [1, 2, 1, 2], "link": HELD[held][1]})[::-1]
    other.write_csv(tmp_path / "other.csv")
    other.write_parquet(tmp_path / "other.parquet")
    plain = pd.DataFrame({name: pd.Series(other[name].to_list()) for name in other.columns})
    for source in (other, plain, tmp_path / "other.csv", tmp_path / "other.parquet"):
        if held == "short float" and source is plain:
            continue  # what pandas was given are other numbers
        result = shoal.verify(one, k=2, quasi_identifiers="q", against=source).together
        assert (result.linked_by, result.release.linked, result.release.unique_records, result.n_classes) == (
            "columns",
            4,
            4,
            4,
        ), source


def test_common_values_that_are_not_followed_leave_it_open_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    one = pl.DataFrame({"q": [1, 1, 2, 2], "ill": ["flu", "gout", "flu", "gout"]})
    other = pl.DataFrame({"q": [1, 1, 2, 2], "ill": ["flu", "gout", "flu", "burn"]})
    arguments = {"k": 2, "quasi_identifiers": "q", "against": other, "sensitive": "ill"}
    assert shoal.verify(one, **arguments).together.release.inferences[0].undecided > 0
    monkeypatch.setattr(linked_releases, "_MAX_PAIRS", 0)
    (told,) = shoal.verify(one, **arguments).together.release.inferences
    assert (told.records, told.undecided) == (0, 2)


def test_what_cannot_be_asked() -> None:
    arguments = {"k": 2, "quasi_identifiers": "birth"}
    for name, value in {"order": "kept", "sensitive": "ill", "against_quasi_identifiers": "sex"}.items():
        with pytest.raises(shoal.ShoalError, match="is about another release, and none is given"):
            shoal.verify(PEOPLE, **arguments, **{name: value})
    with pytest.raises(shoal.ShoalError, match="8 records and the other 7"):
        shoal.verify(PEOPLE, **arguments, against=PEOPLE[:7], order="kept")
    with pytest.raises(shoal.ShoalError, match="There is no order 'keep'"):
        shoal.verify(PEOPLE, **arguments, against=PEOPLE, order="keep")
    with pytest.raises(shoal.ShoalError, match="none of the quasi-identifiers"):
        shoal.verify(PEOPLE, **arguments, against=PEOPLE.drop("birth"))
    with pytest.raises(shoal.ShoalError, match="household"):
        shoal.verify(PEOPLE, **arguments, against=PEOPLE, households="sex")
    with pytest.raises(shoal.ShoalError, match="'il'"):
        shoal.verify(PEOPLE, **arguments, against=PEOPLE, sensitive="il")


def test_strata_are_known_in_both() -> None:
    one = pl.DataFrame({"age": [1] * 4, "region": ["n", "n", "s", "s"], "cost": [1, 2, 3, 4]})
    assert shoal.verify(one, k=2, quasi_identifiers="age", strata="region", against=one)
    assert not shoal.verify(one, k=3, quasi_identifiers="age", against=one.with_columns(age=pl.Series([1, 1, 2, 2])))


def test_what_is_told_names_no_cell_and_has_stable_keys() -> None:
    result = shoal.verify(BY_BIRTH, k=2, quasi_identifiers=["birth", "sex"], against=BY_SEX, sensitive="ill")
    facts = result.to_dict()["together"]
    assert list(facts) == [
        *("ok", "k", "linked_by", "shared_columns", "joint_classes", "min_joint_class", "release", "other", "advice")
    ]
    assert list(facts["release"]) == [
        *("records", "quasi_identifiers", "linked", "absent", "k_violations", "unique_records", "undecided", "told")
    ]
    text = json.dumps(facts) + result._repr_html_()
    assert not any(word in text for word in ("angina", "obesity", "cough", "1964", "170"))
    assert "together" not in shoal.verify(BY_BIRTH, k=2, quasi_identifiers=["birth", "sex"]).to_dict()


def test_shuffled_releases_are_not_in_one_order_though_they_have_as_many_rows(tmp_path: Path) -> None:
    table = shoal.example_register(rows=60).select("age", "income")
    for number, shuffle in enumerate((False, True)):
        for name, method in (("one", "mondrian"), ("two", "mdav")):
            release = shoal.anonymize(table, k=3, quasi_identifiers=["age", "income"], method=method, shuffle=shuffle)
            release.save(tmp_path / f"{name}-{number}.csv")
        result = shoal.verify(
            tmp_path / f"one-{number}.csv",
            k=3,
            quasi_identifiers=["age", "income"],
            against=tmp_path / f"two-{number}.csv",
        )
        assert result.together.linked_by == ("nothing" if shuffle else "order")
        assert result.ok == shuffle
