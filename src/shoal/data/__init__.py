"""Read, encode and write tables: the only package that knows data frame libraries and file formats."""

from shoal.data.column_preview import ColumnPreview, preview_column
from shoal.data.compared_rows import ComparedRows, compare_rows
from shoal.data.content_hash import content_hash
from shoal.data.csv.formulas import count_formulas, release_read_options
from shoal.data.dependencies import BrokenDependency, broken_dependencies
from shoal.data.encode.category_codes import category_codes, encode_categories
from shoal.data.encode.dates import dates_as_days
from shoal.data.encode.encode_table import (
    check_bounds,
    class_labels,
    class_sizes,
    column_kinds,
    encode_records,
    fit_scale,
    fit_scale_by_column,
    numeric_matrix,
    population_counts,
    profile_columns,
    resolve_weights,
)
from shoal.data.encode.sensitive_values import (
    check_feasible,
    encode_constraints,
    sensitive_columns,
    verification_value_codes,
)
from shoal.data.encode.survey_columns import build_survey_design
from shoal.data.example import example_register
from shoal.data.file_formats import format_of, full_extension, writable_format
from shoal.data.file_head import ambiguous_formats, column_formats, first_lines, read_head, sheet_names
from shoal.data.frames.pandas_index import has_informative_index, index_table
from shoal.data.linking import linkage_labels
from shoal.data.model_checks import check_models as check_models
from shoal.data.parse_intervals import fully_suppressed, released_bounds
from shoal.data.precision import detect_precisions
from shoal.data.read import file_sha256, read_table
from shoal.data.read_checks import (
    MisreadColumns,
    check_not_mixed,
    check_unambiguous,
    find_misread_columns,
    has_column_types,
)
from shoal.data.read_limits import estimate_width, uncompressed_size
from shoal.data.redundancy import redundant_pairs
from shoal.data.row_order import shuffled_order, take
from shoal.data.spelling import count_spelling_variants
from shoal.data.table import DEFAULT_MISSING_VALUES, ReadOptions, Table
from shoal.data.value_frequencies import text_list, value_counts
from shoal.data.wildcards import missing_mask, separate_wildcard_counts, visible_codes, wildcard_counts
from shoal.data.write import replace_columns, write_table
from shoal.system.atomic import atomic_write

__all__ = [
    "DEFAULT_MISSING_VALUES",
    "BrokenDependency",
    "ColumnPreview",
    "ComparedRows",
    "MisreadColumns",
    "ReadOptions",
    "Table",
    "ambiguous_formats",
    "atomic_write",
    "broken_dependencies",
    "build_survey_design",
    "category_codes",
    "check_bounds",
    "check_feasible",
    "check_models",
    "check_not_mixed",
    "check_unambiguous",
    "class_labels",
    "class_sizes",
    "column_formats",
    "column_kinds",
    "compare_rows",
    "content_hash",
    "count_formulas",
    "count_spelling_variants",
    "dates_as_days",
    "detect_precisions",
    "encode_categories",
    "encode_constraints",
    "encode_records",
    "estimate_width",
    "example_register",
    "file_sha256",
    "find_misread_columns",
    "first_lines",
    "fit_scale",
    "fit_scale_by_column",
    "format_of",
    "full_extension",
    "fully_suppressed",
    "has_column_types",
    "has_informative_index",
    "index_table",
    "linkage_labels",
    "missing_mask",
    "numeric_matrix",
    "population_counts",
    "preview_column",
    "profile_columns",
    "read_head",
    "read_table",
    "redundant_pairs",
    "release_read_options",
    "released_bounds",
    "replace_columns",
    "resolve_weights",
    "sensitive_columns",
    "separate_wildcard_counts",
    "sheet_names",
    "shuffled_order",
    "take",
    "text_list",
    "uncompressed_size",
    "value_counts",
    "verification_value_codes",
    "visible_codes",
    "wildcard_counts",
    "writable_format",
    "write_table",
]
