"""What outsiders may see of a report: a list of what is let through, never of what is taken out.

Who has the release can count in it, so that the figures of its classes stay. What only the original table tells is
let through where it is about many records: a count below ten (or below k, if that is more) becomes ``fewer than 10``,
and so does what such a count could be computed from. Files, hashes of the input, seeds, options, dropped columns and
warnings stay inside, and so do values that are rare or extreme. Of local search outsiders see how far it went and what
it gained: its steps, and what is told of the choice of a start, count different records of the original. Figures about
the original are no finer than so few records can move them, and there are none where they would tell of a few: of a
column in which all others are alike, or by whose spread the release would tell how far off a value is that it does not
show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from shoal.measure import Measure, measures
from shoal.report.figures import Figures
from shoal.report.sentences import sentences
from shoal.schema import Role
from shoal.words import number

Facts = Mapping[str, Any]
EXTERNAL = "external"
LEAST = 10
"""Counts below it are not shown, nor those below k."""
OTHERS = "all others"
_SAME = 0.01
"""Counts that differ by less are the same one, up to rounding."""
_NOTHING = 1e-12
_HIDDEN = "not shown"
SEEN = frozenset(
    (
        # losses, but for sums over cells: beside their means these tell how many cells there were, or how many differ,
        # and on columns as they are also how far off the farthest record is
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
"""The measures of which outsiders may see something: one that nobody thought about stays inside."""
_SHARES = {"distribution": 1.0, "query_tables": 1.0, "interval_disclosure": 100.0, "pmse": 0.25}
"""What is a share of the records or grows with one, and how much it is where that is all of them."""
_TOGETHER = ("semantic_loss", "mixed_loss")
"""What tells the loss of a category beside those of all other columns."""
_MOMENTS = ("mean_shift", "spread_kept")
"""What tells the mean and the spread of the original beside those of the release."""
_REACH = ("certainty_penalty", "gcp", "extent")
"""What tells the range of the original beside the intervals of the release."""


def for_outsiders(facts: Facts) -> dict[str, Any]:
    """The facts of a report that may leave the house, in the same shape."""
    proof, policy, search = facts["verification"], facts["policy"], facts["search"]
    few = Few(max(proof["k"], LEAST), proof["records"])
    released = [column for column in policy["columns"] if column["role"] != Role.IDENTIFIER]
    bands = _bands(facts["class_bands"], few)
    seen: dict[str, Any] = {
        "version": EXTERNAL,
        "least": few.least,
        "shoal": facts["shoal"],
        "policy": {
            "release": _some(policy["release"], "k", "method", "suppression"),
            "missing": dict(policy["missing"]),
            "options": _some(policy["options"], "shuffle", "formulas"),
            "refine": _some(policy["refine"], "effort"),
            "weights": {},
            "bounds": {},
            "survey": _survey(policy["survey"], [column["name"] for column in released]),
            "models": [_some(model, "column", "model") for model in policy["models"]],
            "columns": [_some(column, "name", "role", "kind", "recode") for column in released],
            "input": {},
            "output": _some(policy["output"], "sha256"),
            "versions": _some(policy["versions"], "shoal"),
        },
        "method": _some(facts["method"], "name", "summary", "paper"),
        "account": [],
        "search": None if search is None else {"effort": search["effort"], "gained": float(f"{search['gained']:.2g}")},
        "verification": {
            **_some(proof, "ok", "k", "records", "classes", "min_class", "k_violations", "unique_records"),
            **_some(proof, "quasi_identifiers", "missing", "unit"),
            "models": [_some(check, "ok", "column", "model", "reached", "violations") for check in proof["models"]],
        },
        "evaluation": _evaluation(facts["evaluation"], few, bands=bands, columns=_columns(facts)),
        "sentences": [],
        "group_sizes": {size: count for size, count in facts["group_sizes"].items() if count >= few.least},
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
            shown for found in facts.get("distributions", ()) if (shown := _distribution(found, few)) is not None
        ],
    }
    seen["sentences"] = sentences(seen)
    return seen


@dataclass(frozen=True)
class Few:
    """Counts of too few records, and what tells them."""

    least: int
    records: int

    def count(self, count: int) -> int | str:
        """A count; nobody learns of few records that they are in it, or that they are not."""
        if self.enough(count):
            return f"all but fewer than {self.least}" if count and 0 < self.records - count < self.least else count
        return f"fewer than {self.least}"

    def share(self, percent: float) -> float | str:
        """A share of all records in percent, unless it is that of a few."""
        limit = 100 * self.least / self.records if self.records else 100.0
        if percent == 0:
            return percent
        if limit > 100:
            return _HIDDEN
        if percent < limit:
            return f"below {limit:.2g} %"
        return f"above {100 - limit:.4g} %" if 100 - limit < percent < 100 else percent

    def coarse(self, figure: float, whole: float = 1.0) -> float | str:
        """A figure to the nearest multiple of what a few records are of the whole."""
        step = whole * self.least / self.records
        if abs(figure) < _NOTHING:
            return 0.0
        if step > whole:
            return _HIDDEN
        return f"below {step:.2g}" if abs(figure) < step else float(f"{step * round(figure / step):.3g}")

    def rounded(self, count: int) -> int:
        """A count to the nearest of those that are told apart; none that is not 0 becomes 0."""
        return self.least * max(round(count / self.least), 1) if count else 0

    def enough(self, count: int) -> bool:
        """Whether a count may be shown as it is."""
        return count == 0 or count >= self.least


def _some(facts: Facts, *names: str) -> dict[str, Any]:
    return {name: facts[name] for name in names if name in facts}


def _survey(survey: Facts, released: Sequence[str]) -> dict[str, Any]:
    """How records came into the table, without the names of columns that are not released."""

    def named(name: str) -> str:
        return name if name in released else "a column that is not released"

    known = _some(survey, "sampling_weights", "strata", "households")
    return {name: [*map(named, told)] if isinstance(told, list) else named(told) for name, told in known.items()}


@dataclass(frozen=True)
class _Column:
    """What decides which figures about a quasi-identifier may be seen."""

    known: int
    """The records in which it was not missing."""
    aside: int
    """Those of them that do not have the most frequent value, or are not in the fullest bin."""
    hidden: int
    """Those of them of which the release shows nothing."""
    numeric: bool
    recode: str

    @property
    def told(self) -> bool:
        """Whether the release tells the sums, or the ends, of all its numbers."""
        return not self.numeric or (not self.hidden and self.recode != "median")


def _columns(facts: Facts) -> dict[str, _Column]:
    """The quasi-identifiers whose values were counted."""
    ways = {column["name"]: column.get("recode", "") for column in facts["policy"]["columns"]}
    found: dict[str, _Column] = {}
    for shape in facts.get("distributions", ()):
        known, shown = sum(shape["before"]), sum(shape["after"])
        numeric, way = shape["kind"] != "categories", ways.get(shape["name"], "")
        found[shape["name"]] = _Column(known, known - max(shape["before"], default=0), known - shown, numeric, way)
    return found


def _evaluation(figures: Facts, few: Few, *, bands: Sequence[Facts], columns: Mapping[str, _Column]) -> dict[str, Any]:
    """The figures by family: those of the release as they are, those of the original by what they count."""
    known = measures()
    varied = {name: column for name, column in columns.items() if column.aside >= few.least}
    alike = any(not column.numeric and name not in varied for name, column in columns.items())
    told_apart = isinstance(few.coarse(figures["loss"].get("pmse") or 0.0, _SHARES["pmse"]), float)
    unseen = any(column.numeric and column.hidden for column in columns.values())

    def kept(found: Figures, allowed: Callable[[Measure, Any], Any]) -> dict[str, Any]:
        return {
            name: allowed(known[name], value) if name in SEEN and value is not None else None
            for name, value in found.items()
            if name in known
        }

    def original(measure: Measure, value: Any) -> Any:
        if measure.unit == "%":
            return few.share(value)
        return few.count(value) if isinstance(value, int) or measure.unit in ("records", "classes") else None

    def counts_apart(measure: Measure, value: Any) -> Any:
        return original(measure, value) if measure.unit in ("%", "records", "classes") else value

    def changed(name: str) -> Callable[[Measure, Any], Any]:
        column = varied.get(name)

        def change(measure: Measure, value: Any) -> Any:
            if column is None or (measure.name in _REACH and column.numeric and column.hidden):
                return None
            if measure.name in _MOMENTS:
                return few.coarse(value, 100.0 if measure.unit == "%" else 1.0) if column.told else None
            if measure.name in _SHARES:
                share = value / _SHARES[measure.name]
                few_of_known = isinstance(Few(few.least, column.known).share(100 * share), str)
                return _HIDDEN if few_of_known else few.coarse(value, _SHARES[measure.name])
            return _rounded(value)

        return change

    def loss(measure: Measure, value: Any) -> Any:
        if unseen and measure.name in _REACH:
            return None
        if (alike and measure.name in _TOGETHER) or (measure.name == "pmse_ratio" and not told_apart):
            return None
        if measure.name in _SHARES:
            return few.coarse(value, _SHARES[measure.name])
        return _rounded(value)

    before = kept(figures["risk"]["before"], original)
    told = _apart({**before, **kept(figures["attacks"], counts_apart)}, few, bands)
    return {
        **_some(figures, "records", "k", "quasi_identifiers", "base", "distance"),
        "loss": kept(figures["loss"], loss),
        "risk": {
            "before": {name: told[name] for name in before},
            "after": kept(figures["risk"]["after"], lambda _, value: value),
        },
        "attacks": {name: value for name, value in told.items() if name not in before},
        "columns": {name: _rounded(value) for name, value in figures["columns"].items() if name in varied},
        "changes": {name: kept(found, changed(name)) for name, found in figures["changes"].items()},
        "disclosures": {name: kept(found, counts_apart) for name, found in figures["disclosures"].items()},
        "notes": [],
    }


def _rounded(value: float) -> float:
    """A figure in three digits: many of them tell which counts it was computed from."""
    return value if isinstance(value, int) else float(f"{value:.3g}")


def _apart(told: Figures, few: Few, bands: Sequence[Facts]) -> dict[str, Any]:
    """Figures of which no two together tell a few: one that nearly is another is only said to be nearly that.

    So it is where one nearly is the number of records up to some band.
    """
    known, seen = measures(), list[float](accumulate(band["before"] for band in bands))
    found: dict[str, Any] = {}
    for name, value in told.items():
        found[name] = value
        share = known[name].unit == "%"
        if value is None or isinstance(value, str) or not (share or known[name].unit or isinstance(value, int)):
            continue
        count = value * few.records / 100 if share else value
        near = [other for other in seen if _SAME < abs(other - count) < few.least]
        if near:
            other = 100 * near[0] / few.records if share else near[0]
            found[name] = f"nearly {number(other)}" + (" %" if share else "")
        else:
            seen.append(count)
    return found


def _bands(bands: Sequence[Facts], few: Few) -> list[dict[str, Any]]:
    """Bands of class sizes, put together until each has none or enough records."""
    counts = [(band["before"], band["after"]) for band in bands]
    runs = _runs(counts, lambda before, after: few.enough(before) and few.enough(after))
    return [
        {
            "from": bands[run[0]]["from"],
            "to": bands[run[-1]]["to"],
            "before": sum(counts[i][0] for i in run),
            "after": sum(counts[i][1] for i in run),
        }
        for run in runs
    ]


def _distribution(found: Facts, few: Few) -> dict[str, Any] | None:
    """How often values occur, where enough records have them; None where that tells nothing."""
    shown = _categories(found, few) if found["kind"] == "categories" else _bins(found, few)
    # cells that were missing and are filled are not counted: the release has them, so that what is counted tells them
    filled = found["blank_before"] and sum(found["after"]) + found["blank_after"] < few.records
    if len(shown["before"]) < 2 or filled:
        return None
    blank = few.count(found["blank_before"])
    if isinstance(blank, str):
        # what is not blank would tell what is
        shown["before"] = tuple(map(few.rounded, shown["before"]))
    return {
        "name": found["name"],
        "kind": found["kind"],
        **shown,
        "blank_before": blank,
        "blank_after": few.count(found["blank_after"]),
        "depths": [(level, few.count(records)) for level, records in found["depths"]],
    }


def _bins(found: Facts, few: Few) -> dict[str, Any]:
    """Bins put together until enough records are in each; the first and the last of them are open."""
    counts = list(zip(found["before"], found["after"], strict=True))
    runs = _runs(counts, lambda before, after: before >= few.least and few.enough(after))
    return {
        "labels": (),
        "edges": tuple(found["edges"][run[0]] for run in runs[1:]),
        "before": tuple(sum(counts[i][0] for i in run) for run in runs),
        "after": tuple(sum(counts[i][1] for i in run) for run in runs),
    }


def _categories(found: Facts, few: Few) -> dict[str, Any]:
    """The values that enough records have, and that the release shows; all others together, and enough of them."""
    rows = list(zip(found["labels"], found["before"], found["after"], strict=True))
    shown = [
        (label, before, after)
        for label, before, after in rows
        if before >= few.least and after >= few.least and not label.startswith(OTHERS)
    ]
    rest = [sum(row[i] for row in rows) - sum(row[i] for row in shown) for i in (1, 2)]
    while shown and not all(few.enough(count) for count in rest):
        _, before, after = shown.pop(min(range(len(shown)), key=lambda i: shown[i][1]))
        rest = [rest[0] + before, rest[1] + after]
    if any(rest):
        shown.append((OTHERS, *rest))
    return {
        "labels": tuple(label for label, _, _ in shown),
        "edges": (),
        "before": tuple(before for _, before, _ in shown),
        "after": tuple(after for _, _, after in shown),
    }


def _runs(counts: Sequence[tuple[int, int]], enough: Callable[[int, int], bool]) -> list[range]:
    """Neighbors put together from the first on until there are enough; what is left at the end joins the last."""
    runs: list[range] = []
    start = before = after = 0
    for i, (was, now) in enumerate(counts):
        before, after = before + was, after + now
        if enough(before, after):
            runs.append(range(start, i + 1))
            start, before, after = i + 1, 0, 0
    while start < len(counts):
        if not runs:
            return [range(len(counts))]
        start = runs.pop().start
        if enough(sum(was for was, _ in counts[start:]), sum(now for _, now in counts[start:])):
            runs.append(range(start, len(counts)))
            break
    return runs
