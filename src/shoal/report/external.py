"""External report: what a published report may contain, as an allow list.

The figures of classes in the release stay, since anybody can count them there. Figures that only the original can give
are kept if they are about many records: a count below ten (or below k, if that is larger) becomes ``fewer than 10``,
and so does every figure from which such a count could be computed. Files, hashes of the input, seeds, options, dropped
columns, warnings, and rare or extreme values are left out. Of local search the report contains the effort and the gain:
its steps, and notes on the choice of a start, count different records of the original. Figures about the original are
no finer than a few records can change them. They are left out where they would disclose a few records: for a column in
which all others have the same value, or whose spread would disclose how far off a suppressed value is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from shoal.domain import Role
from shoal.errors.messages import format_number
from shoal.metrics import Measure, measures
from shoal.report.format import Figures
from shoal.report.interpretation import interpret

Facts = Mapping[str, Any]
EXTERNAL = "external"
MIN_COUNT = 10
"""Minimum count that is shown, unless k is larger."""
OTHERS = "all others"
_ROUNDING = 0.01
"""Counts that differ by less are equal up to rounding."""
_ZERO = 1e-12
_HIDDEN = "not shown"
EXTERNAL_MEASURES = frozenset(
    (
        # losses, except sums over cells: with their means these disclose how many cells there were, or how many
        # differ, and on raw columns also how far off the farthest record is
        *("mixed_loss", "information_loss", "semantic_loss", "c_avg", "discernibility", "extent", "gcp", "il1s_mean"),
        *("correlation_shift", "correlation_shift_mean", "eigenvalue_shift", "entropy", "pmse", "pmse_ratio"),
        *("query_means", "query_tables", "query_regression", "optimality_gap"),
        *("classes", "min_class", "unique_records", "k_violations", "k_violations_percent", "household_risk"),
        *("expected_reidentifications", "global_risk", "highest_risk", "marketer"),
        *("prosecutor_highest", "prosecutor_average", "prosecutor_at_risk"),
        *("journalist_highest", "journalist_average", "journalist_at_risk"),
        *("record_linkage", "record_linkage_tried", "d_risk", "minimal_uniques", "minimal_uniques_before"),
        *("loss", "certainty_penalty", "absolute_change", "entropy_lost", "interval_disclosure"),
        *("mean_shift", "spread_kept", "distribution", "values_kept"),
        *("distinct_l", "entropy_l", "closeness", "beta", "delta"),
        *("homogeneous_records", "homogeneous_classes", "guessed", "guessed_before"),
    )
)
"""Measures that may appear in an external report. New measures are left out until they are listed."""
_FRACTIONS = {"distribution": 1.0, "query_tables": 1.0, "interval_disclosure": 100.0, "pmse": 0.25}
"""Measures that are a fraction of the records, or grow with one, with their value for all records."""
_DISCLOSE_CATEGORY = ("semantic_loss", "mixed_loss")
"""With the losses of all other columns, these disclose the loss of a category."""
_DISCLOSE_MOMENTS = ("mean_shift", "spread_kept")
"""With the mean and the spread of the release, these disclose those of the original."""
_DISCLOSE_RANGE = ("certainty_penalty", "gcp", "extent")
"""With the intervals of the release, these disclose the range of the original."""


def external_facts(facts: Facts) -> dict[str, Any]:
    """The facts of a report for external readers, in the same shape."""
    proof, policy, search = facts["verification"], facts["policy"], facts["search"]
    few = SmallCounts(max(proof["k"], MIN_COUNT), proof["records"])
    released = [column for column in policy["columns"] if column["role"] != Role.IDENTIFIER]
    bands = _bands(facts["class_bands"], few)
    external: dict[str, Any] = {
        "version": EXTERNAL,
        "least": few.min_count,
        "shoal": facts["shoal"],
        "policy": {
            "release": _select(policy["release"], "k", "method", "suppression"),
            "missing": dict(policy["missing"]),
            "options": _select(policy["options"], "shuffle", "formulas"),
            "refine": _select(policy["refine"], "effort"),
            "weights": {},
            "bounds": {},
            "survey": _survey(policy["survey"], [column["name"] for column in released]),
            "models": [_select(model, "column", "model") for model in policy["models"]],
            "columns": [_select(column, "name", "role", "kind", "recode") for column in released],
            "input": {},
            "output": _select(policy["output"], "sha256"),
            "versions": _select(policy["versions"], "shoal"),
        },
        "method": _select(facts["method"], "name", "summary", "paper"),
        "account": [],
        "search": None if search is None else {"effort": search["effort"], "gained": float(f"{search['gained']:.2g}")},
        "verification": {
            **_select(proof, "ok", "k", "records", "classes", "min_class", "k_violations", "unique_records"),
            **_select(proof, "quasi_identifiers", "missing", "unit"),
            "models": [_select(check, "ok", "column", "model", "reached", "violations") for check in proof["models"]],
        },
        "evaluation": _evaluation(facts["evaluation"], few, bands=bands, columns=_columns(facts)),
        "sentences": [],
        "group_sizes": {size: count for size, count in facts["group_sizes"].items() if count >= few.min_count},
        "measures": facts["measures"],
        "warnings": [],
        "data": {
            "records": proof["records"],
            "columns": dict(facts["data"]["columns"]),
            "missing": {name: few.count(cells) for name, cells in facts["data"]["missing"].items()},
            "suppressed": few.count(facts["data"]["suppressed"]),
        },
        "class_bands": bands,
        "distributions": [
            visible
            for distribution in facts.get("distributions", ())
            if (visible := _distribution(distribution, few)) is not None
        ],
    }
    external["sentences"] = interpret(external)
    return external


@dataclass(frozen=True)
class SmallCounts:
    """Disclosure control of counts: hides small counts, and figures that disclose them."""

    min_count: int
    records: int

    def count(self, count: int) -> int | str:
        """A count, unless it discloses that few records are in it, or are not in it."""
        if self.is_safe(count):
            nearly_all = count and 0 < self.records - count < self.min_count
            return f"all but fewer than {self.min_count}" if nearly_all else count
        return f"fewer than {self.min_count}"

    def percent(self, percent: float) -> float | str:
        """A percentage of all records, unless it is that of few."""
        limit = 100 * self.min_count / self.records if self.records else 100.0
        if percent == 0:
            return percent
        if limit > 100:
            return _HIDDEN
        if percent < limit:
            return f"below {limit:.2g} %"
        return f"above {100 - limit:.4g} %" if 100 - limit < percent < 100 else percent

    def round_coarsely(self, figure: float, whole: float = 1.0) -> float | str:
        """Round to a multiple of the fraction that few records are of the whole."""
        step = whole * self.min_count / self.records
        if abs(figure) < _ZERO:
            return 0.0
        if step > whole:
            return _HIDDEN
        return f"below {step:.2g}" if abs(figure) < step else float(f"{step * round(figure / step):.3g}")

    def round_count(self, count: int) -> int:
        """Round a count to a multiple of the minimum; a positive count does not become 0."""
        return self.min_count * max(round(count / self.min_count), 1) if count else 0

    def is_safe(self, count: int) -> bool:
        """Whether a count may be shown exactly."""
        return count == 0 or count >= self.min_count


def _select(facts: Facts, *names: str) -> dict[str, Any]:
    return {name: facts[name] for name in names if name in facts}


def _survey(survey: Facts, released: Sequence[str]) -> dict[str, Any]:
    """Survey design without the names of columns that are not released."""

    def named(name: str) -> str:
        return name if name in released else "a column that is not released"

    known = _select(survey, "sampling_weights", "strata", "households")
    return {name: [*map(named, value)] if isinstance(value, list) else named(value) for name, value in known.items()}


@dataclass(frozen=True)
class _ColumnFacts:
    """What decides which figures about a quasi-identifier may be shown."""

    known: int
    """Number of records without a missing value."""
    not_modal: int
    """Number of these without the most frequent value, or outside the fullest bin."""
    suppressed: int
    """Number of these that are suppressed in the release."""
    numeric: bool
    recode: str

    @property
    def discloses_sums(self) -> bool:
        """Whether the release discloses the sums, or the ends, of all its numbers."""
        return not self.numeric or (not self.suppressed and self.recode != "median")


def _columns(facts: Facts) -> dict[str, _ColumnFacts]:
    recodings = {column["name"]: column.get("recode", "") for column in facts["policy"]["columns"]}
    columns: dict[str, _ColumnFacts] = {}
    for distribution in facts.get("distributions", ()):
        known, released = sum(distribution["before"]), sum(distribution["after"])
        numeric, recoding = distribution["kind"] != "categories", recodings.get(distribution["name"], "")
        columns[distribution["name"]] = _ColumnFacts(
            known, known - max(distribution["before"], default=0), known - released, numeric, recoding
        )
    return columns


def _evaluation(
    figures: Facts, few: SmallCounts, *, bands: Sequence[Facts], columns: Mapping[str, _ColumnFacts]
) -> dict[str, Any]:
    """Filter the measures by family: those of the release stay, those of the original depend on what they count."""
    known = measures()
    varied_columns = {name: column for name, column in columns.items() if column.not_modal >= few.min_count}
    one_category_constant = any(not column.numeric and name not in varied_columns for name, column in columns.items())
    pmse_is_shown = isinstance(few.round_coarsely(figures["loss"].get("pmse") or 0.0, _FRACTIONS["pmse"]), float)
    suppressed_numbers = any(column.numeric and column.suppressed for column in columns.values())

    def filter_measures(values: Figures, allowed: Callable[[Measure, Any], Any]) -> dict[str, Any]:
        return {
            name: allowed(known[name], value) if name in EXTERNAL_MEASURES and value is not None else None
            for name, value in values.items()
            if name in known
        }

    def original(measure: Measure, value: Any) -> Any:
        if measure.unit == "%":
            return few.percent(value)
        return few.count(value) if isinstance(value, int) or measure.unit in ("records", "classes") else None

    def counts_apart(measure: Measure, value: Any) -> Any:
        return original(measure, value) if measure.unit in ("%", "records", "classes") else value

    def changed(name: str) -> Callable[[Measure, Any], Any]:
        column = varied_columns.get(name)

        def change(measure: Measure, value: Any) -> Any:
            if column is None or (measure.name in _DISCLOSE_RANGE and column.numeric and column.suppressed):
                return None
            if measure.name in _DISCLOSE_MOMENTS:
                return (
                    few.round_coarsely(value, 100.0 if measure.unit == "%" else 1.0) if column.discloses_sums else None
                )
            if measure.name in _FRACTIONS:
                share = value / _FRACTIONS[measure.name]
                few_of_known = isinstance(SmallCounts(few.min_count, column.known).percent(100 * share), str)
                return _HIDDEN if few_of_known else few.round_coarsely(value, _FRACTIONS[measure.name])
            return _rounded(value)

        return change

    def loss(measure: Measure, value: Any) -> Any:
        if (
            (suppressed_numbers and measure.name in _DISCLOSE_RANGE)
            or (one_category_constant and measure.name in _DISCLOSE_CATEGORY)
            or (measure.name == "pmse_ratio" and not pmse_is_shown)
        ):
            return None
        if measure.name in _FRACTIONS:
            return few.round_coarsely(value, _FRACTIONS[measure.name])
        return _rounded(value)

    before = filter_measures(figures["risk"]["before"], original)
    separated = _separate({**before, **filter_measures(figures["attacks"], counts_apart)}, few, bands)
    return {
        **_select(figures, "records", "k", "quasi_identifiers", "base", "distance"),
        "loss": filter_measures(figures["loss"], loss),
        "risk": {
            "before": {name: separated[name] for name in before},
            "after": filter_measures(figures["risk"]["after"], lambda _, value: value),
        },
        "attacks": {name: value for name, value in separated.items() if name not in before},
        "columns": {name: _rounded(value) for name, value in figures["columns"].items() if name in varied_columns},
        "changes": {name: filter_measures(values, changed(name)) for name, values in figures["changes"].items()},
        "disclosures": {name: filter_measures(values, counts_apart) for name, values in figures["disclosures"].items()},
        "notes": [],
    }


def _rounded(value: float) -> float:
    """Round to three digits: more of them would disclose the counts behind the figure."""
    return value if isinstance(value, int) else float(f"{value:.3g}")


def _separate(figures: Figures, few: SmallCounts, bands: Sequence[Facts]) -> dict[str, Any]:
    """Hide a figure that is close to another one, since their difference would be a small count.

    The same holds for a figure close to the number of records up to some band.
    """
    known, seen = measures(), list[float](accumulate(band["before"] for band in bands))
    separated: dict[str, Any] = {}
    for name, value in figures.items():
        separated[name] = value
        is_percent = known[name].unit == "%"
        if value is None or isinstance(value, str) or not (is_percent or known[name].unit or isinstance(value, int)):
            continue
        count = value * few.records / 100 if is_percent else value
        close = [other for other in seen if _ROUNDING < abs(other - count) < few.min_count]
        if close:
            other = 100 * close[0] / few.records if is_percent else close[0]
            separated[name] = f"nearly {format_number(other)}" + (" %" if is_percent else "")
        else:
            seen.append(count)
    return separated


def _bands(bands: Sequence[Facts], few: SmallCounts) -> list[dict[str, Any]]:
    """Merge bands of class sizes until each has none or enough records."""
    counts = [(band["before"], band["after"]) for band in bands]
    return [
        {"from": bands[run[0]]["from"], "to": bands[run[-1]]["to"], "before": before, "after": after}
        for run, before, after in _merged(counts, lambda before, after: few.is_safe(before) and few.is_safe(after))
    ]


def _distribution(distribution: Facts, few: SmallCounts) -> dict[str, Any] | None:
    """Frequencies of values that enough records have; None if nothing can be shown."""
    frequencies = _categories(distribution, few) if distribution["kind"] == "categories" else _bins(distribution, few)
    # imputed cells are not counted, but the release has them: the difference would disclose their values
    imputed = distribution["blank_before"] and sum(distribution["after"]) + distribution["blank_after"] < few.records
    if len(frequencies["before"]) < 2 or imputed:
        return None
    blank = few.count(distribution["blank_before"])
    if isinstance(blank, str):
        # the exact number of other records would disclose the number of blank ones
        frequencies["before"] = tuple(map(few.round_count, frequencies["before"]))
    return {
        "name": distribution["name"],
        "kind": distribution["kind"],
        **frequencies,
        "blank_before": blank,
        "blank_after": few.count(distribution["blank_after"]),
        "depths": [(level, few.count(records)) for level, records in distribution["depths"]],
    }


def _bins(distribution: Facts, few: SmallCounts) -> dict[str, Any]:
    """Merge bins until each has enough records; the first and the last one are open."""
    counts = list(zip(distribution["before"], distribution["after"], strict=True))
    bins = _merged(counts, lambda before, after: before >= few.min_count and few.is_safe(after))
    return {
        "labels": (),
        "edges": tuple(distribution["edges"][run[0]] for run, _, _ in bins[1:]),
        "before": tuple(before for _, before, _ in bins),
        "after": tuple(after for _, _, after in bins),
    }


def _categories(distribution: Facts, few: SmallCounts) -> dict[str, Any]:
    """Values that enough records have and that the release contains; all others are summed up, if they are enough."""
    rows = list(zip(distribution["labels"], distribution["before"], distribution["after"], strict=True))
    listed = [
        (label, before, after)
        for label, before, after in rows
        if before >= few.min_count and after >= few.min_count and not label.startswith(OTHERS)
    ]
    rest = [sum(row[i] for row in rows) - sum(row[i] for row in listed) for i in (1, 2)]
    while listed and not all(few.is_safe(count) for count in rest):
        _, before, after = listed.pop(min(range(len(listed)), key=lambda i: listed[i][1]))
        rest = [rest[0] + before, rest[1] + after]
    if any(rest):
        listed.append((OTHERS, *rest))
    return {
        "labels": tuple(label for label, _, _ in listed),
        "edges": (),
        "before": tuple(before for _, before, _ in listed),
        "after": tuple(after for _, _, after in listed),
    }


def _merged(counts: Sequence[tuple[int, int]], enough: Callable[[int, int], bool]) -> list[tuple[range, int, int]]:
    """Merge neighbors from the first on until there are enough; a rest at the end is merged with the last ones.

    Return the range of each merged run and its counts.
    """
    runs: list[tuple[range, int, int]] = []
    start = before = after = 0
    for i, (count_before, count_after) in enumerate(counts):
        before, after = before + count_before, after + count_after
        if enough(before, after):
            runs.append((range(start, i + 1), before, after))
            start, before, after = i + 1, 0, 0
    if start < len(counts):
        while runs and not enough(before, after):
            run, count_before, count_after = runs.pop()
            start, before, after = run.start, before + count_before, after + count_after
        runs.append((range(start, len(counts)), before, after))
    return runs
