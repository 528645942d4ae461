"""Results in notebooks and with rich: figures and names, no cell of the data, no external resource."""

from __future__ import annotations

import io
import re

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import shoal

SECRET = "Xk7Zq31415"
NASTY = "<script>[bold]x"


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    frame = pl.DataFrame({NASTY: [SECRET, "b"] * 30, "age": range(31415000, 31415060), "ill": ["x", "y", SECRET] * 20})
    return shoal.anonymize(
        frame, k=4, quasi_identifiers=[NASTY, "age"], sensitive=["ill"], models={"ill": "distinct-l(2)"}
    )


@pytest.fixture(params=["release", "evaluation", "verification", "partition"])
def displayed(release: shoal.Release, request: pytest.FixtureRequest) -> object:
    return release if request.param == "release" else getattr(release, request.param)


def printed(value: object) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(value)
    return console.file.getvalue()


def test_a_notebook_shows_a_table(displayed) -> None:
    released = displayed._repr_html_()
    assert released.startswith("<div style=")
    assert released.count("<div") == released.count("</div>")
    assert not re.search(r"<script|<style|<link|https?:|class=|id=", released)
    assert SECRET not in released
    assert "31415" not in released


def test_rich_shows_the_same(displayed) -> None:
    reported = printed(displayed)
    assert SECRET not in reported
    assert "31415" not in reported
    words = set(re.findall(r"[a-z]{4,}", re.sub(r"<[^>]*>", " ", displayed._repr_html_())))
    assert words - {"script", "bold"} <= set(re.findall(r"[a-z]{4,}", reported))


def test_the_verdict_comes_first(release: shoal.Release) -> None:
    assert printed(release).startswith("Verified: k = 4 holds")
    assert "distinct-l(2) on ill" in printed(release.verification)
    assert "&lt;script&gt;" in release._repr_html_()
    assert "[bold]" in printed(release)


def test_a_broken_promise_is_red() -> None:
    broken = shoal.verify(pl.DataFrame({"a": [1, 1, 2], "b": ["x", "x", "x"]}), k=2, quasi_identifiers=["a"])
    assert broken.verdict == "Not k-anonymous: 1 of 3 records are in classes below k = 2"
    assert "#d9534f" in broken._repr_html_()
    broken = shoal.verify(
        pl.DataFrame({"a": [1, 1], "b": ["x", "x"]}), k=2, quasi_identifiers=["a"], models={"b": "distinct-l(2)"}
    )
    assert broken.verdict == "Not verified: k = 2 holds, but distinct-l(2) does not"


def test_an_evaluation_names_its_figures_as_they_are_asked_for(release: shoal.Release) -> None:
    reported = printed(release.evaluation)
    for name in ("prosecutor_highest", "mixed_loss", "d_risk", "distinct_l of ill", "guessed of ill"):
        assert f" {name} " in reported


def test_an_evaluation_is_short_in_plain_python() -> None:
    table = np.arange(12.0).reshape(6, 2)
    result = repr(shoal.anonymize(table, k=2, quasi_identifiers=[0, 1]).evaluation)
    assert result.startswith("Evaluation(records=6, k=2, classes=3, min_class=2, global_risk=50, mixed_loss=")
    assert len(result) < 200
