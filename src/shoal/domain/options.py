"""Options of a release, each declared once.

`shoal.anonymize` takes defaults and checks from here, a policy file its keys, the command line its flags, types and
help, the web page its defaults, and the documentation a table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.domain.columns import Kind
from shoal.domain.privacy_models import MODEL_FORMS, parse_models
from shoal.domain.recodings import RECODINGS
from shoal.domain.validation import check_bool, check_choice, check_k
from shoal.errors import OptionError
from shoal.hierarchy.distances import DISTANCES

MISSING_POLICIES = ("category", "wildcard", "impute", "suppress", "refuse")
"""Treatment of missing quasi-identifiers: as a category; compatible with every value; imputed by group; suppress the
record; refuse the table.
"""
FORMULA_POLICIES = ("keep", "neutralize")
"""Treatment of text cells that a spreadsheet would execute: unchanged, or prefixed with an apostrophe."""
EFFORTS = ("fast", "balanced", "best")
"""Effort of local search: descent only; with annealing; ten times the annealing and an integer program."""
GROUPS = (
    *("Columns", "Protection", "Method and search", "Released values", "Survey"),
    *("Reading the file", "Outputs", "Large files"),
)
"""Groups of options in the help of a command, in their order."""
_INTEGER_LIMIT = 2**63
_EXPECTED_WEIGHTS = "a number above 0 for each quasi-identifier that is named"
_EXPECTED_BOUNDS = "the least and the largest value of numeric quasi-identifiers, as {'age': (0, 120)}"


@dataclass(frozen=True)
class Option:
    """Declaration of an option of `shoal.anonymize`."""

    name: str
    """Name of the keyword argument."""
    help: str
    group: str
    type: type = str
    """``list`` for names of columns, ``dict`` for one value per column, else the type of the value."""
    default: Any = None
    """The default, which is always valid; None also where the default depends on other options."""
    validate: Callable[[str, Any], Any] | None = None
    """Check of name and value that the type and the choices do not imply. It returns the value to use."""
    choices: tuple[str, ...] = ()
    required: bool = False
    key: str = ""
    """Place in a policy file, such as ``release.k``; of an option of columns, such as ``columns[].kind``."""
    flag: str = ""
    """Names on the command line, separated by blanks; empty for ``--name-of-the-option``."""
    metavar: str = ""
    default_text: str = ""
    """The default in words, where the command line shows another text than the value."""

    def check(self, value: Any) -> Any:
        """Return the value to use; raise if it is not valid. The default is always valid."""
        value = value.item() if isinstance(value, np.generic) else value
        if value is None and self.default is None and not self.required:
            return None
        if self.validate is not None:
            return self.validate(self.name, value)
        if self.choices:
            return check_choice(self.name, value, self.choices)
        if self.type is dict and not isinstance(value, Mapping):
            raise OptionError.invalid_value(self.name, "one for each column that is named, such as {'column': ...}")
        return check_bool(self.name, value) if self.type is bool else value


def check_fraction(name: str, value: Any, *, min_value: float = 0.0, max_value: float = 1.0) -> float:
    """Validate a number between two limits."""
    expected = f"a number from {min_value:g} to {max_value:g}"
    number = check_number(name, value, expected)
    if not min_value <= number <= max_value:
        raise OptionError.invalid_value(name, expected)
    return number


def check_number(name: str, value: Any, expected: str) -> float:
    """Validate a finite number; ``expected`` describes it in the message."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise OptionError.invalid_value(name, expected) from None
    if isinstance(value, bool) or not math.isfinite(number):
        raise OptionError.invalid_value(name, expected)
    return number


def check_seconds(name: str, value: Any) -> float:
    """Validate a time limit."""
    seconds = check_number(name, value, "a number above 0")
    if seconds <= 0:
        raise OptionError.invalid_value(name, "a number above 0")
    return seconds


def check_seed(seed: Any, *, name: str = "seed") -> int:
    value = seed.item() if isinstance(seed, np.generic) else seed
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _INTEGER_LIMIT:
        raise OptionError.seed_not_integer(name)
    return value


def check_scalar(name: str, value: Any) -> str | int | float | bool:
    """Validate an option of a method: a built-in value that a policy can store."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, str | int | float | bool) or (isinstance(value, int) and abs(value) >= _INTEGER_LIMIT):
        raise OptionError.invalid_value(name, "a number, a word, true or false")
    return value


def parse_weights(weights: Mapping[Any, Any] | None) -> dict[str, float]:
    try:
        return {str(name): float(weight) for name, weight in (weights or {}).items()}
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise OptionError.invalid_value("weights", _EXPECTED_WEIGHTS) from None


def parse_bounds(name: str, bounds: Any) -> dict[str, tuple[float, float]]:
    """Validate the minimum and the maximum of columns."""
    if not isinstance(bounds, Mapping):
        raise OptionError.invalid_value(name, _EXPECTED_BOUNDS)
    checked: dict[str, tuple[float, float]] = {}
    for column, pair in bounds.items():
        if not isinstance(pair, Iterable) or isinstance(pair, str):
            raise OptionError.invalid_value(name, _EXPECTED_BOUNDS)
        ends = [check_number(name, end, _EXPECTED_BOUNDS) for end in pair]
        if len(ends) != 2 or ends[0] > ends[1]:
            raise OptionError.invalid_value(name, _EXPECTED_BOUNDS)
        checked[str(column)] = (ends[0], ends[1])
    return checked


def check_bounded_kind(kind: Kind) -> None:
    """Raise if bounds are given for a column that is not numeric."""
    if kind is not Kind.NUMERIC:
        raise OptionError.invalid_value("bounds", _EXPECTED_BOUNDS)


def check_blocks(_: str, blocks: Any) -> int:
    if isinstance(blocks, bool) or not isinstance(blocks, int) or blocks < 1:
        raise OptionError.blocks_not_integer()
    return blocks


def _check_method(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError.invalid_value(name, "the name of a method")
    return value


def _check_household(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise OptionError.invalid_value(name, "a whole number of at least 1")
    return value


def _check_recode(name: str, value: Any) -> Any:
    """One recoding, or one per column; the kinds of the columns decide which fit."""
    if isinstance(value, Mapping):
        return value
    return check_choice(name, value, RECODINGS)


RELEASE_OPTIONS = (
    Option(
        "quasi_identifiers",
        "Columns that others could know about a person, as a,b,c.",
        "Columns",
        list,
        required=True,
        key="columns[].role",
        flag="-q --quasi-identifiers",
        metavar="COLUMNS",
    ),
    Option(
        "identifiers",
        "Columns that name a person. They are dropped.",
        "Columns",
        list,
        (),
        key="columns[].role",
        metavar="COLUMNS",
    ),
    Option(
        "sensitive",
        "Columns that must not be linked to a person. They are released unchanged.",
        "Columns",
        list,
        (),
        key="columns[].role",
        metavar="COLUMNS",
    ),
    Option(
        "keep",
        "Columns without another role that you release unchanged on purpose.",
        "Columns",
        list,
        (),
        key="keep",
        metavar="COLUMNS",
    ),
    Option("drop_others", "Drop every column without a role.", "Columns", bool, False, key="drop_others"),
    Option(
        "kinds",
        "Kind of a column: nominal, ordinal, numeric or date; repeatable.",
        "Columns",
        dict,
        key="columns[].kind",
        flag="--kind",
        metavar="COLUMN=KIND",
    ),
    Option(
        "hierarchies",
        "File with the hierarchy of the values of a column; repeatable.",
        "Columns",
        dict,
        key="columns[].hierarchy",
        flag="--hierarchy",
        metavar="COLUMN=FILE",
    ),
    Option(
        "levels",
        "File with the values of an ordinal column, the lowest first; repeatable.",
        "Columns",
        dict,
        key="columns[].levels",
        metavar="COLUMN=FILE",
    ),
    Option(
        "weights",
        "Weight of a quasi-identifier in distances; repeatable.",
        "Columns",
        dict,
        validate=lambda _, value: parse_weights(value),
        key="weights",
        flag="--weight",
        metavar="COLUMN=W",
        default_text="1 each",
    ),
    Option(
        "bounds",
        "Minimum and maximum of a numeric quasi-identifier; a value outside is refused; repeatable.",
        "Columns",
        dict,
        validate=parse_bounds,
        key="bounds",
        metavar="COLUMN=LOW:HIGH",
    ),
    Option(
        "k",
        "Minimum number of records that share their quasi-identifiers. There is no default: it is your decision.",
        "Protection",
        int,
        required=True,
        validate=lambda _, value: check_k(value),
        key="release.k",
        flag="-k",
    ),
    Option(
        "l",
        "Minimum number of different values of each sensitive column in every class.",
        "Protection",
        int,
        validate=lambda name, value: check_number(name, value, "a whole number above 1"),
        key="release.l",
        flag="-l",
    ),
    Option(
        "t",
        "Maximum distance, 0 to 1, between the distribution of each sensitive column in a class and in the table.",
        "Protection",
        float,
        validate=lambda name, value: check_number(name, value, "a number from 0 to 1"),
        key="release.t",
        flag="-t",
    ),
    Option(
        "models",
        f"Privacy model of a sensitive column: {', '.join(MODEL_FORMS[:-1])} or {MODEL_FORMS[-1]}; repeatable.",
        "Protection",
        dict,
        validate=lambda _, value: parse_models(value),
        key="models",
        flag="--model",
        metavar="COLUMN=MODEL",
    ),
    Option(
        "missing_values",
        "Treatment of missing quasi-identifiers.",
        "Protection",
        default="category",
        choices=MISSING_POLICIES,
        key="missing.policy",
    ),
    Option(
        "alpha",
        "With wildcards, the weight of a compatible record with missing values.",
        "Protection",
        float,
        1.0,
        check_fraction,
        key="missing.alpha",
    ),
    Option(
        "max_suppression",
        "Maximum fraction of the records that may be suppressed.",
        "Protection",
        float,
        0.0,
        check_fraction,
        key="release.suppression",
    ),
    Option(
        "method",
        "Microaggregation method; shoal methods lists them.",
        "Method and search",
        validate=_check_method,
        key="release.method",
        metavar="NAME",
        default_text="auto, which tries several",
    ),
    Option(
        "refine",
        "Improve the groups of the method by local search.",
        "Method and search",
        bool,
        key="refine",
        flag="--refine/--no-refine",
        default_text="only for auto, or with an effort or a time limit",
    ),
    Option(
        "effort",
        "Effort of local search: descent only, some seconds, or up to some minutes.",
        "Method and search",
        choices=EFFORTS,
        key="refine.effort",
        default_text="balanced",
    ),
    Option(
        "time_limit",
        "Time limit of method and search in seconds. The policy records the steps that were done.",
        "Method and search",
        float,
        validate=check_seconds,
        key="refine.seconds",
        metavar="SECONDS",
    ),
    Option(
        "blocks",
        "Run the method in blocks of at most this many records.",
        "Method and search",
        int,
        validate=check_blocks,
        key="release.blocks",
        metavar="RECORDS",
        default_text="no blocks; auto uses them for large tables",
    ),
    Option(
        "seed",
        "Seed of searches and of methods that draw at random.",
        "Method and search",
        int,
        0,
        lambda name, value: check_seed(value, name=name),
        key="release.seed",
    ),
    Option(
        "standardize",
        "Measure distances on columns that are not scaled to mean 0 and standard deviation 1.",
        "Method and search",
        bool,
        True,
        key="options.standardize",
        flag="--no-standardize",
    ),
    Option(
        "distance",
        "Distance between nodes of a hierarchy.",
        "Method and search",
        default=DISTANCES[0],
        choices=DISTANCES,
        key="options.distance",
    ),
    Option(
        "recode",
        "Aggregate that replaces the values of a group: mean, median or interval for numbers and dates; centroid, mode"
        " or lcs for categories; generalize for interval and lcs; repeatable.",
        "Released values",
        validate=_check_recode,
        key="columns[].recode",
        metavar="[COLUMN=]NAME",
        default_text="mean, centroid",
    ),
    Option(
        "exact_means",
        "Release means and medians unrounded instead of with the decimals of their column.",
        "Released values",
        bool,
        False,
        key="options.exact_means",
    ),
    Option(
        "keep_totals",
        "Round means so that the total of each column is preserved.",
        "Released values",
        bool,
        False,
        key="options.keep_totals",
    ),
    Option(
        "shuffle",
        "Order the records by their released values, so that the original order cannot be recovered.",
        "Released values",
        bool,
        False,
        key="options.shuffle",
    ),
    Option(
        "formulas",
        "Treatment of cells of a csv file that a spreadsheet would run; neutralize writes an apostrophe before them.",
        "Released values",
        default=FORMULA_POLICIES[0],
        choices=FORMULA_POLICIES,
        key="options.formulas",
    ),
    Option(
        "sampling_weights",
        "Column with the number of persons that each record represents.",
        "Survey",
        validate=lambda _, value: str(value),
        key="survey.sampling_weights",
        metavar="COLUMN",
    ),
    Option(
        "strata", "Columns that groups never cross, as a,b.", "Survey", list, (), key="survey.strata", metavar="COLUMNS"
    ),
    Option(
        "households",
        "Column with the household of each record. Members stay in one group, and k counts households.",
        "Survey",
        validate=lambda _, value: str(value),
        key="survey.households",
        metavar="COLUMN",
    ),
    Option(
        "largest_household",
        "Maximum size of a household; a larger one is refused.",
        "Survey",
        int,
        20,
        _check_household,
        key="survey.largest_household",
    ),
)
"""Every option of `shoal.anonymize`, in the order of the help."""
BY_NAME: Mapping[str, Option] = {option.name: option for option in RELEASE_OPTIONS}


def check_option(name: str, value: Any) -> Any:
    """Return the value of an option to use; raise if it is not valid."""
    return BY_NAME[name].check(value)


def default(name: str) -> Any:
    return BY_NAME[name].default
