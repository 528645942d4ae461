"""`shoal measures`, and the option `--measures` of `shoal evaluate`."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import shoal as front_door


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    was = pl.DataFrame({"age": [20, 30, 40, 50], "sex": ["f", "f", "m", "m"], "cost": [1.5, 2.5, 3.5, 5.5]})
    was.write_csv(tmp_path / "was.csv")
    was.with_columns(age=pl.Series([25, 25, 45, 45])).write_csv(tmp_path / "now.csv")
    return tmp_path / "was.csv", tmp_path / "now.csv"


def test_measures_are_listed_by_family(shoal) -> None:
    run = shoal("measures")
    assert run.code == 0
    for name, measure in front_door.measures().items():
        assert f"  {name} " in run.out
        assert f"Family {measure.family}:" in run.out
    assert "(on request)" in run.out
    assert max(map(len, run.out.splitlines())) <= 100
    facts = json.loads(shoal("measures", "--json").out)
    assert [one["name"] for one in facts] == list(front_door.measures())
    assert {"formula", "range", "good", "reference", "unit"} <= set(facts[0])


def test_one_measure_is_told_about(shoal) -> None:
    assert [one["name"] for one in json.loads(shoal("measures", "gcp", "--json").out)] == ["gcp"]
    run = shoal("measures", "gcp")
    for word in ("mean certainty penalty (GCP)", "NCP / number of cells", "Ghinita", "`extent` tells what its class"):
        assert word in run.out
    assert "only where it is asked for" in shoal("measures", "pmse").out
    run = shoal("measures", "mixed_los")
    assert (run.code, "did you mean 'mixed_loss'" in run.err) == (2, True)
    for name in ("all", "default", ""):
        run = shoal("measures", name)
        assert (run.code, run.out) == (2, "")
        assert f"There is no measure '{name}'" in run.err
        assert f"did you mean '{name}'" not in run.err


def test_the_summary_of_a_measure_stands_by_itself() -> None:
    assert not [name for name, one in front_door.measures().items() if one.summary.startswith("The same")]


def test_evaluate_runs_what_is_asked_for(shoal, files: tuple[Path, Path]) -> None:
    arguments = ("evaluate", *files, "-q", "age,sex", "--json")
    default, everything = (json.loads(shoal(*arguments, *more).out)["loss"] for more in ((), ("--measures", "all")))
    assert "pmse" not in default
    assert set(everything) == {name for name, one in front_door.measures().items() if one.family == "loss"}
    some = json.loads(shoal(*arguments, "--measures", "gcp,mixed_loss", "--weight", "sex=3").out)["loss"]
    assert list(some) == ["gcp", "mixed_loss"]
    assert some["mixed_loss"] < default["mixed_loss"]
    with_cost = json.loads(shoal(*arguments, "--sensitive", "cost").out)["loss"]
    assert with_cost["query_regression"] is not None
    assert default["query_regression"] is None


def test_some_measures_are_shown_as_text_too(shoal, files: tuple[Path, Path]) -> None:
    for measures in ("c_avg", "gcp", "global_risk", "all"):
        assert shoal("evaluate", *files, "-q", "age,sex", "--measures", measures).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--measures", "mixed_los"), "did you mean 'mixed_loss'"),
        (("--measures", ""), "give default, all, or the names of some measures"),
        (("--measures", "gcp,all"), "give default, all, or the names of some measures"),
        (("--weight", "sex"), "Option --weight"),
        (("--weight", "sex=x"), "Option --weight"),
        (("--weight", "sex=-1"), "Option --weight"),
        (("--weight", "height=1"), "'height'"),
        (("--sensitive", "height"), "'height'"),
    ],
)
def test_bad_choices_end_in_a_sentence(
    shoal, files: tuple[Path, Path], arguments: tuple[str, ...], message: str
) -> None:
    run = shoal("evaluate", *files, "-q", "age,sex", *arguments)
    assert run.code == 2
    assert message in run.err
