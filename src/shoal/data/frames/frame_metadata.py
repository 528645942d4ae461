"""Remove metadata that could disclose original values from released columns.

Categorical types list the original values; Arrow fields and tables may have arbitrary metadata.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl


def drop_unused_categories(series: pl.Series) -> pl.Series:
    """Remove unused categories of a polars Enum: they are original values."""
    if not isinstance(series.dtype, pl.Enum):
        return series
    used = set(series.drop_nulls().cast(pl.String).to_list())
    return series.cast(pl.String).cast(pl.Enum([word for word in series.dtype.categories.to_list() if word in used]))


def drop_unused_pandas_categories(series: Any) -> Any:
    """Remove unused categories of a pandas column; None if its type has no categories."""
    if hasattr(series, "cat"):
        return series.cat.remove_unused_categories()
    if "dictionary" in str(series.dtype):  # stored by pyarrow
        column = drop_unused_arrow_labels(series.array.__arrow_array__())
        return type(series)(type(series.array)(column), index=series.index)
    return None


def strip_arrow_metadata(column: Any) -> Any:
    """Remove the metadata of nested fields."""
    bare = _strip_type(column.type)
    return column if bare.equals(column.type, check_metadata=True) else column.cast(bare)


def _strip_type(dtype: Any) -> Any:
    """Return the type without the metadata of its fields."""
    import pyarrow as pa

    def strip_field(field: Any) -> Any:
        return pa.field(field.name, _strip_type(field.type), nullable=field.nullable)

    if pa.types.is_struct(dtype):
        return pa.struct([strip_field(dtype.field(at)) for at in range(dtype.num_fields)])
    if pa.types.is_large_list(dtype):
        return pa.large_list(strip_field(dtype.value_field))
    if pa.types.is_fixed_size_list(dtype):
        return pa.list_(strip_field(dtype.value_field), dtype.list_size)
    if pa.types.is_list(dtype):
        return pa.list_(strip_field(dtype.value_field))
    return pa.map_(strip_field(dtype.key_field), strip_field(dtype.item_field)) if pa.types.is_map(dtype) else dtype


def drop_unused_arrow_labels(column: Any) -> Any:
    """Remove unused labels of an Arrow dictionary column, keeping their order."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column
    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    array = pa.concat_arrays(chunked.unify_dictionaries().chunks)
    missing = array.indices.is_null().to_numpy(zero_copy_only=False)
    codes = array.indices.fill_null(0).to_numpy(zero_copy_only=False)
    used = np.unique(codes[~missing])
    labels = array.dictionary.take(pa.array(used))
    new = pa.array(np.searchsorted(used, codes), type=column.type.index_type, mask=missing)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(new, labels, ordered=column.type.ordered)])
