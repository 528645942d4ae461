"""Metadata: what a column says besides its cells, taken away from a release.

A type that lists its values lists those of the original; a field or a table of Arrow may say anything about itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl


def without_unused(series: pl.Series) -> pl.Series:
    """A type that lists its values lists those that are left: the others are values of the data too."""
    if not isinstance(series.dtype, pl.Enum):
        return series
    left = set(series.drop_nulls().cast(pl.String).to_list())
    return series.cast(pl.String).cast(pl.Enum([word for word in series.dtype.categories.to_list() if word in left]))


def pandas_without_unused(series: Any) -> Any:
    """The column with a type that lists only the values that it has; None where its type lists none."""
    if hasattr(series, "cat"):
        return series.cat.remove_unused_categories()
    if "dictionary" in str(series.dtype):  # held by pyarrow
        column = arrow_without_unused(series.array.__arrow_array__())
        return type(series)(type(series.array)(column), index=series.index)
    return None


def arrow_bare(column: Any) -> Any:
    """The column without what fields inside of its type say about themselves."""
    bare = _bare_type(column.type)
    return column if bare.equals(column.type, check_metadata=True) else column.cast(bare)


def _bare_type(kind: Any) -> Any:
    """The type without the metadata of its fields."""
    import pyarrow as pa

    def bare(field: Any) -> Any:
        return pa.field(field.name, _bare_type(field.type), nullable=field.nullable)

    if pa.types.is_struct(kind):
        return pa.struct([bare(kind.field(at)) for at in range(kind.num_fields)])
    if pa.types.is_large_list(kind):
        return pa.large_list(bare(kind.value_field))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(bare(kind.value_field), kind.list_size)
    if pa.types.is_list(kind):
        return pa.list_(bare(kind.value_field))
    return pa.map_(bare(kind.key_field), bare(kind.item_field)) if pa.types.is_map(kind) else kind


def arrow_without_unused(column: Any) -> Any:
    """A column of codes lists only the labels that are left, in their order."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column
    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    array = pa.concat_arrays(chunked.unify_dictionaries().chunks)
    gone = array.indices.is_null().to_numpy(zero_copy_only=False)
    codes = array.indices.fill_null(0).to_numpy(zero_copy_only=False)
    left = np.unique(codes[~gone])
    labels = array.dictionary.take(pa.array(left))
    new = pa.array(np.searchsorted(left, codes), type=column.type.index_type, mask=gone)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(new, labels, ordered=column.type.ordered)])
