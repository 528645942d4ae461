"""Options of a release, each declared once.

`shoal.anonymize` takes defaults and checks from here, a policy file its keys, the command line its flags, types and
help, the web page its defaults, and the documentation a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import OptionError
from shoal.options.checks import (
    check_blocks,
    check_bool,
    check_choice,
    check_fraction,
    check_household_size,
    check_k,
    check_method_name,
    check_number,
    check_seconds,
    check_seed,
    parse_bounds,
    parse_weights,
    to_python,
)

MISSING_POLICIES = ("category", "wildcard", "impute", "suppress", "refuse")
"""Treatment of missing quasi-identifiers: as a category; compatible with every value; imputed by group; suppress the
record; refuse the table.
"""
FORMULA_POLICIES = ("keep", "neutralize")
"""Treatment of text cells that a spreadsheet would execute: unchanged, or prefixed with an apostrophe."""
EFFORTS = ("fast", "balanced", "best")
"""Effort of local search: descent only; with annealing; ten times the annealing and an integer program."""
DISTANCES = ("wu-palmer", "path", "leacock-chodorow", "information")
"""Distances between nodes of a hierarchy."""
MODEL_FORMS = ("distinct-l(L)", "entropy-l(L)", "recursive-l(C,L)", "t-equal(T)", "t-ordered(T)", "t-hierarchical(T)")
"""The notation of privacy models; L is above 1, C above 0, T from 0 to 1."""
GROUPS = (
    *("Columns", "Protection", "Measures", "Method and search", "Released values", "Survey", "Linked releases"),
    *("Reading the file", "Outputs", "Large files"),
)
"""Groups of options in the help of a command, in their order."""


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

    @property
    def flags(self) -> list[str]:
        return self.flag.split() or [f"--{self.name.replace('_', '-')}"]

    def check(self, value: Any) -> Any:
        """Return the value to use; raise if it is not valid. The default is always valid."""
        value = to_python(value)
        if value is None and self.default is None and not self.required:
            return None
        if self.validate is not None:
            return self.validate(self.name, value)
        if self.choices:
            return check_choice(self.name, value, self.choices)
        if self.type is dict and not isinstance(value, Mapping):
            raise OptionError.invalid_value(self.name, "one for each column that is named, such as {'column': ...}")
        return check_bool(self.name, value) if self.type is bool else value


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
        validate=check_method_name,
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
        "Measure distances on columns scaled to mean 0 and standard deviation 1.",
        "Method and search",
        bool,
        True,
        key="options.standardize",
        flag="--standardize/--no-standardize",
        default_text="standardize",
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
        check_household_size,
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
