"""Read, encode and write tables: the only package that knows data frame libraries and file formats."""

from shoal.data.column_profiles import ColumnPreview, column_kinds, detect_precisions, preview_column, profile_columns
from shoal.data.compared_rows import ComparedRows, compare_rows
from shoal.data.compression import uncompressed_size
from shoal.data.csv.formulas import count_formulas, release_read_options
from shoal.data.dependencies import BrokenDependency, broken_dependencies, redundant_pairs
from shoal.data.encode.category_codes import (
    categories_from_statistics,
    central_node,
    encode_categories,
    node_codes,
    node_counts,
)
from shoal.data.encode.dates import dates_as_days
from shoal.data.encode.encoder import Encoder, encode_records, resolve_weights, scale_of_moments, scaled_std
from shoal.data.encode.numeric_columns import fit_scale_by_column, numeric_matrix
from shoal.data.encode.sensitive_values import (
    SensitiveEncoder,
    check_feasible,
    counted_values,
    distinct_table,
    encode_constraints,
    sensitive_columns,
    verification_value_codes,
)
from shoal.data.encode.survey_design import SurveyColumns, SurveyStatistics, build_survey_design
from shoal.data.equivalence_classes import (
    class_labels,
    class_sizes,
    linkage_labels,
    missing_mask,
    population_counts,
    separate_wildcard_counts,
    visible_codes,
    wildcard_counts,
)
from shoal.data.example import example_register
from shoal.data.file_formats import format_of, full_extension, writable_format
from shoal.data.file_head import estimate_width, first_lines, read_head, sheet_names
from shoal.data.frames.pandas_frames import has_informative_index, index_table
from shoal.data.model_checks import check_models as check_models
from shoal.data.parse_intervals import fully_suppressed, released_bounds
from shoal.data.read import file_sha256, read_table
from shoal.data.read_checks import (
    MisreadColumns,
    ambiguous_formats,
    check_not_mixed,
    check_unambiguous,
    column_formats,
    find_misread_columns,
    has_column_types,
)
from shoal.data.row_order import RowOrder, shuffled_order, take
from shoal.data.spelling import count_spelling_variants
from shoal.data.table import ReadOptions, Table, content_hash, text_list, value_counts
from shoal.data.write import replace_columns, write_table

__all__ = [
    "BrokenDependency",
    "ColumnPreview",
    "ComparedRows",
    "Encoder",
    "MisreadColumns",
    "ReadOptions",
    "RowOrder",
    "SensitiveEncoder",
    "SurveyColumns",
    "SurveyStatistics",
    "Table",
    "ambiguous_formats",
    "broken_dependencies",
    "build_survey_design",
    "categories_from_statistics",
    "central_node",
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
    "counted_values",
    "dates_as_days",
    "detect_precisions",
    "distinct_table",
    "encode_categories",
    "encode_constraints",
    "encode_records",
    "estimate_width",
    "example_register",
    "file_sha256",
    "find_misread_columns",
    "first_lines",
    "fit_scale_by_column",
    "format_of",
    "full_extension",
    "fully_suppressed",
    "has_column_types",
    "has_informative_index",
    "index_table",
    "linkage_labels",
    "missing_mask",
    "node_codes",
    "node_counts",
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
    "scale_of_moments",
    "scaled_std",
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
