"""Example dataset: a synthetic hospital register.

Uses only uniform random numbers and basic arithmetic, so that a seed gives the same table on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.domain import FloatVector, IntVector

_GIVEN = (
    ("A", "Be", "Co", "Da", "E", "Fi", "Jo", "Ka", "Li", "Mi", "No", "Ta"),
    ("ra", "len", "vi", "mo", "sin", "tu"),
)
_FAMILY = (
    ("Bar", "Dol", "Fen", "Gar", "Hol", "Kel", "Mar", "Nor", "Tor", "Wes"),
    ("by", "dan", "ik", "mer", "ow", "sen"),
)
_REGIONS = ("Northshore", "Tidewater", "Harbor", "Reefland", "Saltmarsh", "Highmoor")
_REGION_SHARES = (0.28, 0.22, 0.2, 0.14, 0.1, 0.06)
_POSTCODE_STARTS = (10, 34, 52, 71, 4, 0)
_EDUCATION = ("none", "primary", "lower secondary", "upper secondary", "bachelor", "master or doctorate")
_EDUCATION_SHARES = (0.02, 0.06, 0.2, 0.42, 0.18, 0.12)
_OCCUPATIONS = (
    ("cleaner", "farm worker", "kitchen aid", "warehouse worker"),
    ("driver", "builder", "shop assistant", "cook"),
    ("clerk", "electrician", "nurse", "police officer"),
    ("teacher", "engineer", "accountant", "physician"),
)
_NOT_WORKING = ("child", "pupil or student", "unemployed", "retired")
_DIAGNOSES = ("injury", "circulatory", "respiratory", "digestive", "neoplasm", "mental", "infection", "endocrine")
_DIAGNOSES_YOUNG = (0.3, 0.02, 0.27, 0.13, 0.03, 0.06, 0.16, 0.03)
_DIAGNOSES_OLD = (0.14, 0.32, 0.12, 0.11, 0.16, 0.03, 0.05, 0.07)
_DIAGNOSIS_COSTS = (900.0, 1900.0, 800.0, 1100.0, 2900.0, 700.0, 650.0, 950.0)
_DIAGNOSIS_DAYS = (3.0, 5.5, 4.0, 3.5, 7.0, 11.0, 4.5, 4.0)


OCCUPATIONS = {
    "any": {
        "working": {
            f"{level} work": {word: {} for word in words}
            for level, words in zip(("unskilled", "trained", "skilled", "academic"), _OCCUPATIONS, strict=True)
        },
        "not working": {word: {} for word in _NOT_WORKING},
    }
}
EDUCATION = _EDUCATION
"""Levels of education, lowest first."""


def example_register(rows: int = 5000, seed: int = 0) -> pl.DataFrame:
    """Generate a synthetic register of hospital patients with realistic distributions and missing values."""
    draw = np.random.default_rng(seed)
    age = _ages(rows, draw)
    female = draw.random(rows) < 0.47 + 0.0012 * age
    region = _choose(np.broadcast_to(_REGION_SHARES, (rows, 6)), draw)
    schooling = _schooling(age, draw)
    height, weight = _bodies(age, female, draw)
    older = np.minimum(age / 90.0, 1.0)[:, None]
    diagnosis = _choose((1 - older) * _DIAGNOSES_YOUNG + older * _DIAGNOSES_OLD, draw)
    stay = np.floor(np.take(_DIAGNOSIS_DAYS, diagnosis) * (0.4 + age / 120) * _skewed(rows, draw)).astype(np.int64) + 1
    cost = 120.0 + np.take(_DIAGNOSIS_COSTS, diagnosis) * _skewed(rows, draw) + 410.0 * stay
    birth, admission = _dates(age, draw)
    pressure = np.rint(98 + 0.42 * age + 0.18 * (weight - 60) + 11 * _bell(rows, draw)).astype(np.int64)
    return pl.DataFrame(
        {
            "person_id": pl.Series(np.argsort(draw.random(rows), kind="stable") + 1)
            .cast(pl.String)
            .str.zfill(6)
            .str.replace("^", "P"),
            "name": _names(rows, draw),
            "age": age,
            "sex": _labels(("male", "female"), female),
            "birth_date": birth,
            "postcode": _postcodes(region, draw),
            "region": _labels(_REGIONS, region),
            "marital_status": _marital(age, draw),
            "education": _with_missing(_labels(_EDUCATION, schooling), 0.04, draw),
            "occupation": _with_missing(_occupations(age, schooling, draw), 0.06, draw),
            "household_size": _households(age, draw),
            "height_cm": height,
            "weight_kg": _with_missing(pl.Series(np.rint(weight * 10) / 10), 0.03, draw),
            "income": _incomes(age, schooling, female, draw),
            "admission_date": admission,
            "length_of_stay": stay,
            "visits": np.floor((1 + age / 30) * _skewed(rows, draw)).astype(np.int64) + 1,
            "systolic_bp": _with_missing(pl.Series(pressure), 0.08, draw),
            "diagnosis": _labels(_DIAGNOSES, diagnosis),
            "treatment_cost": np.rint(cost * 100) / 100,
        }
    )


def _bell(rows: int, draw: np.random.Generator) -> FloatVector:
    """Draw approximately normal numbers: sums of twelve uniform ones."""
    total: FloatVector = draw.random((rows, 12)).sum(axis=1)
    return total - 6.0


def _skewed(rows: int, draw: np.random.Generator) -> FloatVector:
    """Draw positive numbers with mean about 1 and a long tail."""
    steep = draw.random(rows)
    return 0.3 + 0.6 * draw.random(rows) + 0.12 * steep / (1.02 - steep)


def _choose(shares: NDArray[Any], draw: np.random.Generator) -> IntVector:
    """Draw one category per row, by the probabilities of the row."""
    cumulative = np.cumsum(shares, axis=1)
    choices: IntVector = (draw.random(len(shares))[:, None] * cumulative[:, -1:] >= cumulative[:, :-1]).sum(axis=1)
    return choices


def _labels(words: Sequence[str], which: NDArray[Any]) -> pl.Series:
    return pl.Series(list(words)).gather(which.astype(np.uint32))


def _with_missing(series: pl.Series, share: float, draw: np.random.Generator) -> pl.Series:
    missing = draw.random(len(series)) < share
    return series.set(pl.Series(missing), None)


def _ages(rows: int, draw: np.random.Generator) -> IntVector:
    years = np.arange(101)
    pyramid = np.interp(years, (0, 1, 15, 30, 60, 78, 90, 100), (3.0, 0.7, 0.5, 0.9, 1.5, 1.7, 0.6, 0.03))
    steps = np.cumsum(pyramid)
    ages: IntVector = np.searchsorted(steps, draw.random(rows) * steps[-1], side="right").astype(np.int64)
    return ages


def _schooling(age: IntVector, draw: np.random.Generator) -> IntVector:
    reached = _choose(np.broadcast_to(_EDUCATION_SHARES, (len(age), 6)), draw)
    max_level = np.searchsorted((6, 12, 16, 19, 24), age, side="right")
    return np.minimum(reached, max_level)


def _bodies(age: IntVector, female: NDArray[np.bool_], draw: np.random.Generator) -> tuple[IntVector, FloatVector]:
    grown = np.where(female, 165.5, 178.5) - 0.08 * np.maximum(age - 45, 0)
    growth = np.interp(age, (0, 1, 2, 5, 10, 14, 18), (0.33, 0.45, 0.51, 0.64, 0.8, 0.93, 1.0))
    height = np.rint(grown * growth * (1 + 0.038 * _bell(len(age), draw))).astype(np.int64)
    mass = np.interp(age, (0, 1, 6, 18, 60, 100), (14.0, 16.5, 15.5, 22.0, 27.0, 23.5))
    return height, mass * (0.82 + 0.36 * _skewed(len(age), draw) / 1.8 + 0.05 * draw.random(len(age))) * (
        height / 100
    ) ** 2


def _dates(age: IntVector, draw: np.random.Generator) -> tuple[pl.Series, pl.Series]:
    """Draw dates of birth that give the age on the last day of 2024, and admissions in 2024 after birth."""
    january = (2024 - age - 1970).astype("datetime64[Y]")
    born = january.astype("datetime64[D]")
    days = ((january + 1).astype("datetime64[D]") - born).astype(np.int64)
    born = born + np.floor(draw.random(len(age)) * days).astype("timedelta64[D]")
    earliest = np.maximum(born, np.datetime64("2024-01-01"))
    span = (np.datetime64("2025-01-01") - earliest).astype(np.int64)
    admitted = earliest + np.floor(draw.random(len(age)) * span).astype("timedelta64[D]")
    return pl.Series(born), pl.Series(admitted)


def _names(rows: int, draw: np.random.Generator) -> pl.Series:
    parts = [_labels(words, draw.integers(0, len(words), rows)) for words in (*_GIVEN, *_FAMILY)]
    return parts[0] + parts[1] + " " + parts[2] + parts[3]


def _postcodes(region: IntVector, draw: np.random.Generator) -> pl.Series:
    """Build postcodes of five digits: prefix of the region, district, and one of few streets."""
    district = np.floor(draw.random(len(region)) ** 2 * 10).astype(np.int64)
    codes = (np.take(_POSTCODE_STARTS, region) * 10 + district) * 100 + draw.integers(0, 12, len(region)) * 8 + 1
    return pl.Series(codes).cast(pl.String).str.zfill(5)


def _marital(age: IntVector, draw: np.random.Generator) -> pl.Series:
    single = np.interp(age, (20, 35, 50, 80), (1.0, 0.45, 0.22, 0.08))
    widowed = np.interp(age, (40, 60, 75, 95), (0.0, 0.05, 0.22, 0.7))
    divorced = np.interp(age, (22, 45, 70, 95), (0.0, 0.16, 0.13, 0.04))
    married = np.maximum(1 - single - widowed - divorced, 0)
    which = _choose(np.column_stack((single, married, divorced, widowed)), draw)
    return _labels(("single", "married", "divorced", "widowed"), which)


def _occupations(age: IntVector, schooling: IntVector, draw: np.random.Generator) -> pl.Series:
    words = [word for group in _OCCUPATIONS for word in group] + list(_NOT_WORKING)
    worker = np.clip(schooling - 1, 0, 3) * 4 + draw.integers(0, 4, len(age))
    luck = draw.random(len(age))
    which = np.where(luck < 0.06, 18, worker)
    which = np.where((age < 19) | ((age < 25) & (luck < 0.5)), 17, which)
    which = np.where(age < 6, 16, which)
    return _labels(words, np.where((age > 66) | ((age > 60) & (luck > 0.6)), 19, which))


def _households(age: IntVector, draw: np.random.Generator) -> IntVector:
    mean = np.interp(age, (0, 17, 25, 40, 60, 85), (3.2, 3.0, 1.2, 2.3, 1.1, 0.5))
    return 1 + np.floor(mean * (0.25 + 1.3 * draw.random(len(age)))).astype(np.int64) + (age < 18)


def _incomes(age: IntVector, schooling: IntVector, female: NDArray[np.bool_], draw: np.random.Generator) -> IntVector:
    career = np.interp(age, (15, 18, 30, 50, 62, 70, 100), (0.02, 0.25, 0.85, 1.2, 1.1, 0.68, 0.6))
    base = np.take((14000.0, 17000.0, 21000.0, 28000.0, 39000.0, 52000.0), schooling)
    income = np.floor(base * career * np.where(female, 0.88, 1.0) * _skewed(len(age), draw)).astype(np.int64)
    return np.where(age < 15, 0, income)
