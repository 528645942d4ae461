"""From groups to released values: one value a group for every quasi-identifier, each recoded in its way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import OptionError
from shoal.recode.category import nodes
from shoal.recode.number import centers
from shoal.schema.columns import Column, Kind, Schema
from shoal.values import FloatVector, Partition, Records, Worded

WAYS = (*centers, *nodes)
_EXACT_WHOLE = 2.0**53


def ways(kind: Kind) -> tuple[str, ...]:
    """The ways in which a column of this kind can be recoded; the first is taken where nothing is said."""
    return tuple(centers) if kind is Kind.NUMERIC else tuple(nodes)


def decided(schema: Schema, word: Any) -> Schema:
    """The schema with a way for every quasi-identifier: its own, else the word where it fits, else its kind's first."""
    if word is not None and (not isinstance(word, str) or word not in WAYS):
        raise OptionError.unknown_choice("recode", word, WAYS)
    protected = schema.quasi_identifiers
    columns = [_decided(column, word) if column.name in protected else column for column in schema.columns]
    if word is not None and all(column.recode != word for column in columns):
        raise OptionError.recode_fits_nothing(word)
    return Schema(tuple(columns))


def _decided(column: Column, word: str | None) -> Column:
    known = ways(column.kind)
    if column.recode and column.recode not in known:
        raise OptionError.recode_does_not_fit(column.recode, column=column.name, kind=column.kind, known=known)
    return replace(column, recode=column.recode or (word if word in known else known[0]))


def recode(
    records: Records, partition: Partition, *, ways: Mapping[str, str], round_integers: bool = False
) -> dict[str, NDArray[Any] | Worded]:
    """The released values of every quasi-identifier: one value a group.

    With ``round_integers`` a column of whole numbers stays one: halves go to the even neighbour.
    """
    released: dict[str, NDArray[Any] | Worded] = {}
    for j, name in enumerate(records.numeric):
        column = records.values[:, j]
        center = centers[ways[name]](column[:, None], partition.labels, partition.count)[:, 0] + 0.0  # no negative zero
        released[name] = (_rounded(center, column) if round_integers else center)[partition.labels]
    for j, meaning in enumerate(records.categories):
        node = nodes[ways[meaning.name]](
            records.codes[:, j], partition.labels, partition.count, meaning.rounded(), meaning.hierarchy
        )
        released[meaning.name] = Worded(tuple(map(_written, meaning.hierarchy.nodes)), node[partition.labels])
    return {name: released[name] for name in records.names}


def _written(node: str) -> str:
    """A node as text that a file can hold: half a surrogate pair is spelled out."""
    return node.encode(errors="backslashreplace").decode()


def _rounded(center: FloatVector, column: FloatVector) -> NDArray[Any]:
    """Whole numbers where the column has nothing else."""
    whole = bool(np.all(column == np.rint(column)) and np.abs(column).max() <= _EXACT_WHOLE)
    return np.rint(center).astype(np.int64) if whole else center
