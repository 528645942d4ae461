"""Tables in and out: the only room that knows data frames and files."""

from shoal.aside import aside
from shoal.tables.categories import categories, codes
from shoal.tables.counts import texts, value_counts
from shoal.tables.dates import days
from shoal.tables.dependencies import Broken, broken_dependencies
from shoal.tables.design import design
from shoal.tables.diversity import check as check_models
from shoal.tables.doubts import Doubts, check_mixed, check_read, doubts, is_typed
from shoal.tables.example import example_register
from shoal.tables.files import fingerprint, read
from shoal.tables.formats import format_of, full_ending, writable
from shoal.tables.formulas import formulas, release_options
from shoal.tables.glance import unpacked_size, width
from shoal.tables.glimpse import Glimpse, glimpse
from shoal.tables.head import column_formats, first_lines, questions, read_head, sheet_names
from shoal.tables.identity import identity
from shoal.tables.linking import linking_numbers
from shoal.tables.order import shuffled_rows, taken
from shoal.tables.pandas_index import index_table, telling_index
from shoal.tables.precision import precisions
from shoal.tables.records import (
    check_bounds,
    class_numbers,
    class_sizes,
    encode,
    kinds,
    known_weights,
    numbers,
    population_counts,
    profile,
    scaled,
    scaled_columns,
)
from shoal.tables.redundancy import redundant
from shoal.tables.release import released, write
from shoal.tables.rows import ComparedRows, compare_rows
from shoal.tables.sensitive import check_feasible, demands, meaning_numbers, sensitive_columns
from shoal.tables.shown import shown_bounds, shown_nothing
from shoal.tables.spelling import spellings
from shoal.tables.table import MISSING_WORDS, ReadOptions, Table
from shoal.tables.wildcard import alike_counts, missing_mask, seen_codes, wildcard_counts

__all__ = [
    "MISSING_WORDS",
    "Broken",
    "ComparedRows",
    "Doubts",
    "Glimpse",
    "ReadOptions",
    "Table",
    "alike_counts",
    "aside",
    "broken_dependencies",
    "categories",
    "check_bounds",
    "check_feasible",
    "check_mixed",
    "check_models",
    "check_read",
    "class_numbers",
    "class_sizes",
    "codes",
    "column_formats",
    "compare_rows",
    "days",
    "demands",
    "design",
    "doubts",
    "encode",
    "example_register",
    "fingerprint",
    "first_lines",
    "format_of",
    "formulas",
    "full_ending",
    "glimpse",
    "identity",
    "index_table",
    "is_typed",
    "kinds",
    "known_weights",
    "linking_numbers",
    "meaning_numbers",
    "missing_mask",
    "numbers",
    "population_counts",
    "precisions",
    "profile",
    "questions",
    "read",
    "read_head",
    "redundant",
    "release_options",
    "released",
    "scaled",
    "scaled_columns",
    "seen_codes",
    "sensitive_columns",
    "sheet_names",
    "shown_bounds",
    "shown_nothing",
    "shuffled_rows",
    "spellings",
    "taken",
    "telling_index",
    "texts",
    "unpacked_size",
    "value_counts",
    "width",
    "wildcard_counts",
    "writable",
    "write",
]
