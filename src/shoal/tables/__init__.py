"""Tables in and out: the only room that knows data frames and files."""

from shoal.aside import aside
from shoal.tables.categories import categories, codes
from shoal.tables.counts import texts, value_counts
from shoal.tables.example import example_register
from shoal.tables.files import fingerprint, read
from shoal.tables.formats import format_of, writable
from shoal.tables.frames import telling_index
from shoal.tables.records import all_numbers, check_mixed, class_sizes, encode, kinds, numbers, profile
from shoal.tables.release import released, write
from shoal.tables.table import MISSING_WORDS, ReadOptions, Table

__all__ = [
    "MISSING_WORDS",
    "ReadOptions",
    "Table",
    "all_numbers",
    "aside",
    "categories",
    "check_mixed",
    "class_sizes",
    "codes",
    "encode",
    "example_register",
    "fingerprint",
    "format_of",
    "kinds",
    "numbers",
    "profile",
    "read",
    "released",
    "telling_index",
    "texts",
    "value_counts",
    "writable",
    "write",
]
