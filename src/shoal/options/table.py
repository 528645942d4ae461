"""Options of a release, each declared once.

`shoal.anonymize` takes defaults and checks from here, a policy file its keys, the command line its flags, types and
help, the web page its defaults, and the documentation a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import OptionError
from shoal.options.checks import (
    check_bool,
    check_choice,
    check_count,
    check_fraction,
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
    help: str = ""

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
        if self.type is list and not isinstance(value, str | int | Iterable | None):
            raise OptionError.invalid_value(self.name, "names of columns")
        return check_bool(self.name, value) if self.type is bool else value


# fmt: off
RELEASE_OPTIONS = (
    Option("quasi_identifiers", "Columns", list, required=True, key="columns[].role", flag="-q --quasi-identifiers",
           metavar="COLUMNS",
           help="Columns that others could know about a person, as a,b,c."),
    Option("identifiers", "Columns", list, (), key="columns[].role", metavar="COLUMNS",
           help="Columns that name a person. They are dropped."),
    Option("sensitive", "Columns", list, (), key="columns[].role", metavar="COLUMNS",
           help="Columns that must not be linked to a person. They are released unchanged."),
    Option("keep", "Columns", list, (), key="keep", metavar="COLUMNS",
           help="Columns without another role that you release unchanged on purpose."),
    Option("drop_others", "Columns", bool, False, key="drop_others",
           help="Drop every column without a role."),
    Option("kinds", "Columns", dict, key="columns[].kind", flag="--kind", metavar="COLUMN=KIND",
           help="Kind of a column: nominal, ordinal, numeric or date; repeatable."),
    Option("hierarchies", "Columns", dict, key="columns[].hierarchy", flag="--hierarchy", metavar="COLUMN=FILE",
           help="File with the hierarchy of the values of a column; repeatable."),
    Option("levels", "Columns", dict, key="columns[].levels", metavar="COLUMN=FILE",
           help="File with the values of an ordinal column, the lowest first; repeatable."),
    Option("weights", "Columns", dict, validate=lambda _, value: parse_weights(value), key="weights", flag="--weight",
           metavar="COLUMN=W", default_text="1 each",
           help="Weight of a quasi-identifier in distances; repeatable."),
    Option("bounds", "Columns", dict, validate=parse_bounds, key="bounds", metavar="COLUMN=LOW:HIGH",
           help="Minimum and maximum of a numeric quasi-identifier; a value outside is refused; repeatable."),
    Option("k", "Protection", int, required=True, validate=lambda _, value: check_k(value), key="release.k", flag="-k",
           help="Minimum number of records that share their quasi-identifiers. It has no default: you decide."),
    Option("l", "Protection", int, validate=lambda name, value: check_number(name, value, "a whole number above 1"),
           key="release.l", flag="-l",
           help="Minimum number of different values of each sensitive column in every class."),
    Option("t", "Protection", float, validate=lambda name, value: check_number(name, value, "a number from 0 to 1"),
           key="release.t", flag="-t",
           help="Maximum distance, 0 to 1, of the distribution of each sensitive column in a class from the table."),
    Option("models", "Protection", dict, key="models", flag="--model", metavar="COLUMN=MODEL",
           help=f"Privacy model of a sensitive column, one of {', '.join(MODEL_FORMS)}; repeatable."),
    Option("missing_values", "Protection", default="category", choices=MISSING_POLICIES, key="missing.policy",
           help="Treatment of missing quasi-identifiers; wildcard needs the whole table in memory."),
    Option("alpha", "Protection", float, 1.0, check_fraction, key="missing.alpha",
           help="With wildcards, the weight of a compatible record with missing values."),
    Option("max_suppression", "Protection", float, 0.0, check_fraction, key="release.suppression",
           help="Maximum fraction of the records that may be suppressed."),
    Option("method", "Method and search", validate=check_method_name, key="release.method", metavar="NAME",
           default_text="auto, which tries several",
           help="Microaggregation method; shoal methods lists them."),
    Option("refine", "Method and search", bool, key="refine", flag="--refine/--no-refine",
           default_text="only for auto, or with an effort or a time limit",
           help="Improve the groups of the method by local search."),
    Option("effort", "Method and search", choices=EFFORTS, key="refine.effort", default_text="balanced",
           help="Effort of local search: descent only, some seconds, or up to some minutes."),
    Option("time_limit", "Method and search", float, validate=check_seconds, key="refine.seconds", metavar="SECONDS",
           help="Time limit of method and search in seconds. The policy records the steps that were done."),
    Option("blocks", "Method and search", int, validate=check_count, key="release.blocks", metavar="RECORDS",
           default_text="no blocks; auto uses them for large tables",
           help="Run the method in blocks of at most this many records."),
    Option("seed", "Method and search", int, 0, lambda name, value: check_seed(value, name=name), key="release.seed",
           help="Seed of searches and of methods that draw at random."),
    Option("standardize", "Method and search", bool, True, key="options.standardize",
           flag="--standardize/--no-standardize", default_text="standardize",
           help="Measure distances on columns scaled to mean 0 and standard deviation 1."),
    Option("distance", "Method and search", default=DISTANCES[0], choices=DISTANCES, key="options.distance",
           help="Distance between nodes of a hierarchy."),
    Option("recode", "Released values", key="columns[].recode", metavar="[COLUMN=]NAME", default_text="mean, centroid",
           help="Aggregate that replaces the values of a group: mean, median or interval for numbers and dates;"
           " centroid, mode or lcs for categories; generalize for interval and lcs; repeatable."),
    Option("exact_means", "Released values", bool, False, key="options.exact_means",
           help="Release means and medians unrounded instead of with the decimals of their column."),
    Option("keep_totals", "Released values", bool, False, key="options.keep_totals",
           help="Round means so that the total of each column is preserved."),
    Option("shuffle", "Released values", bool, False, key="options.shuffle",
           help="Order the records by their released values, so that the original order cannot be recovered."),
    Option("formulas", "Released values", default=FORMULA_POLICIES[0], choices=FORMULA_POLICIES, key="options.formulas",
           help="Treatment of csv cells that a spreadsheet would run; neutralize writes an apostrophe before them."),
    Option("sampling_weights", "Survey", validate=lambda _, value: str(value), key="survey.sampling_weights",
           metavar="COLUMN",
           help="Column with the number of persons that each record represents."),
    Option("strata", "Survey", list, (), key="survey.strata", metavar="COLUMNS",
           help="Columns that groups never cross, as a,b."),
    Option("households", "Survey", validate=lambda _, value: str(value), key="survey.households", metavar="COLUMN",
           help="Column with the household of each record. Members stay in one group, and k counts households."),
    Option("largest_household", "Survey", int, 20, check_count, key="survey.largest_household",
           help="Maximum size of a household; a larger one is refused."),
)
# fmt: on
"""Every option of `shoal.anonymize`, in the order of the help."""
BY_NAME: Mapping[str, Option] = {option.name: option for option in RELEASE_OPTIONS}


def check_option(name: str, value: Any) -> Any:
    """Return the value of an option to use; raise if it is not valid."""
    return BY_NAME[name].check(value)


def default(name: str) -> Any:
    return BY_NAME[name].default
