"""Risks of Adult as other programs print them, and attacks on it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal

KEYS = ["occupation", "native-country"]


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> pl.DataFrame:
    return pl.read_csv(data_folder / "adult.csv")


@pytest.fixture(scope="module")
def figures(adult: pl.DataFrame) -> shoal.Evaluation:
    return shoal.evaluate(adult, adult, quasi_identifiers=KEYS, k=2, sensitive="income", measures="all")


def test_classes_and_global_risk(adult: pl.DataFrame, figures: shoal.Evaluation) -> None:
    risks = figures.after
    assert (figures.records, risks["classes"], risks["k_violations"], risks["unique_records"]) == (30162, 394, 84, 84)
    assert round(risks["global_risk"], 6) == 1.306279
    assert shoal.evaluate(adult, adult, quasi_identifiers=KEYS, k=5).after["k_violations"] == 497


def test_prosecutor_journalist_and_marketer_follow(figures: shoal.Evaluation) -> None:
    risks = figures.after
    for who in ("prosecutor", "journalist"):
        assert risks[f"{who}_highest"] == 1
        assert risks[f"{who}_average"] == pytest.approx(394 / 30162)
        assert risks[f"{who}_at_risk"] == pytest.approx(100 * 497 / 30162)
    assert risks["marketer"] == pytest.approx(394 / 30162)


def test_a_part_of_adult_looked_up_in_all_of_it(adult: pl.DataFrame) -> None:
    part = adult[::3]
    risks = shoal.evaluate(part, part, quasi_identifiers=KEYS, population=adult).after
    f, F = (frame.group_by(KEYS).len() for frame in (part, adult))  # noqa: N806
    both = f.join(F, on=KEYS, suffix="_all")
    assert risks["journalist_highest"] == 1 / both["len_all"].min()
    assert risks["marketer"] == pytest.approx((both["len"] / both["len_all"]).sum() / part.height)
    few = both.filter(pl.col("len_all") < 5)["len"].sum()
    assert risks["journalist_at_risk"] == pytest.approx(100 * few / part.height)
    assert risks["journalist_average"] == pytest.approx(max(both.height / both["len_all"].sum(), risks["marketer"]))
    assert risks["journalist_average"] < risks["prosecutor_average"]


def test_attacks_on_the_table_as_it_is(figures: shoal.Evaluation) -> None:
    attacks = figures.attacks
    assert attacks["record_linkage"] == pytest.approx(figures.after["global_risk"])
    assert attacks["record_linkage_tried"] == 30162
    assert attacks["minimal_uniques"] == attacks["minimal_uniques_before"] == 84


def test_incomes_that_the_classes_give_away(adult: pl.DataFrame, figures: shoal.Evaluation) -> None:
    disclosure = figures.disclosures["income"]
    classes = adult.group_by(KEYS).agg(
        pl.len().alias("records"), pl.col("income").n_unique().alias("values"), pl.col("income").unique_counts().max()
    )
    alone = classes.filter(pl.col("values") == 1)
    assert (disclosure["distinct_l"], disclosure["homogeneous_classes"]) == (1, alone.height)
    assert disclosure["homogeneous_records"] == pytest.approx(100 * alone["records"].sum() / 30162)
    assert disclosure["guessed"] == pytest.approx(100 * classes["income"].sum() / 30162)
    assert disclosure["guessed_before"] == pytest.approx(100 * 22654 / 30162)
    proof = shoal.verify(adult, k=2, quasi_identifiers=KEYS, models={"income": ["t-equal(1)", "entropy-l(1.5)"]})
    assert [check.reached for check in proof.models] == [disclosure["closeness"], disclosure["entropy_l"]]
