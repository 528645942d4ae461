"""The registry of methods: the door of this room.

A method is a function ``(records, k, *, progress, **options) -> labels`` under ``@method(...)``. Its
keyword-only parameters besides ``progress`` and ``seed`` are its options, with their defaults. From here
come the choices of the command line, ``shoal methods``, the docs page, the common checks and the benchmark.
Third parties register theirs in a module named by an entry point of the group ``shoal.methods``.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shoal.errors import ColumnError, DataError, OptionError, PromiseError
from shoal.partition.growth import Growth, growths
from shoal.schema.columns import Kind, Role, Schema
from shoal.values import IntVector, Partition, Progress, Records, by_first_row, silent, whole_k

AUTO = "auto"
"""The method that is taken where none is named."""
_LARGE = 50_000
"""Records of a mixed table up to which a method by distances takes seconds; its time grows with their square."""

_NEAR = ("hm", "mondrian-extent", "mdav", "tour-mhm", "ward-mhm", "v-mdav", "dba-2")
_MEANT = ("sa-mdav-plus", "sa-mondrian-strict", "mondrian-branch", "k-modes", "mosaicrown", "mondrian-extent")
_QUICK = ("hm", "mondrian-extent", "mondrian", "mondrian-relaxed", "mosaicrown", "k-means")
"""Methods that are worth a try, the quicker ones first: with numbers, with categories only, and for large tables."""

_MEASURED = (Kind.NUMERIC, Kind.DATE)
EVERY = (Kind.NUMERIC, Kind.ORDINAL, Kind.NOMINAL, Kind.HIERARCHICAL, Kind.DATE)
"""The kinds of columns that a method by distances takes."""


class Told(NamedTuple):
    """Labels by a method that chooses by itself what it does, and the sentences that tell what and why."""

    labels: IntVector
    account: tuple[str, ...]


Labels = Callable[..., IntVector | Told]
L = TypeVar("L", bound=Labels)
_registered: dict[str, Method] = {}


@dataclass(frozen=True)
class Method:
    """What Shoal knows about a method."""

    name: str
    family: str
    kinds: tuple[Kind, ...]
    paper: str
    year: int
    cost: str
    largest_group: Callable[[int], int] | None
    """The size that no group exceeds, for a given k and at least k records; None where equal records set no limit."""
    most_columns: int | None
    most_records: int | None
    mixes: bool
    """Whether it takes numbers and categories together."""
    enforces: bool
    """Whether its groups also have what ``records.demands`` asks for, if all records together have it."""
    labels: Labels

    @property
    def summary(self) -> str:
        """The first line of the method's docstring."""
        return self.text.partition("\n")[0]

    @property
    def text(self) -> str:
        """The method's docstring."""
        return inspect.getdoc(self.labels) or ""

    @property
    def about_family(self) -> str:
        """The first line of the docstring of the method's file."""
        return (inspect.getdoc(inspect.getmodule(self.labels)) or "").partition("\n")[0]

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """The names of the method's own options and their defaults."""
        parameters = inspect.signature(self.labels).parameters.values()
        own = (p for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in ("progress", "seed"))
        return {p.name: p.default for p in own}

    def takes(self, kinds: Sequence[Kind], *, records: int) -> bool:
        """Whether it takes so many records with columns of these kinds."""
        return (
            set(kinds) <= set(self.kinds)
            and (self.mixes or len({kind in _MEASURED for kind in kinds}) == 1)
            and (self.most_columns is None or len(kinds) <= self.most_columns)
            and (self.most_records is None or records <= self.most_records)
        )

    def check_options(self, given: Iterable[str]) -> None:
        """Refuse an option that the method does not have."""
        for name in given:
            if name not in self.options:
                raise OptionError.unknown_option(name, self.name, list(self.options) or ["none of its own"])

    @cached_property
    def seeded(self) -> bool:
        return "seed" in inspect.signature(self.labels).parameters

    @property
    def growth(self) -> Growth | None:
        """How its time was measured to grow; None where it never was, as of methods of third parties."""
        return growths().get(self.name)

    @property
    def largest(self) -> str:
        """The largest group in words, such as ``2k-1``."""
        if self.largest_group is None:
            return "as many as are equal"
        slope = self.largest_group(101) - self.largest_group(100)
        rest = self.largest_group(100) - 100 * slope
        return f"{slope}k{rest:+d}" if rest else f"{slope}k"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return {
            "name": self.name,
            "family": self.family,
            "about_family": self.about_family,
            "summary": self.summary,
            "kinds": [str(kind) for kind in self.kinds],
            "most_columns": self.most_columns,
            "most_records": self.most_records,
            "largest_group": self.largest,
            "cost": self.cost,
            "growth": None if self.growth is None else self.growth.to_dict(),
            "options": dict(self.options),
            "enforces": self.enforces,
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
    most_columns: int | None = None,
    most_records: int | None = None,
    mixes: bool = False,
    enforces: bool = False,
) -> Callable[[L], L]:
    """Register the function below as a method."""

    def register(labels: L) -> L:
        family = labels.__module__.rpartition(".")[2].replace("_", "-")
        _registered[name] = Method(
            name, family, kinds, paper, year, cost, largest_group, most_columns, most_records, mixes, enforces, labels
        )
        return labels

    return register


@cache
def methods() -> Mapping[str, Method]:
    """Every method by name: those in the files of this room, then those of third parties."""
    package = import_module("shoal.partition")
    for module in pkgutil.iter_modules(package.__path__, "shoal.partition."):
        import_module(module.name)
    for entry in entry_points(group="shoal.methods"):
        entry.load()
    return dict(sorted(_registered.items()))


def find(name: str) -> Method:
    """The method of that name."""
    known = methods()
    if not isinstance(name, str) or name not in known:
        raise OptionError.unknown_method(str(name), list(known))
    return known[name]


def taking(schema: Schema, records: int) -> list[str]:
    """Every method that takes the quasi-identifiers and the size of the table."""
    return [name for name, method in methods().items() if method.takes(_kinds(schema), records=records)]


def promising(schema: Schema, records: int) -> list[str]:
    """The method that is taken where none is named, then the others that are worth a try."""
    kinds = _kinds(schema)
    near = _QUICK if records > _LARGE else _NEAR
    tried = near if any(kind in _MEASURED for kind in kinds) else _MEANT
    fit = taking(schema, records)
    return list(dict.fromkeys([AUTO, *(name for name in tried if name in fit)]))


def _kinds(schema: Schema) -> list[Kind]:
    return [column.kind for column in schema.columns if column.role is Role.QUASI_IDENTIFIER]


def _fitting(kinds: Iterable[Kind], records: int) -> str:
    """A single method that takes these columns."""
    measured = {kind in _MEASURED for kind in kinds}
    if measured == {False}:
        return "sa-mdav-plus"
    return "mdav" if measured == {True} or records <= _LARGE else "mondrian-extent"


def run(
    records: Records,
    *,
    k: int,
    method: str,
    seed: int = 0,
    progress: Progress = silent,
    options: Mapping[str, Any] | None = None,
) -> Partition:
    """Partition the records by the named method; the groups are checked here, once for all methods."""
    k = whole_k(k, records.count)
    chosen = find(method)
    given = dict(options or {})
    chosen.check_options(given)
    _check_kinds(records, chosen)
    if chosen.most_columns is not None and len(records.names) > chosen.most_columns:
        raise OptionError.too_many_columns(method, most=chosen.most_columns, found=len(records.names))
    if chosen.most_records is not None and records.count > chosen.most_records:
        raise OptionError.too_many_records(method, most=chosen.most_records, found=records.count)
    if records.numeric and not np.isfinite(records.matrix).all():
        raise DataError.no_distances()
    if chosen.seeded:
        given["seed"] = seed
    made = chosen.labels(records, k, progress=progress, **given)
    labels, account = made if isinstance(made, Told) else (made, ())
    return Partition(labels=_checked(labels, records, k, chosen), k=k, method=method, account=account)


def _check_kinds(records: Records, chosen: Method) -> None:
    """Refuse columns of a kind that the method does not take, or of kinds that it does not take together."""
    for name, kind in records.kinds.items():
        if kind not in chosen.kinds:
            taking = _fitting(records.kinds.values(), records.count)
            raise ColumnError.kind_not_supported(name, kind, chosen.kinds, chosen.name, taking=taking)
    if records.categories and records.numeric and not chosen.mixes:
        raise ColumnError.kinds_do_not_mix(chosen.name, numbers=len(records.numeric), others=len(records.categories))


def _checked(labels: IntVector, records: Records, k: int, chosen: Method) -> IntVector:
    """Labels numbered by first appearance, after every group was found to have its size.

    Where more is asked of a group than k records, it may have to be larger than declared.
    """
    if not isinstance(labels, np.ndarray) or labels.shape != (records.count,) or labels.dtype.kind not in "iu":
        raise PromiseError.broken_partition(chosen.name, "not one whole number a record")
    if labels.min() < 0:
        raise PromiseError.broken_partition(chosen.name, "records without a group")
    _, numbered = by_first_row(labels)
    sizes = np.bincount(numbered)
    if sizes.min() < k:
        raise PromiseError.broken_partition(chosen.name, f"a group of {sizes.min()} records for k = {k}")
    most = chosen.largest_group if records.demands is None else None
    if most is not None and sizes.max() > most(k):
        raise PromiseError.broken_partition(chosen.name, f"a group of {sizes.max()} records for k = {k}")
    return numbered
