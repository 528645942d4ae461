"""One record explained, beside naive counting."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.domain import Policy
from shoal.errors import ColumnError, DataError, OptionError, PolicyError
from shoal.release.explain import MAX_MEMBERS, ColumnCombination

NAMES = ["age", "sex", "job"]
ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["f", "m"]), st.sampled_from(["baker", "cook", None])),
    min_size=1,
    max_size=20,
)
PEOPLE = pl.DataFrame(
    {
        "age": [30, 31, 30, 31, 60, 61],
        "sex": ["f", "f", "m", "m", "f", "f"],
        "job": ["baker", "baker", "cook", None, "cook", "cook"],
        "ill": ["flu", "gout", "flu", "flu", "gout", "gout"],
    }
)
RELEASED = pl.DataFrame(
    {
        "age": [30.5] * 4 + [60.5] * 2,
        "sex": ["*"] * 4 + ["f", "f"],
        "job": ["*"] * 4 + ["cook", "cook"],
        "ill": ["flu", "gout", "flu", "flu", "gout", "gout"],
    }
)


def framed(rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"age": pl.Int64, "sex": pl.String, "job": pl.String}, orient="row")


@given(ROWS, st.data())
def test_an_explanation_counts_as_naive_code_does(rows, data) -> None:
    place, k = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(2, 6))
    row, result = rows[place], shoal.explain(framed(rows), row=place + 1, quasi_identifiers=NAMES, k=k)

    def sharing(columns) -> int:
        return sum(all(other[j] == row[j] for j in columns) for other in rows)

    assert (result.alike, result.records) == (sharing([0, 1, 2]), len(rows))
    assert result.risk == pytest.approx(1 / result.alike)
    assert [column.sharing for column in result.columns] == [sharing([j]) for j in range(3)]
    assert [column.without for column in result.columns] == [sharing({0, 1, 2} - {j}) for j in range(3)]
    assert [column.value for column in result.columns] == [None if cell is None else str(cell) for cell in row]
    every = [chosen for size in (1, 2, 3) for chosen in combinations(range(3), size)]
    for below, given_ in ((2, result.unique_by), (k, result.below_k_by)):
        small = [one for one in every if sharing(one) < below]
        least = [one for one in small if not any(set(other) < set(one) for other in small)]
        assert list(given_) == [ColumnCombination(tuple(NAMES[j] for j in one), sharing(one)) for one in least]
    assert result.release is None


def test_what_became_of_a_record() -> None:
    result = shoal.explain(PEOPLE, row=1, quasi_identifiers=NAMES, released=RELEASED, k=2, sensitive="ill")
    assert (result.alike, result.risk) == (1, 1.0)
    assert [(c.value, c.released, c.changed) for c in result.columns] == [
        ("30", "30.5", True), ("f", "*", True), ("baker", "*", True),
    ]  # fmt: skip
    assert result.release is not None
    assert (result.release.alike, result.release.risk, result.release.members) == (4, 0.25, (1, 2, 3, 4))
    (ill,) = result.release.sensitive
    assert (ill.name, ill.distinct, ill.homogeneous) == ("ill", 2, False)
    assert list(ill.values.items()) == [("flu", 3), ("gout", 1)]
    last = shoal.explain(PEOPLE, row=6, quasi_identifiers=NAMES, released=RELEASED, sensitive="ill")
    assert last.release.sensitive[0].homogeneous
    assert [column.changed for column in last.columns] == [True, False, False]
    assert last.below_k_by == ()


def test_without_values_no_cell_is_told() -> None:
    frame = PEOPLE.with_columns(pl.col("age") + 4711)
    released = RELEASED.with_columns(pl.col("age") + 4711)
    options = {"row": 2, "quasi_identifiers": NAMES, "released": released, "sensitive": "ill"}
    told, silent = shoal.explain(frame, **options), shoal.explain(frame, **options, values=False)
    assert told.notice == "Internal use only: this names values of one record."
    assert silent.notice == "Internal use only: this is about one record."
    assert next(iter(told.to_dict())) == "notice"
    for word in ("flu", "gout", "baker", "4742", "4741.5"):
        assert word in str(told.to_dict()), word
        assert word not in repr(silent), word


def test_members_are_the_first_of_many() -> None:
    frame = pl.DataFrame({"age": [1] * 50})
    result = shoal.explain(frame, row=50, quasi_identifiers="age", released=frame).release
    assert result.members == tuple(range(1, MAX_MEMBERS + 1))
    assert result.more == 50 - MAX_MEMBERS


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    PEOPLE.with_columns(weight=pl.Series([2.0, 2, 2, 2, 5, 5])).write_csv(tmp_path / "people.csv")
    release = shoal.anonymize(
        tmp_path / "people.csv", k=2, quasi_identifiers=NAMES, sensitive="ill", sampling_weights="weight"
    )
    release.save(tmp_path / "released.csv")
    return tmp_path


def test_a_policy_tells_the_columns_k_and_the_release(saved: Path) -> None:
    path = saved / "released.csv.policy.toml"
    result = shoal.explain(saved / "people.csv", row=5, policy=path)
    assert (result.k, result.alike, [column.name for column in result.columns]) == (2, 1, NAMES)
    assert result.risk == pytest.approx(np.log(5) / 4)  # f = 1 and F = 5
    assert result.release is not None
    assert result.release.alike >= 2
    assert [one.name for one in result.release.sensitive] == ["ill"]
    assert result == shoal.explain(saved / "people.csv", row=5, policy=path, released=saved / "released.csv")
    assert shoal.explain(saved / "people.csv", row=5, policy=replace(Policy.read(path), path=None)).release is None
    with (saved / "released.csv").open("a") as file:
        file.write("9,f,cook,flu,1\n")
    assert shoal.explain(saved / "people.csv", row=5, policy=path).release is None, "another file than the policy made"


def test_wildcards_of_a_policy_count() -> None:
    frame = pl.DataFrame({"a": ["A", "A", "A", "B", "B", None], "b": ["x", "x", None, "y", "y", "y"]})
    policy = shoal.anonymize(frame, k=2, quasi_identifiers=["a", "b"], missing_values="wildcard").policy
    assert [shoal.explain(frame, row=row, policy=policy).alike for row in range(1, 7)] == [3, 3, 4, 3, 3, 4]


def test_bad_questions_are_refused_in_a_sentence(saved: Path) -> None:
    for row in (0, 7, -1, "1", 1.0, True, None):
        with pytest.raises(OptionError, match=r"among the 6 records of the table; give row= .* from 1 to 6"):
            shoal.explain(PEOPLE, row=row, quasi_identifiers=NAMES)
    with pytest.raises(ColumnError, match="no column 'height'"):
        shoal.explain(PEOPLE, row=1, quasi_identifiers="height")
    with pytest.raises(ColumnError, match="No quasi-identifier is named"):
        shoal.explain(PEOPLE, row=1)
    with pytest.raises(ColumnError, match="The release has no column 'job'"):
        shoal.explain(PEOPLE, row=1, quasi_identifiers=NAMES, released=RELEASED.drop("job"))
    with pytest.raises(DataError, match=r"6 .* 5"):
        shoal.explain(PEOPLE, row=1, quasi_identifiers=NAMES, released=RELEASED[:5])
    for given_ in ({"k": 2}, {"quasi_identifiers": "age"}, {"sensitive": "ill"}):
        with pytest.raises(PolicyError, match=f"decides '{next(iter(given_))}' already"):
            shoal.explain(PEOPLE, row=1, policy=saved / "released.csv.policy.toml", **given_)
    with pytest.raises(PolicyError, match="A int is not a policy"):
        shoal.explain(PEOPLE, row=1, policy=3)


def test_an_explanation_reads_as_the_command_prints_it() -> None:
    told = str(shoal.explain(PEOPLE, row=2, quasi_identifiers=NAMES, values=False))
    assert told.startswith("Internal use only: this is about one record.\n\nRecord 2 of 6\n")


def test_many_columns_take_no_time() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{j}": rng.integers(0, 90, 400) for j in range(120)})
    start = time.process_time()
    result = shoal.explain(frame, row=1, quasi_identifiers=frame.columns)
    assert len(result.unique_by) > 3000
    assert time.process_time() - start < 2
