"""Registry of microaggregation methods.

A method is a function ``(records, k, *, progress, **options) -> labels`` decorated with ``@method(...)``. Its
keyword-only parameters besides ``progress`` and ``seed`` are its options, with their defaults. The command line,
``shoal methods``, the docs, the common checks and the benchmarks all read this registry.
Third parties register methods in a module named by an entry point of the group ``shoal.methods``.
"""

from __future__ import annotations

import inspect
import json
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shoal.domain import IntVector, Partition, Progress, Records, check_k, no_progress, number_by_first_row
from shoal.domain.columns import Kind, Role, Schema
from shoal.errors import ColumnError, DataError, OptionError, PromiseError

AUTO = "auto"
"""The default method."""
_MAX_BY_DISTANCE = 50_000
"""Maximum records of a mixed table for distance-based methods, whose time is quadratic."""

_WITH_NUMBERS = ("hm", "mondrian-extent", "mdav", "tour-mhm", "ward-mhm", "v-mdav", "dba-2")
_CATEGORIES_ONLY = ("sa-mdav-plus", "sa-mondrian-strict", "mondrian-branch", "k-modes", "mosaicrown", "mondrian-extent")
_FOR_LARGE = ("hm", "mondrian-extent", "mondrian", "mondrian-relaxed", "mosaicrown", "k-means")
"""Recommended methods, fastest first: for tables with numbers, for categories only, and for large tables."""

_MEASURED = (Kind.NUMERIC, Kind.DATE)
ALL_KINDS = (Kind.NUMERIC, Kind.ORDINAL, Kind.NOMINAL, Kind.HIERARCHICAL, Kind.DATE)
"""All kinds of columns; distance-based methods support them."""


class MethodResult(NamedTuple):
    """Labels with notes, from a method that makes choices of its own and explains them."""

    labels: IntVector
    notes: tuple[str, ...]


LabelFunction = Callable[..., IntVector | MethodResult]
L = TypeVar("L", bound=LabelFunction)
_registered: dict[str, Method] = {}


@dataclass(frozen=True)
class Method:
    """Metadata of a registered method."""

    name: str
    family: str
    kinds: tuple[Kind, ...]
    paper: str
    year: int
    cost: str
    largest_group: Callable[[int], int] | None
    """Maximum group size for a given k; None without a limit, since equal records stay together."""
    max_columns: int | None
    max_records: int | None
    supports_mixed: bool
    """Whether the method supports numbers and categories together."""
    supports_constraints: bool
    """Whether every group satisfies ``records.constraints`` if the table as a whole does."""
    function: LabelFunction

    @property
    def summary(self) -> str:
        """First line of the docstring of the method."""
        return self.docstring.partition("\n")[0]

    @property
    def docstring(self) -> str:
        """Docstring of the method."""
        return inspect.getdoc(self.function) or ""

    @property
    def family_summary(self) -> str:
        """First line of the docstring of the module of the method."""
        return (inspect.getdoc(inspect.getmodule(self.function)) or "").partition("\n")[0]

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """Method-specific options and their defaults."""
        parameters = inspect.signature(self.function).parameters.values()
        method_options = (p for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in ("progress", "seed"))
        return {p.name: p.default for p in method_options}

    def supports(self, kinds: Sequence[Kind], *, records: int) -> bool:
        """Whether the method supports columns of these kinds and this number of records."""
        return (
            set(kinds) <= set(self.kinds)
            and (self.supports_mixed or len({kind in _MEASURED for kind in kinds}) == 1)
            and (self.max_columns is None or len(kinds) <= self.max_columns)
            and (self.max_records is None or records <= self.max_records)
        )

    def check_options(self, given: Iterable[str]) -> None:
        """Raise an error for an unknown option."""
        for name in given:
            if name not in self.options:
                raise OptionError.unknown_option(name, self.name, list(self.options) or ["none of its own"])

    @cached_property
    def seeded(self) -> bool:
        return "seed" in inspect.signature(self.function).parameters

    @property
    def growth(self) -> Growth | None:
        """Measured growth of the time; None without a measurement, as for third-party methods."""
        return measured_growth().get(self.name)

    @property
    def largest_group_text(self) -> str:
        """Maximum group size as text, such as ``2k-1``."""
        if self.largest_group is None:
            return "as many as are equal"
        slope = self.largest_group(101) - self.largest_group(100)
        rest = self.largest_group(100) - 100 * slope
        return f"{slope}k{rest:+d}" if rest else f"{slope}k"

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types with a stable key order."""
        return {
            "name": self.name,
            "family": self.family,
            "about_family": self.family_summary,
            "summary": self.summary,
            "kinds": [str(kind) for kind in self.kinds],
            "most_columns": self.max_columns,
            "most_records": self.max_records,
            "largest_group": self.largest_group_text,
            "cost": self.cost,
            "growth": None if self.growth is None else self.growth.to_dict(),
            "options": dict(self.options),
            "enforces": self.supports_constraints,
            "paper": self.paper,
            "year": self.year,
        }


def method(
    *,
    name: str,
    paper: str,
    year: int,
    cost: str,
    largest_group: Callable[[int], int] | None,
    kinds: tuple[Kind, ...] = (Kind.NUMERIC,),
    max_columns: int | None = None,
    max_records: int | None = None,
    supports_mixed: bool = False,
    supports_constraints: bool = False,
) -> Callable[[L], L]:
    """Register the decorated function as a method."""

    def register(labels: L) -> L:
        family = labels.__module__.rpartition(".")[2].replace("_", "-")
        _registered[name] = Method(
            name,
            family,
            kinds,
            paper,
            year,
            cost,
            largest_group,
            max_columns,
            max_records,
            supports_mixed,
            supports_constraints,
            labels,
        )
        return labels

    return register


mixed_method = partial(method, largest_group=lambda k: 2 * k - 1, kinds=ALL_KINDS, supports_mixed=True)
"""Registers a method for numbers and categories together whose groups have at most 2k - 1 records."""


@cache
def methods() -> Mapping[str, Method]:
    """Return all methods by name, including third-party methods."""
    package = import_module("shoal.microaggregation")
    for module in pkgutil.iter_modules(package.__path__, "shoal.microaggregation."):
        import_module(module.name)
    for entry in entry_points(group="shoal.methods"):
        entry.load()
    return dict(sorted(_registered.items()))


def get_method(name: str) -> Method:
    """Return the method with this name."""
    known = methods()
    if not isinstance(name, str) or name not in known:
        raise OptionError.unknown_choice("method", str(name), list(known))
    return known[name]


def supported_methods(schema: Schema, records: int) -> list[str]:
    """Return the methods that support the quasi-identifiers and the number of records."""
    return [name for name, method in methods().items() if method.supports(_kinds(schema), records=records)]


def recommended_methods(schema: Schema, records: int) -> list[str]:
    """Return the default method, then other recommended methods that support the table."""
    kinds = _kinds(schema)
    with_numbers = _FOR_LARGE if records > _MAX_BY_DISTANCE else _WITH_NUMBERS
    candidates = with_numbers if any(kind in _MEASURED for kind in kinds) else _CATEGORIES_ONLY
    supported = supported_methods(schema, records)
    return list(dict.fromkeys([AUTO, *(name for name in candidates if name in supported)]))


def _kinds(schema: Schema) -> list[Kind]:
    return [column.kind for column in schema.columns if column.role is Role.QUASI_IDENTIFIER]


def _supported_method(kinds: Iterable[Kind], records: int) -> str:
    """Return a method that supports these columns, for error messages."""
    measured = {kind in _MEASURED for kind in kinds}
    if measured == {False}:
        return "sa-mdav-plus"
    return "mdav" if measured == {True} or records <= _MAX_BY_DISTANCE else "mondrian-extent"


def run(
    records: Records,
    *,
    k: int,
    method: str,
    seed: int = 0,
    progress: Progress = no_progress,
    options: Mapping[str, Any] | None = None,
) -> Partition:
    """Run a method by name and check its groups."""
    k = check_k(k, records.count)
    chosen = get_method(method)
    arguments = dict(options or {})
    chosen.check_options(arguments)
    _check_kinds(records, chosen)
    if chosen.max_columns is not None and len(records.names) > chosen.max_columns:
        raise OptionError.too_many_columns(method, most=chosen.max_columns, found=len(records.names))
    if chosen.max_records is not None and records.count > chosen.max_records:
        raise OptionError.too_many_records(method, most=chosen.max_records, found=records.count)
    if records.numeric and not np.isfinite(records.matrix).all():
        raise DataError.distance_overflow()
    if chosen.seeded:
        arguments["seed"] = seed
    result = chosen.function(records, k, progress=progress, **arguments)
    labels, account = result if isinstance(result, MethodResult) else (result, ())
    return Partition(labels=_check_labels(labels, records, k, chosen), k=k, method=method, account=account)


def _check_kinds(records: Records, chosen: Method) -> None:
    """Raise an error for unsupported kinds of columns."""
    for name, kind in records.kinds.items():
        if kind not in chosen.kinds:
            alternative = _supported_method(records.kinds.values(), records.count)
            raise ColumnError.kind_not_supported(name, kind, chosen.kinds, chosen.name, taking=alternative)
    if records.categories and records.numeric and not chosen.supports_mixed:
        raise ColumnError.mixed_kinds_not_supported(
            chosen.name, numbers=len(records.numeric), others=len(records.categories)
        )


def _check_labels(labels: IntVector, records: Records, k: int, chosen: Method) -> IntVector:
    """Check the labels and the group sizes; return labels numbered by first appearance.

    The declared maximum size does not apply with privacy models, which may need larger groups.
    """
    if not isinstance(labels, np.ndarray) or labels.shape != (records.count,) or labels.dtype.kind not in "iu":
        raise PromiseError.invalid_partition(chosen.name, "not one whole number a record")
    if labels.min() < 0:
        raise PromiseError.invalid_partition(chosen.name, "records without a group")
    _, numbered = number_by_first_row(labels)
    sizes = np.bincount(numbered)
    if sizes.min() < k:
        raise PromiseError.invalid_partition(chosen.name, f"a group of {sizes.min()} records for k = {k}")
    largest_group = chosen.largest_group if records.constraints is None else None
    if largest_group is not None and sizes.max() > largest_group(k):
        raise PromiseError.invalid_partition(chosen.name, f"a group of {sizes.max()} records for k = {k}")
    return numbered


GROWTH_FILE = Path(__file__).with_name("growth.json")
"""Measurements of ``benchmarks/growth.py --write``."""


@dataclass(frozen=True)
class Growth:
    """Power law fitted to the measured times: proportional to records ** exponent."""

    exponent: float
    min_records: int
    max_records: int
    """Minimum and maximum number of records measured."""
    seconds: float
    """CPU seconds for the maximum number of records."""
    data: str

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types with a stable key order."""
        return {
            "exponent": self.exponent,
            "from": self.min_records,
            "to": self.max_records,
            "seconds": self.seconds,
            "data": self.data,
        }


@cache
def measured_growth() -> Mapping[str, Growth]:
    """Return the growth of all measured methods by name."""
    if not GROWTH_FILE.exists():
        return {}
    measured = json.loads(GROWTH_FILE.read_text(encoding="utf-8"))["methods"]
    return {
        name: Growth(entry["exponent"], entry["from"], entry["to"], entry["seconds"], entry["data"])
        for name, entry in measured.items()
    }
