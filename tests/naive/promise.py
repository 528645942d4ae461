"""What a release guarantees, counted over its rows in plain Python, without any count of Shoal."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import Any

import polars as pl

from naive import models
from naive.surveys import DATES, ILLS, JOBS, NUMBERS, SIZES, WORDS, Survey
from naive.wildcard import wildcard_counts
from shoal import Hierarchy, Release
from shoal.domain.privacy_models import PrivacyModel

Key = tuple[Any, ...]


def check(survey: Survey, made: Release) -> None:
    """Check everything that this release guarantees."""
    assert made.table.height == survey.frame.height
    assert made.table.columns == [name for name in survey.frame.columns if name != "name"]
    for name in made.table.columns:
        if name not in survey.keys:
            assert made.table[name].equals(survey.frame[name]), name
    hidden = [False] * survey.frame.height
    if made.partition.suppressed is not None:
        hidden = made.partition.suppressed.tolist()
    rows = made.table.select(survey.keys).rows()
    check_sizes(survey, rows, hidden)
    check_models(survey, rows)
    check_suppressed(survey, made, rows, hidden)
    check_gaps(survey, rows, hidden)
    for name in survey.keys:
        released = made.table[name]
        check_values(survey, name, released, hidden)
        if name in NUMBERS and not survey.frame[name].null_count() and released.dtype.is_numeric():
            check_total(survey, made, name, hidden)


def exact(survey: Survey) -> bool:
    """Whether classes are determined by released rows alone: wildcards count for k only."""
    more = ("models", "l", "t", "strata", "households")
    return survey.asked["missing_values"] != "wildcard" or any(survey.asked.get(name) for name in more)


def check_sizes(survey: Survey, rows: list[Key], hidden: list[bool]) -> None:
    """k records, or households, in every class of every stratum; suppressed records are classes by themselves."""
    k, frame = survey.asked["k"], survey.frame
    if not exact(survey):
        shown = [row for row, gone in zip(rows, hidden, strict=True) if not gone]
        assert min(wildcard_counts(shown, [1.0] * len(shown), survey.asked["alpha"]), default=k) >= k - 1e-9
        assert sum(hidden) == 0 or sum(hidden) >= k
        return
    strata = frame["region"].to_list() if survey.asked.get("strata") else [""] * frame.height
    units = frame["home"].to_list() if survey.asked.get("households") else list(range(frame.height))
    classes: dict[Any, set[Any]] = defaultdict(set)
    for row, stratum, unit, gone in zip(rows, strata, units, hidden, strict=True):
        classes[row, stratum, gone].add(unit)
    assert min(len(members) for members in classes.values()) >= k


def asked_models(survey: Survey) -> Iterator[PrivacyModel]:
    for column, texts in survey.asked.get("models", {}).items():
        yield from (PrivacyModel.parse(column, text) for text in texts)
    for column, close in (("ill", "t-hierarchical"), ("score", "t-ordered")):
        if "l" in survey.asked:
            yield PrivacyModel.parse(column, f"distinct-l({survey.asked['l']})")
        if "t" in survey.asked:
            yield PrivacyModel.parse(column, f"{close}({survey.asked['t']})")


def check_models(survey: Survey, rows: list[Key]) -> None:
    strata = survey.frame["region"].to_list() if survey.asked.get("strata") else [""] * len(rows)
    for model in asked_models(survey):
        cells = survey.frame[model.column].to_list()
        values = sorted(set(cells))
        distance = models.ordered(values) if model.name == "t-ordered" else models.equal
        if model.name == "t-hierarchical":
            distance = models.hierarchical(Hierarchy.from_dict(ILLS), values)
        groups: dict[Any, list[Any]] = defaultdict(list)
        for row, stratum, cell in zip(rows, strata, cells, strict=True):
            groups[row, stratum].append(cell)
        for group in groups.values():
            assert models.holds(model, group, cells, distance, values), model.notation


def check_suppressed(survey: Survey, made: Release, rows: list[Key], hidden: list[bool]) -> None:
    """Suppressed records are blank, within the budget, and reported."""
    assert all(cell in (None, "*") for row, gone in zip(rows, hidden, strict=True) if gone for cell in row)
    lacking = [None in row for row in survey.frame.select(survey.keys).rows()]
    if survey.asked["missing_values"] == "suppress":
        assert all(gone for gone, lacks in zip(hidden, lacking, strict=True) if lacks)
    if survey.asked["missing_values"] != "suppress" or not any(lacking):
        assert sum(hidden) <= survey.asked["max_suppression"] * len(rows) + 1e-9
    told = [sentence for sentence in made.warnings if "are suppressed" in sentence]
    assert len(told) == (1 if any(hidden) else 0)
    assert all(f" {sum(hidden)} of {len(rows)} records" in sentence for sentence in told)


def check_gaps(survey: Survey, rows: list[Key], hidden: list[bool]) -> None:
    """Missing cells stay missing or are imputed, by the options."""
    way, before = survey.asked["missing_values"], survey.frame.select(survey.keys).rows()
    known = [any(row[j] is not None for row in before) for j in range(len(survey.keys))]
    for was, row, gone in zip(before, rows, hidden, strict=True):
        for old, new, any_known in zip(was, row, known, strict=True):
            if gone:
                continue
            if way == "wildcard" and old is None:
                assert new is None
            if way == "impute" and any_known:
                assert new is not None
            if old is not None and way == "wildcard" and survey.asked["alpha"] == 1 and not exact(survey):
                assert new is not None
    if way in ("category", "wildcard", "impute") and not any(None in row for row in before):
        assert not any(None in row for row, gone in zip(rows, hidden, strict=True) if not gone)


def way_of(survey: Survey, name: str) -> str:
    given = survey.asked["recode"]
    word = given.get(name) if isinstance(given, dict) else given
    if name in WORDS:
        return {"generalize": "lcs", "mode": "mode", "lcs": "lcs"}.get(word, "centroid")
    return {"generalize": "interval", "interval": "interval", "median": "median"}.get(word, "mean")


def check_values(survey: Survey, name: str, released: pl.Series, hidden: list[bool]) -> None:
    """Numbers and dates within their bounds, records inside their intervals and below their nodes."""
    cells, way = survey.frame[name].to_list(), way_of(survey, name)
    known = [cell for cell in cells if cell is not None]
    for cell, new, gone in zip(cells, released.to_list(), hidden, strict=True):
        if gone or new is None:
            continue
        if way == "interval":
            low, high = ends(new, dates=name in DATES)
            assert min(known) <= low <= high <= max(known)
            assert cell is None or low <= cell <= high
        elif name in (*NUMBERS, *DATES):
            assert min(known) <= new <= max(known)
        elif way == "lcs" and cell is not None:
            assert new in above(name, cell)
        elif way == "mode":
            assert new in known
        elif name == "size" and way == "centroid":
            assert new in SIZES
        if name in NUMBERS and way != "interval" and not survey.asked["exact_means"]:
            assert released.dtype == survey.frame[name].dtype
            assert decimals(new) <= max(map(decimals, known))


def decimals(number: float) -> int:
    """The number of decimals of a number."""
    return len(str(number).partition(".")[2].rstrip("0"))


def ends(text: str | float | date, *, dates: bool) -> tuple[Any, Any]:
    """The bounds of an interval; a single value is one too."""
    between = " to " if dates else "-"
    found = re.fullmatch(rf"\[(.+?){between}(.+)\]", text) if isinstance(text, str) else None
    both = found.groups() if found else (text, text)
    read = date.fromisoformat if dates else float
    low, high = (read(end) if isinstance(end, str) else end for end in both)
    return low, high


def above(name: str, cell: str) -> set[str]:
    """A value and all its ancestors."""
    if name != "job":
        return {cell, "*"}
    tree = Hierarchy.from_dict(JOBS)
    parents = {child: node for node in tree.nodes for child in tree.children(node)}
    found = [cell]
    while found[-1] in parents:
        found.append(parents[found[-1]])
    return set(found)


def check_total(survey: Survey, made: Release, name: str, hidden: list[bool]) -> None:
    """Means preserve the total of a complete column; rounded means preserve it as nearly as possible, if requested."""
    rounded = not survey.asked["exact_means"]
    if way_of(survey, name) != "mean" or (rounded and not survey.asked["keep_totals"]):
        return
    rows = [row for row, gone in enumerate(hidden) if not gone]
    weights = survey.frame["weight"].to_list() if survey.asked.get("sampling_weights") else [1] * len(hidden)
    was, now = survey.frame[name].to_list(), made.table[name].to_list()
    if rounded:  # in steps of the last decimal
        unit = 10 ** max(map(decimals, was))
        was, now = ([round(cell * unit) if cell is not None else None for cell in cells] for cells in (was, now))
    off = abs(math.fsum(weights[row] * (now[row] - was[row]) for row in rows))
    if not rounded:
        assert off <= 1e-9 * max(math.fsum(weights[row] * abs(was[row]) for row in rows), 1.0)
        return
    groups: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        groups[int(made.partition.labels[row])].append(row)
    if survey.asked.get("sampling_weights"):
        assert off <= max((sum(weights[row] for row in group) for group in groups.values()), default=0.0)
    else:
        assert off == least_off([[was[row] for row in group] for group in groups.values()])


def least_off(groups: list[list[int]]) -> int:
    """The least distance from the total if each mean is rounded up or down."""
    sums = {0}
    for group in groups:
        mean = Fraction(sum(group), len(group))
        sums = {total + len(group) * neighbor for total in sums for neighbor in {math.floor(mean), math.ceil(mean)}}
    total = sum(map(sum, groups))
    return min(abs(found - total) for found in sums)


def texts(survey: Survey) -> set[str]:
    """The cells that no message may contain."""
    cells = (survey.frame[name].drop_nulls().to_list() for name in ("name", "pay", *WORDS, "ill", "home", "weight"))
    found = Counter(str(cell) for column in cells for cell in column)
    return {text for text in found if len(text) > 3}
