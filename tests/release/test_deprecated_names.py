"""Deprecated names of the public API: they work as before, with a warning, and never together with the new name."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result
from sklearn.base import clone

import shoal
from shoal.cli.main import shoal as commands
from shoal.errors import OptionError, ShoalWarning
from shoal.sklearn import Microaggregator

RNG = np.random.default_rng(7)
TABLE = pl.DataFrame({"age": RNG.integers(18, 90, 60), "income": RNG.integers(10, 99, 60) * 100.0})
QUASI: dict[str, Any] = {"k": 3, "quasi_identifiers": ["age", "income"]}


def released(**options: Any) -> Any:
    return shoal.anonymize(TABLE, **QUASI, method="mdav", **options).table.rows()


def compared(**options: Any) -> Any:
    points = shoal.compare(TABLE, **QUASI, methods="mdav", **options).points
    return [(point.method, point.k, point.loss) for point in points]


def unique_combinations(**options: Any) -> Any:
    return shoal.uniqueness(TABLE, quasi_identifiers=["age", "income"], **options)


def labels(**options: Any) -> Any:
    return shoal.partition(TABLE, k=3, method="mdav", **options).labels.tolist()


ARGUMENTS = [
    (released, "suppression", "max_suppression", 0.1),
    (released, "seconds", "time_limit", 1e-9),
    (labels, "seconds", "time_limit", 1e-9),
    (compared, "seconds", "time_limit", 600),
    (compared, "suppression", "max_suppression", 0.1),
    (unique_combinations, "seconds", "time_limit", 600),
    (unique_combinations, "most", "max_columns", 1),
]


@pytest.mark.parametrize(("call", "old", "new", "value"), ARGUMENTS)
def test_a_deprecated_argument_gives_the_same_result(call: Any, old: str, new: str, value: Any) -> None:
    with pytest.warns(ShoalWarning, match=f"^{old}= is deprecated; use {new}=.$") as caught:
        before = call(**{old: value})
    assert caught[0].filename == __file__
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        assert before == call(**{new: value})
    assert not [one for one in recorded if "deprecated" in str(one.message)]


@pytest.mark.parametrize(("call", "old", "new", "value"), ARGUMENTS)
def test_both_names_of_an_argument_are_refused(call: Any, old: str, new: str, value: Any) -> None:
    with pytest.raises(OptionError) as caught:
        call(**{old: value, new: value})
    assert str(caught.value) == f"{old}= is the deprecated name of {new}=, and both are given; leave out {old}=."


def save_in_memory(folder: Path, **options: Any) -> None:
    shoal.anonymize(TABLE, **QUASI, method="mdav").save(folder / "out.csv", **options)


def save_out_of_core(folder: Path, **options: Any) -> None:
    shoal.anonymize_file(folder / "in.csv", folder / "out.csv", **QUASI, method="mdav", **options)


@pytest.mark.parametrize("save", [save_in_memory, save_out_of_core])
def test_further_files_have_a_deprecated_name(tmp_path: Path, save: Any) -> None:
    TABLE.write_csv(tmp_path / "in.csv")
    note = tmp_path / "note.txt"

    def extra(_: Any) -> dict[Path, str]:
        return {note: "k = 3"}

    with pytest.raises(OptionError, match="more= is the deprecated name of extra_files="):
        save(tmp_path, more=extra, extra_files=extra)
    with pytest.warns(ShoalWarning, match="^more= is deprecated; use extra_files=.$"):
        save(tmp_path, more=extra)
    assert note.read_text() == "k = 3"


def test_the_budget_of_a_file_has_a_deprecated_name(tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "in.csv")
    given: dict[str, Any] = {**QUASI, "method": "mdav"}
    with pytest.warns(ShoalWarning, match="^suppression= is deprecated; use max_suppression=.$"):
        shoal.anonymize_file(tmp_path / "in.csv", tmp_path / "old.csv", **given, suppression=0.1)
    shoal.anonymize_file(tmp_path / "in.csv", tmp_path / "new.csv", **given, max_suppression=0.1)
    assert (tmp_path / "old.csv").read_bytes() == (tmp_path / "new.csv").read_bytes()


@pytest.mark.parametrize(
    ("old", "new"), [("exposure", "uniqueness"), ("Exposure", "Uniqueness"), ("LargeRelease", "FileRelease")]
)
def test_deprecated_names_of_the_package(old: str, new: str) -> None:
    with pytest.warns(ShoalWarning, match=f"^shoal.{old} is deprecated; use shoal.{new}.$") as caught:
        assert getattr(shoal, old) is getattr(shoal, new)
    assert caught[0].filename == __file__
    assert old not in shoal.__all__


def test_reproduce_belongs_to_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("shoal_reproduction"):
        import shoal_reproduction

        with pytest.warns(ShoalWarning, match=r"^shoal\.reproduce is deprecated; use shoal_reproduction\.reproduce.$"):
            assert shoal.reproduce is shoal_reproduction.reproduce
    monkeypatch.setitem(sys.modules, "shoal_reproduction", None)
    with pytest.raises(AttributeError, match="exists only in a checkout"):
        _ = shoal.reproduce


def test_deprecated_attributes_of_results() -> None:
    groups = shoal.partition(TABLE, k=3, method="mdav")
    counted = unique_combinations()
    for result, old, new in [
        (groups, "hidden", "n_suppressed"),
        (groups, "told", "notes"),
        (counted, "looked", "n_evaluated"),
        (counted, "of", "n_combinations"),
    ]:
        with pytest.warns(ShoalWarning, match=f"^{type(result).__name__}.{old} is deprecated; use {new}.$"):
            assert getattr(result, old) == getattr(result, new)
    facts = counted.to_dict()
    assert (facts["looked"], facts["of"]) == (counted.n_evaluated, counted.n_combinations)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"seed": 3}, {"random_state": 3}),
        ({"below": "refuse"}, {"undersized": "raise"}),
        ({"below": "merge"}, {"undersized": "merge"}),
    ],
)
def test_deprecated_parameters_of_the_estimator(old: dict[str, Any], new: dict[str, Any]) -> None:
    values = TABLE.to_numpy()
    with pytest.warns(ShoalWarning, match=f"^{next(iter(old))}= is deprecated; use {next(iter(new))}=.$"):
        fitted = clone(Microaggregator(4, **old)).fit(values)
    assert fitted.get_params()[next(iter(old))] == next(iter(old.values()))
    expected = Microaggregator(4, **new).fit(values)
    assert fitted.labels_.tolist() == expected.labels_.tolist()
    assert Microaggregator(4).get_params()[next(iter(old))] == "deprecated"


@pytest.mark.parametrize("both", [{"seed": 3, "random_state": 4}, {"below": "merge", "undersized": "merge"}])
def test_both_names_of_a_parameter_are_refused(both: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="is the deprecated name of"):
        Microaggregator(4, **both).fit(TABLE.to_numpy())


@pytest.mark.parametrize("n_jobs", [None, -1, 1, 2])
def test_the_groups_do_not_depend_on_the_number_of_jobs(n_jobs: int | None) -> None:
    values = TABLE.to_numpy()
    assert (Microaggregator(4, n_jobs=n_jobs).fit_predict(values) == Microaggregator(4).fit_predict(values)).all()


@pytest.mark.parametrize(
    ("call", "given", "name"),
    [
        (shoal.anonymize, {"k": 3, "quasi_identifers": ["age"]}, "quasi_identifiers"),
        (shoal.anonymize, {**QUASI, "max_supression": 0.1}, "max_suppression"),
        (shoal.anonymize, {**QUASI, "identifier": "age"}, "identifiers"),
        (shoal.compare, {**QUASI, "time_limt": 3}, "time_limit"),
        (shoal.compare, {**QUASI, "sensitve": "age"}, "sensitive"),
        (shoal.partition, {"k": 3, "efort": "fast"}, "effort"),
        (shoal.uniqueness, {"quasi_identifiers": "age", "max_column": 2}, "max_columns"),
    ],
)
def test_a_misspelled_argument_is_named(call: Any, given: dict[str, Any], name: str) -> None:
    with pytest.raises(OptionError, match=rf"^There is no argument '\w+'; did you mean .*'{name}'"):
        call(TABLE, **given)


def test_an_option_of_a_method_is_compared_with_the_options_of_the_method() -> None:
    with pytest.raises(OptionError, match="has no option 'gama'; did you mean 'gamma'"):
        shoal.anonymize(TABLE, **QUASI, method="v-mdav", gama=0.5)


def on_command_line(folder: Path, command: str, *options: str) -> Result:
    TABLE.write_csv(folder / "in.csv")
    output = ["-o", str(folder / "out.csv"), "--force"] if command == "anonymize" else ["--no-cache"]
    common = [command, str(folder / "in.csv"), "-k", "3", "-q", "age,income", "--json", *output]
    return CliRunner().invoke(commands, [*common, *options])


@pytest.mark.parametrize("command", ["anonymize", "compare"])
@pytest.mark.parametrize(("old", "new"), [("--seconds", "--time-limit"), ("--suppress", "--max-suppression")])
def test_deprecated_options_of_the_command_line(tmp_path: Path, command: str, old: str, new: str) -> None:
    method = ["--method", "mdav"] if command == "anonymize" else ["--methods", "mdav"]
    value = "600" if old == "--seconds" and command == "compare" else "0.1"
    before = on_command_line(tmp_path, command, *method, old, value)
    assert before.exit_code == 0, before.output
    assert f"{old} is deprecated; use {new}." in before.stderr
    after = on_command_line(tmp_path, command, *method, new, value)
    assert after.exit_code == 0, after.output
    assert "deprecated" not in after.stderr
    both = on_command_line(tmp_path, command, *method, old, value, new, value)
    assert str(both.exception) == f"{old} is the deprecated name of {new}, and both are given; leave out {old}."
    shown = CliRunner().invoke(commands, [command, "--help"]).output
    assert new in shown
    assert f"{old} " not in shown
