"""Privacy options: a release satisfies all of them for any table, or one sentence says why there is none."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import given

import shoal
from naive import promise
from naive.surveys import JOBS, SIZES, Survey, frame, surveys
from shoal.errors import PromiseError, ShoalError, ShoalWarning
from shoal.microaggregation.registry import ALL_KINDS

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")


def released(survey: Survey) -> shoal.Release | str:
    """The release, or the sentence by which it was refused; a promise that was nearly broken is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        try:
            return shoal.anonymize(survey.frame, **survey.asked)
        except PromiseError:
            raise
        except ShoalError as error:
            return str(error)


def test_a_release_keeps_all_that_was_asked_or_is_refused_in_a_sentence() -> None:
    outcomes: Counter[str] = Counter()

    @given(surveys())
    def check(survey: Survey) -> None:
        before = survey.frame.clone()
        release = released(survey)
        assert survey.frame.equals(before)
        outcomes[type(release).__name__] += 1
        if isinstance(release, str):
            assert not any(text in release for text in promise.texts(survey)), release
        else:
            promise.check(survey, release)

    check()
    assert outcomes["Release"] > outcomes["str"], "most of what is drawn is released"


def looked_at(survey: Survey) -> dict[str, Any]:
    """The options that `evaluate` shares with `anonymize`."""
    names = ("hierarchies", "levels", "missing_values", "alpha", "sampling_weights", "households", "sensitive")
    return {name: survey.asked[name] for name in names if name in survey.asked}


@given(surveys())
def test_a_release_is_found_as_it_was_told_and_comes_out_the_same_again(survey: Survey) -> None:
    """`verify` and `evaluate` see nothing but the tables, and `anonymize` has no memory."""
    release, again = released(survey), released(survey)
    if isinstance(release, str) or isinstance(again, str):
        assert again == release
        return
    assert again.table.equals(release.table)
    assert again.policy.to_toml() == release.policy.to_toml()
    if release.partition.n_suppressed and release.policy.missing == "wildcard":
        return  # nothing in the table tells a suppressed record from one that lacks everything
    figures = release.evaluation
    result = shoal.evaluate(
        survey.frame, release.table, quasi_identifiers=survey.keys, k=figures.k, **looked_at(survey)
    )
    assert (result.before, result.after) == (figures.before, figures.after)
    for name, figure in figures.loss.items():
        assert result.loss[name] == (figure if figure is None else pytest.approx(figure, rel=1e-9, abs=1e-9)), name
    for name, changes in figures.changes.items():
        for change, figure in changes.items():
            same = figure if figure is None else pytest.approx(figure, rel=1e-9, abs=1e-9)
            assert result.changes[name][change] == same, (name, change)
    models: dict[str, list[str]] = {}
    for model in release.policy.models:
        models.setdefault(model.column, []).append(model.notation)
    proof = shoal.verify(
        release.table,
        k=release.policy.k,
        quasi_identifiers=survey.keys,
        models=models,
        hierarchies={name: tree for name, tree in survey.asked["hierarchies"].items() if name in models},
        missing_values="wildcard" if release.policy.missing == "wildcard" else "category",
        alpha=survey.asked["alpha"],
        strata=survey.asked.get("strata", ()),
        households=survey.asked.get("households"),
    )
    assert proof.to_dict() | {"models": []} == release.verification.to_dict() | {"models": []}
    assert set(proof.models) == set(release.verification.models)


TAKING_ALL = sorted(
    name for name, method in shoal.methods().items() if method.supports_mixed and method.kinds == ALL_KINDS
)


@pytest.mark.parametrize("method", TAKING_ALL)
def test_every_method_for_all_kinds_takes_gaps_households_and_models(method: str) -> None:
    table = frame(11, 36, gaps=0.1, strata=1, members=2)
    options = {
        "k": 3,
        "quasi_identifiers": ["age", "day", "size", "sex", "job"],
        "identifiers": "name",
        "sensitive": ["ill", "score"],
        "method": method,
        "models": {"ill": ["distinct-l(2)"]},
        "hierarchies": {"job": shoal.Hierarchy.from_dict(JOBS)},
        "levels": {"size": SIZES},
        "households": "home",
        "missing_values": "category",
        "max_suppression": 0.0,
        "recode": None,
        "exact_means": True,
    }
    survey = Survey(table, options)
    assert survey.gaps
    promise.check(survey, shoal.anonymize(table, **options))


def test_records_without_any_value_are_wildcards_too() -> None:
    """One that lacks all quasi-identifiers may be any other, and its group keeps what it shows."""
    table = pl.DataFrame({"x": [1.0, 2.0, None, 4.0, 5.0, 6.0]})
    release = shoal.anonymize(table, k=3, quasi_identifiers="x", missing_values="wildcard")
    assert release.table["x"].null_count() == 1
    assert release.verification.min_class >= 3


def test_suppressed_records_are_no_wildcards_for_others() -> None:
    """Numbers that are suppressed look like missing ones; in a release they hide nobody but each other."""
    corners = [(0.0, 0.0), (0.0, 1000.0), (1000.0, 0.0), (1000.0, 1000.0)]
    points = corners + [(500.0 + place // 3, 500.0) for place in range(21)]
    table = pl.DataFrame(points, schema=["x", "y"], orient="row")
    options = {"k": 3, "quasi_identifiers": ["x", "y"], "missing_values": "wildcard", "method": "mdav"}
    release = shoal.anonymize(table, max_suppression=0.2, **options)
    assert release.partition.n_suppressed == 4
    assert release.verification.min_class == release.evaluation.after["min_class"] == 3
