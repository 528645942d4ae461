"""Released numbers have the decimals of their column, compared with exact arithmetic."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.domain import Partition, Precision, Records, RoundedColumn, Scale
from shoal.errors import OptionError, ShoalWarning
from shoal.recode import recode

STEPS = st.lists(st.lists(st.integers(-(10**7), 10**7), min_size=1, max_size=7), min_size=1, max_size=8)


def recode_groups(groups: list[list[float]], precision: Precision, **options: Any) -> np.ndarray:
    """What each record of these groups shows."""
    column = np.array([[value] for group in groups for value in group])
    labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    records = Records(("a",), column, Scale.standardized(column), np.ones(1))
    given: dict[str, Any] = {"recodings": {"a": "mean"}, "precisions": {"a": precision}, **options}
    released = recode(records, Partition(labels, k=1, method="none"), **given)["a"]
    assert isinstance(released, RoundedColumn)
    return released.numbers


def half_even(number: Fraction) -> int:
    return round(number)


@given(STEPS, st.integers(0, 4))
def test_a_mean_is_the_nearest_decimal_number_and_a_half_the_even_one(groups: list[list[int]], count: int) -> None:
    unit = 10**count
    displayed = recode_groups([[step / unit for step in group] for group in groups], Precision(0, count))
    expected = [float(Fraction(round(Fraction(sum(group), len(group))), unit)) for group in groups for _ in group]
    assert displayed.tolist() == expected
    assert not np.signbit(displayed[displayed == 0]).any()


@given(STEPS, st.integers(0, 4))
def test_totals_are_kept_on_the_decimals_of_the_column(groups: list[list[int]], count: int) -> None:
    unit, everyone = 10**count, [*groups, *([step] for step in (0, 1))]
    displayed = recode_groups(
        [[step / unit for step in group] for group in everyone], Precision(0, count), keep_totals=True
    )
    steps = np.rint(displayed * unit)
    assert (steps / unit == displayed).all()
    start = 0
    for group in everyone:
        mean = Fraction(sum(group), len(group))
        assert int(steps[start]) in (mean.__floor__(), mean.__ceil__())
        start += len(group)
    assert abs(int(steps.sum()) - sum(map(sum, everyone))) <= max(map(len, everyone))


@pytest.mark.parametrize(("values", "displayed"), [([12.3, 12.4], 12.4), ([0.15, 0.25], 0.2), ([2.5, 2.5], 2.5)])
def test_halves_are_those_of_decimal_numbers_not_of_floats(values: list[float], displayed: float) -> None:
    places = max(len(repr(value).partition(".")[2]) for value in values)
    exact = sum(map(Decimal, map(repr, values))) / 2
    assert float(exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN)) == displayed
    assert set(recode_groups([values], Precision(0, places)).tolist()) == {displayed}


def test_a_narrow_type_shows_what_it_holds() -> None:
    values = np.array([12.1, 12.1, 12.3], dtype=np.float32).astype(np.float64)
    displayed = recode_groups([values[:2].tolist(), values[2:].tolist()], Precision(0, 1, "float32"))
    assert displayed.tolist() == values.tolist()  # nothing is lost where all of a group agree


FRAME = pl.DataFrame(
    {
        "age": pl.Series([20, 21, 23, 60, 64, 65], dtype=pl.Int8),
        "height": [171.5, 172.0, 172.1, 181.3, 183.2, 185.0],
        "noise": [0.1234567890123456, 0.2, 0.3, 5.1, 5.2, 5.3],
        "pay": [Decimal("12.50"), Decimal("13.10"), Decimal("11.05"), Decimal("99.99"), Decimal("90.00"), Decimal("1")],
    }
)
ASKED: dict[str, Any] = {"k": 3, "quasi_identifiers": FRAME.columns, "method": "mdav"}


def test_a_release_keeps_types_and_decimals() -> None:
    released = shoal.anonymize(FRAME, **ASKED).table
    assert released.schema == FRAME.schema
    assert released.row(0) == (21, 171.9, pytest.approx(0.20781892967078), Decimal("12.22"))
    assert released.row(5) == (63, 183.2, pytest.approx(5.2), Decimal("63.66"))


def test_exact_means_have_all_digits() -> None:
    release = shoal.anonymize(FRAME, **ASKED, exact_means=True)
    assert release.table.dtypes == [pl.Float64] * 4
    assert release.table["age"][0] == pytest.approx(64 / 3, rel=1e-15)
    assert release.policy.options["exact_means"] is True


def test_figures_are_those_of_the_rounded_values() -> None:
    release = shoal.anonymize(FRAME, **ASKED)
    again = shoal.evaluate(FRAME, release.table, k=3, quasi_identifiers=FRAME.columns)
    assert release.evaluation.information_loss == pytest.approx(again.information_loss, rel=1e-12)
    assert (
        release.evaluation.information_loss
        > shoal.anonymize(FRAME, **ASKED, exact_means=True).evaluation.information_loss
    )


def test_the_older_option_is_understood_with_a_warning() -> None:
    with pytest.warns(ShoalWarning, match="round_integers is deprecated"):
        rounded = shoal.anonymize(FRAME, **ASKED, round_integers=True)
    with pytest.warns(ShoalWarning, match="use exact_means=True"):
        exact = shoal.anonymize(FRAME, **ASKED, round_integers=False)
    assert rounded.table.equals(shoal.anonymize(FRAME, **ASKED).table)
    assert exact.table.equals(shoal.anonymize(FRAME, **ASKED, exact_means=True).table)
    assert "round_integers" not in rounded.policy.options


def test_exact_means_and_kept_totals_do_not_go_together() -> None:
    with pytest.raises(OptionError, match=r"leave out keep_totals= or exact_means="):
        shoal.anonymize(FRAME, **ASKED, exact_means=True, keep_totals=True)


def test_missing_cells_do_not_change_the_type() -> None:
    frame = FRAME.with_columns(pl.when(pl.int_range(6) == 2).then(None).otherwise(pl.col("age")).alias("age"))
    for way in ("category", "wildcard", "impute", "suppress"):
        released = shoal.anonymize(frame, **{**ASKED, "k": 2}, missing_values=way).table
        assert released.schema == FRAME.schema


@pytest.mark.parametrize("text", ["a,b\n1,12.50\n2,13.50\n3,1.25\n4,2.25\n", "a;b\n1;12,50\n2;13,50\n3;1,25\n4;2,25\n"])
def test_a_file_is_written_with_the_decimals_that_all_of_its_cells_have(tmp_path, text: str) -> None:
    path, target = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_text(text)
    shoal.anonymize(path, k=2, quasi_identifiers=["a", "b"], method="mdav").save(target)
    mark = text[1]
    rows = ["2", "2", "4", "4"], ["13.00", "13.00", "1.75", "1.75"]
    lines = [mark.join(cells) for cells in zip(*rows, strict=True)]
    expected = "\n".join([f"a{mark}b", *lines, ""])
    assert target.read_text() == (expected if mark == "," else expected.replace(".", ","))
