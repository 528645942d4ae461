"""What every engine must do: the same tests in memory, out of core on this machine, and on Spark."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from out_of_core_options import OPTION_SETS, OPTIONS, QUASI_IDENTIFIERS, with_gaps

import shoal
from shoal.engines import memory_budget
from shoal.errors import ColumnError, DataError, OptionError

ROWS = 1200
NUMBERS = ["age", "height_cm"]


class Made(NamedTuple):
    """A release and its file."""

    frame: pl.DataFrame
    release: Any
    policy: Path


Releaser = Callable[..., Made]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use small parts, so that a small table has many of them."""
    monkeypatch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 300)


@pytest.fixture(params=["memory", "local", "spark"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Releaser:
    """Release a frame with one of the engines, or repeat a release by its policy."""
    engine = request.param
    if engine == "spark":
        request.getfixturevalue("spark")

    def made(table: pl.DataFrame, name: str = "out", policy: Path | None = None, **options: Any) -> Made:
        source, target = tmp_path / "in.parquet", tmp_path / f"{name}.parquet"
        table.write_parquet(source)
        release: Any
        if engine == "memory":
            release = shoal.replay(source, policy=policy) if policy else shoal.anonymize(source, **options)
            release.save(target)
        elif policy:
            release = shoal.replay_file(source, target, policy=policy, engine=engine)
        else:
            release = shoal.anonymize_file(source, target, engine=engine, **options)
        files = sorted(target.glob("*.parquet")) if target.is_dir() else [target]
        frame = pl.concat([pl.read_parquet(file) for file in files])
        return Made(frame, release, target.with_name(f"{target.name}.policy.toml"))

    return made


def register() -> pl.DataFrame:
    return shoal.example_register(ROWS)


def in_table_order(made: Made, table: pl.DataFrame, names: list[str]) -> bool:
    return all(made.frame[name].equals(table[name]) for name in names)


@pytest.mark.parametrize("more", [{}, *OPTION_SETS, {"shuffle": True}], ids=["plain", "first", "second", "shuffled"])
def test_classes_hold_and_no_record_or_value_is_lost(make: Releaser, more: dict[str, Any]) -> None:
    table = with_gaps(ROWS)
    made = make(table, **{**OPTIONS, **more})
    assert made.release.verification.ok
    models = {check.column: check.model for check in made.release.verification.models}
    assert shoal.verify(made.frame, k=OPTIONS["k"], quasi_identifiers=QUASI_IDENTIFIERS, models=models).ok
    assert made.frame.height == ROWS
    assert {"person_id", "name"}.isdisjoint(made.frame.columns)
    kept = [name for name in made.frame.columns if name not in QUASI_IDENTIFIERS]
    if more.get("shuffle"):
        assert not in_table_order(made, table, kept)
        assert all(made.frame[name].sort().equals(table[name].sort()) for name in kept)
    else:
        assert in_table_order(made, table, kept)


def test_groups_never_cross_strata(make: Releaser) -> None:
    table = register()
    made = make(table, **{**OPTIONS, "quasi_identifiers": NUMBERS, "method": "mdav", "strata": ["region", "sex"]})
    assert shoal.verify(made.frame, k=4, quasi_identifiers=NUMBERS, strata=["region", "sex"]).ok
    # means of groups that stay within their stratum keep its total
    for name in NUMBERS:
        totals = [
            frame.group_by("region", "sex").agg(pl.col(name).cast(pl.Float64).mean()).sort("region", "sex")
            for frame in (table, made.frame)
        ]
        assert totals[1][name].to_list() == pytest.approx(totals[0][name].to_list(), abs=0.51)


def test_models_hold_in_every_stratum(make: Releaser) -> None:
    options = {**OPTIONS, "quasi_identifiers": NUMBERS, "strata": "sex", "sensitive": "diagnosis", "l": 3}
    made = make(register(), **options)
    models = {"diagnosis": "distinct-l(3)"}
    for sex in made.frame["sex"].unique().to_list():
        stratum = made.frame.filter(pl.col("sex") == sex)
        assert shoal.verify(stratum, k=4, quasi_identifiers=NUMBERS, models=models).ok


def test_a_stratum_below_k_is_refused(make: Releaser) -> None:
    table = register().with_columns(
        wave=pl.when(pl.int_range(ROWS) < 3).then(pl.lit("first")).otherwise(pl.lit("next"))
    )
    with pytest.raises(DataError, match="1 of 2 strata"):
        make(table, **{**OPTIONS, "strata": "wave"})


def test_a_model_that_a_stratum_cannot_meet_is_refused(make: Releaser) -> None:
    table = register().with_columns(
        diagnosis=pl.when(pl.col("sex") == "female").then(pl.lit("none")).otherwise(pl.col("diagnosis"))
    )
    options = {**OPTIONS, "quasi_identifiers": NUMBERS, "strata": "sex", "sensitive": "diagnosis", "l": 3}
    with pytest.raises(OptionError, match=r"stratum of \d+ records"):
        make(table, **options)


def test_a_search_with_a_time_limit_can_be_repeated(make: Releaser) -> None:
    table = register()
    options = {**OPTIONS, "quasi_identifiers": NUMBERS, "method": "mdav", "time_limit": 0.4}
    made = make(table, **options)
    assert made.release.policy.refinement.steps_planned
    again = make(table, "again", policy=made.policy)
    assert again.frame.equals(made.frame)
    unlimited = make(table, "fast", **{**options, "time_limit": None, "effort": "fast"})
    assert made.release.evaluation.information_loss <= 1.05 * unlimited.release.evaluation.information_loss


def homes(table: pl.DataFrame) -> pl.DataFrame:
    """The register in households of two or three, whose members are far from each other and live in one region."""
    number = pl.int_range(table.height) * 7919 % (2 * table.height // 5)
    return table.with_columns(
        home=pl.lit("home ") + number.cast(pl.String), region="region-" + (number % 3).cast(pl.String)
    )


HOMES = {**OPTIONS, "quasi_identifiers": NUMBERS, "households": "home"}


def assert_households_are_hidden(made: Made, **options: Any) -> None:
    """Assert that members are in one class, and that each class has k households."""
    assert made.release.verification.ok
    assert made.release.verification.unit == "households"
    assert shoal.verify(made.frame, k=4, quasi_identifiers=NUMBERS, households="home", **options).ok
    members = made.frame.group_by("home").agg(pl.struct(NUMBERS).n_unique().alias("classes"))
    assert members["classes"].max() == 1


@pytest.mark.parametrize(
    "more",
    [
        {"method": "mdav"},
        {"strata": "region"},
        {"strata": "region", "sensitive": "diagnosis", "l": 3},
        {"refine": True, "effort": "fast", "method": "mdav"},
        {"max_suppression": 0.05, "recode": "generalize", "shuffle": True},
        {"sampling_weights": "weight", "exact_means": True},
    ],
    ids=lambda more: "-".join(more),
)
def test_members_stay_together_and_k_counts_households(make: Releaser, more: dict[str, Any]) -> None:
    table = homes(register()).with_columns(weight=1.0 + pl.int_range(ROWS) % 7)
    made = make(table, **{**HOMES, **more})
    models = {"diagnosis": "distinct-l(3)"} if "sensitive" in more else None
    assert_households_are_hidden(made, strata=more.get("strata", ()), models=models)
    assert made.frame.height == ROWS
    assert sorted(made.frame["home"]) == sorted(table["home"])


@pytest.mark.parametrize("design", [{"strata": "region"}, {"households": "home"}], ids=lambda design: "".join(design))
def test_risks_are_those_of_the_whole_table(make: Releaser, design: dict[str, str]) -> None:
    """Equal records may be in different parts."""
    table = homes(register()).with_columns(pl.col(NUMBERS) // 10 * 10)
    made = make(table, **{**HOMES, "households": None, **design})
    options = {"quasi_identifiers": NUMBERS, "k": 4}
    other = shoal.evaluate(table, made.frame, **options, households=design.get("households"))
    mine = made.release.evaluation
    for family in ("before", "after", "loss"):
        for name, figure in getattr(mine, family).items():
            if figure is not None and (name, family) != ("household_risk", "before"):
                assert math.isclose(figure, getattr(other, family)[name], rel_tol=1e-9), name
    in_pieces = any("attacks are not measured" in note for note in mine.notes)
    notes = [note for note in mine.notes if "household risk is not measured" in note]
    assert len(notes) == (in_pieces and "households" in design)


def test_a_release_with_households_can_be_repeated(make: Releaser) -> None:
    table = homes(register())
    made = make(table, **HOMES)
    assert make(table, "again", policy=made.policy).frame.equals(made.frame)


def test_sampling_weights_weight_means_and_risks(make: Releaser) -> None:
    table = register().with_columns(weight=1.0 + pl.int_range(ROWS) % 7)
    options = {**OPTIONS, "quasi_identifiers": NUMBERS, "exact_means": True, "sampling_weights": "weight"}
    made = make(table, **options)
    for name in NUMBERS:
        assert made.frame.select((pl.col(name) * pl.col("weight")).sum()).item() == pytest.approx(
            table.select((pl.col(name) * pl.col("weight")).sum()).item()
        )
    other = shoal.evaluate(table, made.frame, quasi_identifiers=NUMBERS, k=4, sampling_weights="weight")
    for mine, theirs in ((made.release.evaluation.before, other.before), (made.release.evaluation.after, other.after)):
        for name, figure in mine.items():
            assert figure is None or math.isclose(figure, theirs[name], rel_tol=1e-9), name
    assert (
        other.after["global_risk"] != other.after["re_identification"] if "re_identification" in other.after else True
    )


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"k": 5000}, OptionError, "5,000"),
        ({"quasi_identifiers": ["agee"]}, ColumnError, "agee"),
        ({"strata": ["regions"]}, ColumnError, "regions"),
        ({"bounds": {"age": (0, 50)}}, DataError, r"outside its bounds in \d+ of 1,200 records \(the first is record"),
        ({"sensitive": ["diagnosis"], "l": 40}, OptionError, "distinct-l"),
        ({"sampling_weights": "weight"}, DataError, "weight.* 172 of 1,200 records"),
        ({"sampling_weights": "region"}, ColumnError, "region"),
        (
            {"households": "lost"},
            DataError,
            r"lost' names no household in 3 of 1,200 records \(the first is record 5\)",
        ),
        ({"households": "home", "strata": "sex"}, DataError, r"The members of \d+ households are in different strata"),
        (
            {"households": "few"},
            DataError,
            r"households?.* has 134 members, more than the 20 .*too large: 9 households",
        ),
        (
            {"households": "few", "strata": "region", "largest_household": 200},
            DataError,
            "3 of 3 strata .*fewer than k = 4 households",
        ),
        ({"households": "few", "largest_household": 1200, "k": 30}, OptionError, "30.*households"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_bad_decisions_get_the_same_sentence(
    make: Releaser, tmp_path: Path, more: dict[str, Any], error: type[Exception], message: str
) -> None:
    row = pl.int_range(ROWS)
    table = homes(register()).with_columns(
        weight=row % 7, lost=pl.when((row > 3) & (row < 7)).then(None).otherwise(row), few=row % 9
    )
    with pytest.raises(error, match=message):
        make(table, **{**OPTIONS, **more})
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


@pytest.mark.parametrize("more", [{}, {"households": "home", "method": "mdav"}], ids=["persons", "households"])
def test_one_part_has_the_bytes_of_a_release_in_memory(
    make: Releaser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    monkeypatch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 10_000)
    table, whole = homes(register()), tmp_path / "whole.parquet"
    options = {**OPTIONS, "quasi_identifiers": NUMBERS, "keep_totals": True, **more}
    made = make(table, **options)
    shoal.anonymize(table, **options).save(whole)
    expected = pl.read_parquet(whole)
    assert made.frame.equals(expected)
